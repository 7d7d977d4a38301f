import { exchange, modern, openSession, reading } from '../e2e/raw-token.ts';
import type { RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import type { Attack, Scale, Tally } from './attack.ts';
import { startOf } from './scaled.ts';

interface Voice {
  token: string;
  session: Record<string, string>;
}

/** Clients, and calls in all. */
const SIZE: Record<Scale, [clients: number, calls: number]> = { quick: [20, 400], full: [200, 10_000] };

/** Sessions, states and answers belong to who got them, with ids that collide on purpose. */
export const crossed: Attack = {
  threat: 'T13',
  title: 'session and state hijacking, crossed answers',
  async run(tally, scale) {
    const proxy = await startOf(scale)({ config: { mcpServers: { up: fixture('annotated.mjs') } } });
    try {
      const made = await Promise.all(
        ['a', 'b'].map((name) => proxy.rest.request('createToken', { body: { name } })),
      );
      const [a, b] = made.map(({ token }) => token) as [string, string];
      await handles(proxy, [a, b], tally);
      await interleaved({ proxy, tokens: [a, b], tally, scale });
    } finally {
      await proxy.dispose();
    }
  },
};

const call = (id: unknown, args: Record<string, unknown>) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { ...reading('up:read_only', args), _meta: { progressToken: 1 } },
});

async function handles(
  { url, key }: RunningProxy,
  [a, b]: readonly [string, string],
  tally: Tally,
): Promise<void> {
  const session = await openSession(url, a);
  const guesses = ['', '0', '1', 'x'.repeat(64), session['mcp-session-id']!.toUpperCase(), '../', '*'];
  for (const token of [b, key]) {
    for (const way of [{ body: call(1, {}) }, { method: 'GET' as const }, { method: 'DELETE' as const }]) {
      const status = await exchange(url, { token, headers: { ...session, 'last-event-id': '1' }, ...way })
        .status;
      tally.held(status === 404, `another's session by ${way.method ?? 'POST'}: ${status}`);
    }
  }
  for (const guess of guesses) {
    const headers = { ...session, 'mcp-session-id': guess };
    const status = await exchange(url, { token: a, headers, body: call(1, {}) }).status;
    tally.held(status === 404 || status === 400, `a guessed session: ${status}`);
  }
  const asked = await exchange(url, { token: a, ...modern('tools/call', reading('up:asks')) }).ended;
  const state = (JSON.parse(asked) as { result: { requestState: string } }).result.requestState;
  const more = { inputResponses: { name: {} }, requestState: state };
  for (const [who, token, tool] of [
    ['another', b, 'up:asks'],
    ['the operator', key, 'up:asks'],
    ['its own, for another tool', a, 'up:read_only'],
  ] as const) {
    const text = await exchange(url, { token, ...modern('tools/call', { ...reading(tool), ...more }) }).ended;
    tally.held(text.includes('-32602'), `the state was good for ${who}: ${text.slice(0, 100)}`);
  }
}

interface Interleaved {
  proxy: RunningProxy;
  tokens: readonly [string, string];
  tally: Tally;
  scale: Scale;
}

async function interleaved({ proxy: { url }, tokens, tally, scale }: Interleaved): Promise<void> {
  const [clients, calls] = SIZE[scale];
  const voices: Voice[] = [];
  for (let i = 0; i < clients; i++) {
    const token = tokens[i % 2]!;
    voices.push({ token, session: await openSession(url, token) });
  }
  let wrong = 0;
  let at = 0;
  const started = performance.now();
  await Promise.all(
    voices.map(async ({ token, session }, i) => {
      while (at < calls) {
        const nonce = `nonce-${at++}-${i}.`;
        const isModern = at % 2 === 0;
        const request = isModern ? modern('tools/call', reading('up:read_only', { text: nonce })) : undefined;
        const { ended } = exchange(url, {
          token,
          ...(request ?? { headers: session, body: call(1, { text: nonce }) }),
        });
        const text = await ended;
        if (!text.includes(nonce) || text.match(/nonce-/g)?.length !== 1) wrong++;
      }
    }),
  );
  tally.held(wrong === 0, `${wrong} answers were not those to their questions`);
  const perSecond = Math.round((calls * 1000) / (performance.now() - started));
  tally.figure(`${clients} clients, ${at} calls, ${wrong} crossed, ${perSecond}/s`);
}
