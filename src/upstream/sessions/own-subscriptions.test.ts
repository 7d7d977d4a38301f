import { afterEach, expect, test } from 'vitest';
import { fixture } from '../../../test/fixtures/start.ts';
import { startUpstreams, stopUpstreams, textOf, until } from '../../../test/fixtures/upstreams.ts';
import type { OpenServer } from '../connection/open-server.ts';
import type { ClientSession } from '../dispatch/dispatch-call.ts';
import { ClientConnections } from './client-connections.ts';

afterEach(stopUpstreams);

const URI = 'state://own';
const by = { client: 'one', session: 'one' };

/** Two clients of a server that keeps a resource for each connection. */
async function twoClients() {
  const server = { ...fixture('stateful.mjs', '--quiet', '--resources'), sharing: 'per_client' } as const;
  const { call, upstreams } = await startUpstreams({ s: server });
  const clientOf = (key: string) => {
    const session: ClientSession = { key, isExclusive: false, capabilities: {} };
    let updates = 0;
    const watcher = { updated: () => void updates++ };
    const send = (kind: 'subscribe' | 'unsubscribe') =>
      call('s', URI, {}, { kind, watcher, session, client: key });
    return {
      subscribe: () => send('subscribe'),
      unsubscribe: () => send('unsubscribe'),
      leave: () => upstreams.unwatch(watcher),
      /** Changes its own resource; what its own connection has subscribed to. */
      touch: async (): Promise<unknown> =>
        JSON.parse(textOf(await call('s', 'touch', { uri: URI }, { session, client: key }))),
      updates: () => updates,
    };
  };
  return [clientOf('one'), clientOf('two')] as const;
}

test.each(['before', 'after'])(
  'a client is told of what changes on its own connection alone, subscribed %s it is opened',
  async (when) => {
    const [one, two] = await twoClients();
    if (when === 'after') for (const client of [one, two]) expect(await client.touch()).toEqual([]);
    for (const client of [one, two]) await client.subscribe();
    expect(await one.touch()).toEqual([URI]);
    await until('the update', () => one.updates() > 0);
    expect([one.updates(), two.updates()]).toEqual([1, 0]);
    expect(await two.touch()).toEqual([URI]);
    await until('the other update', () => two.updates() > 0);
    expect([one.updates(), two.updates()]).toEqual([1, 1]);
  },
);

test('a client that unsubscribes or leaves is not told any more', async () => {
  const [one, two] = await twoClients();
  for (const client of [one, two]) {
    await client.touch();
    await client.subscribe();
  }
  await one.unsubscribe();
  expect(await one.touch()).toEqual([]);
  two.leave();
  await two.touch();
  expect([one.updates(), two.updates()]).toEqual([0, 0]);
});

test('a server that leaves subscriptions unanswered holds up no call', { timeout: 120_000 }, async () => {
  const lane = { asks: {}, ask: () => new Promise(() => undefined) };
  const watcher = { updated: () => undefined };
  const watched = Array.from({ length: 200 }, (_, n) => [`r://${n}`, watcher, by] as const);
  const connections = new ClientConnections({
    server: 's',
    open: async () => ({ lane, closed: new Promise(() => undefined) }) as unknown as OpenServer,
    watches: { of: () => watched.values() as never },
    limit: () => 5,
    idleMs: () => 1000,
  });
  const session: ClientSession = { key: 'one', isExclusive: false, capabilities: {} };
  expect((await connections.lease(session, 'one')).lane).toBe(lane);
});
