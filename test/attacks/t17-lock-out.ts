import { exchange, modern, reading } from '../e2e/raw-token.ts';
import { openSenders } from '../e2e/slow-senders.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import type { Attack, Tally } from './attack.ts';

const SIZES = {
  quick: { connections: 64, senders: 150 },
  full: { connections: 1024, senders: 1100 },
} as const;

/** Slow bodies, calls that wait and streams, without a key and of one token, keep neither the operator nor another agent out. */
export const lockOut: Attack = {
  threat: 'T17',
  title: 'others locked out, without a key and by one token',
  async run(tally, scale) {
    const { connections, senders: count } = SIZES[scale];
    const proxy = await startProxy({
      config: {
        mcpServers: { up: fixture('annotated.mjs') },
        limits: { connections },
        approvals: { require: ['destructive'], wait: '5m' },
      },
    });
    try {
      const make = async (name: string) =>
        (await proxy.rest.request('createToken', { body: { name } })).token;
      const [greedy, modest] = [await make('greedy'), await make('modest')];
      for (const [who, request] of Object.entries(requestsOf(proxy, greedy))) {
        const senders = await openSenders(proxy.url, count, { text: request.join('\r\n'), drip: true });
        await othersAreServed(proxy, modest, { tally, who });
        senders.close();
      }
      tally.figure(`${count} requests of each kind on ${connections} connections`);
    } finally {
      await proxy.dispose();
    }
  },
};

/** The lines of a request that takes long, and who sends it. */
function requestsOf({ url }: RunningProxy, greedy: string): Record<string, string[]> {
  const host = `Host: ${new URL(url).host}`;
  const token = `Authorization: Bearer ${greedy}`;
  const slow = ['Content-Type: application/json', 'Content-Length: 4000', '', '{'];
  const input = { name: 'up:destructive', args: { text: 'same' }, intent_operation_type: 'destructive' };
  const held = modern('tools/call', { name: 'call_tool_destructive', arguments: input });
  const whole = ({ headers, body }: ReturnType<typeof modern>) => {
    const json = JSON.stringify(body);
    const lines = Object.entries({
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': json.length,
    });
    const accept = 'Accept: application/json, text/event-stream';
    return [...lines.map(([name, value]) => `${name}: ${value}`), accept, '', json];
  };
  return {
    'slow bodies without a key': ['POST /web/session HTTP/1.1', host, ...slow],
    'headers without an end': ['GET / HTTP/1.1', host, 'X-Slow: '],
    'slow bodies of one token': ['POST /mcp HTTP/1.1', host, token, ...slow],
    'calls of one token that wait for a person': ['POST /mcp HTTP/1.1', host, token, ...whole(held)],
    'streams of one token': ['POST /mcp HTTP/1.1', host, token, ...whole(LISTEN)],
  };
}

const LISTEN = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });

async function othersAreServed(
  proxy: RunningProxy,
  token: string,
  { tally, who }: { tally: Tally; who: string },
): Promise<void> {
  const headers = { 'x-api-key': proxy.key, connection: 'close' };
  const { status } = await fetch(`${proxy.url}/api/v1/status`, { headers });
  tally.held(status === 200, `beside ${who} the operator hears ${status}`);
  const call = exchange(proxy.url, { token, ...modern('tools/call', reading('up:read_only')) });
  await call.ended;
  tally.held((await call.status) === 200, `beside ${who} an agent hears ${await call.status}`);
  const stream = exchange(proxy.url, { token, ...LISTEN });
  tally.held((await stream.status) === 200, `beside ${who} a stream of an agent is refused`);
  stream.close();
}
