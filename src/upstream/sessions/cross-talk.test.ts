import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { fixture } from '../../../test/fixtures/start.ts';
import {
  startUpstreams,
  stopUpstreams,
  textOf,
  type TestUpstreams,
} from '../../../test/fixtures/upstreams.ts';
import type { ClientSession } from '../dispatch/dispatch-call.ts';

afterEach(stopUpstreams);

const STEPS = 10_000;
const AT_ONCE = 25;
const LEVELS: Record<string, string[]> = { one: ['debug', 'warning'], two: ['error', 'emergency'] };

/** A client that answers everything with its own name, and keeps everything that reaches it. */
class Client {
  readonly capabilities = { sampling: {}, elicitation: {}, roots: {} };
  readonly key: string;
  logLevel: string | undefined;
  readonly logs: unknown[] = [];
  readonly asked: string[] = [];

  constructor(key: string) {
    this.key = key;
  }

  get levels(): string[] {
    return LEVELS[this.key]!;
  }

  async answer(method: string, params: Record<string, unknown>) {
    this.asked.push(typeof params.message === 'string' ? params.message : method);
    if (method === 'roots/list') return { roots: [{ uri: `file:///${this.key}` }] };
    return { action: 'accept', content: { name: this.key }, role: 'assistant', model: this.key };
  }
}

function sessionOf(client: Client): ClientSession {
  const { key, capabilities, logLevel } = client;
  return {
    key,
    isExclusive: false,
    capabilities,
    logLevel,
    asked: ({ method, params }) => client.answer(method, params),
    logged: (params) => client.logs.push(params.data),
  };
}

type Step = 'state' | 'elicit' | 'sample' | 'log' | 'level';

async function take(
  call: TestUpstreams['call'],
  client: Client,
  [step, n]: readonly [Step, number],
): Promise<void> {
  const { key } = client;
  const session = sessionOf(client);
  const run = async (tool: string, args: Record<string, unknown>) =>
    JSON.parse(textOf(await call('s', tool, args, { session })));
  switch (step) {
    case 'level':
      client.logLevel = client.levels[n % 2];
      return;
    case 'state': {
      const { roots, level } = await run('state', {});
      expect(roots).toEqual([`file:///${key}`]);
      // Each client has levels of its own; a call beside this one may have set the next.
      expect(['none', ...client.levels]).toContain(level);
      return;
    }
    case 'log':
      expect(await run('log', { level: 'emergency', data: key })).toBe('logged');
      return;
    case 'elicit':
    case 'sample':
    default: {
      const method = step === 'elicit' ? 'elicitation/create' : 'sampling/createMessage';
      const [{ result }] = await run('ask', { method, params: { message: `for ${key}`, maxTokens: 5 } });
      expect(result).toMatchObject({ content: { name: key }, model: key });
    }
  }
}

test('two clients of one server never see what belongs to the other', { timeout: 280_000 }, async () => {
  // The server asks for roots when it starts, so it is known to ask.
  const { call } = await startUpstreams({ s: fixture('stateful.mjs') });
  const clients = [new Client('one'), new Client('two')];
  const arbitrary = fc.tuple(
    fc.constantFrom<Step>('state', 'elicit', 'sample', 'log', 'level'),
    fc.nat(1),
    fc.nat(99),
  );
  const steps = fc.sample(arbitrary, { numRuns: STEPS, seed: Number(process.env.MCPPROXY_TEST_SEED ?? 17) });
  for (let at = 0; at < STEPS; at += AT_ONCE)
    await Promise.all(
      steps.slice(at, at + AT_ONCE).map(([step, who, n]) => take(call, clients[who]!, [step, n])),
    );
  for (const { key, logs, asked } of clients) {
    expect(logs.length).toBeGreaterThan(100);
    expect(new Set(logs)).toEqual(new Set([key]));
    expect(new Set(asked)).toEqual(new Set([`for ${key}`, 'roots/list']));
  }
});

test('each client has its own log level at the server', async () => {
  const { call } = await startUpstreams({ s: fixture('stateful.mjs') });
  const [one, two] = [new Client('one'), new Client('two')];
  one.logLevel = 'error';
  two.logLevel = 'debug';
  for (const client of [one, two, one]) {
    const { level } = JSON.parse(textOf(await call('s', 'state', {}, { session: sessionOf(client) })));
    expect(level).toBe(client.logLevel);
  }
  for (const client of [one, two])
    await call('s', 'log', { level: 'info', data: 'x' }, { session: sessionOf(client) });
  expect([one.logs, two.logs]).toEqual([[], ['x']]);
});

test('the first question of a server reaches the client of its call, also beside other clients', async () => {
  const { call } = await startUpstreams({ s: fixture('stateful.mjs', '--quiet') });
  const clients = [new Client('one'), new Client('two')];
  const silent: ClientSession = { key: 'silent', isExclusive: false, capabilities: {} };
  const pidFor = async (session: ClientSession) =>
    JSON.parse(textOf(await call('s', 'log', { level: 'info', data: 'x' }, { session })));
  for (const client of clients) await pidFor(sessionOf(client));
  await pidFor(silent);
  // One after the other, and all at once.
  for (const client of clients) await take(call, client, ['elicit', 0]);
  await Promise.all(
    [...clients, ...clients].flatMap((client) => [take(call, client, ['sample', 0]), pidFor(silent)]),
  );
  for (const { key, asked } of clients) expect(new Set(asked)).toEqual(new Set([`for ${key}`]));
});

test('a server that asks nothing in many calls is shared again, and clients keep the connection that they have', async () => {
  const { call } = await startUpstreams({ s: fixture('stateful.mjs', '--quiet') });
  const quiet = (key: string): ClientSession => ({
    key,
    isExclusive: false,
    capabilities: { sampling: {} },
    asked: () => Promise.reject(new Error('not asked')),
  });
  // Without roots the tool asks nothing.
  const pidOf = async (key: string) => {
    const result = await call('s', 'pid', {}, { session: quiet(key) });
    return Number(textOf(result));
  };
  const [first, second] = [await pidOf('one'), await pidOf('two')];
  expect(second).not.toBe(first);
  for (let i = 0; i < 50; i++) await pidOf('one');
  expect(await pidOf('three')).toBe(first);
  expect(await pidOf('two')).toBe(second);
});

test('one client leaves connections of its own to others', async () => {
  const server = {
    ...fixture('stateful.mjs', '--quiet'),
    sharing: 'per_client',
    client_connections: 5,
  } as const;
  const { call } = await startUpstreams({ s: server });
  const pidOf = (key: string, client: string) => {
    const session: ClientSession = { key, isExclusive: false, capabilities: {} };
    return call('s', 'pid', {}, { session, client }).then((result) => Number(textOf(result)));
  };
  const greedy = await Promise.all([1, 2, 3, 4].map((n) => pidOf(`a${n}`, 'a')));
  await expect(pidOf('a5', 'a')).rejects.toMatchObject({ code: 'SERVER_BUSY', details: { sent: false } });
  expect(greedy).not.toContain(await pidOf('b1', 'b'));
  // The idle one of the client that has most is closed in favour of a third client.
  expect(greedy).not.toContain(await pidOf('c1', 'c'));
});
