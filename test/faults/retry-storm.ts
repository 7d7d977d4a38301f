import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Attack } from '../attacks/attack.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { startBadNetwork } from '../fixtures/bad-network.ts';
import { startHttpFixture } from '../fixtures/start.ts';
import { callOnce } from './calls.ts';
import { countCodes, runLoad } from './load.ts';

/** Calls that reached the place of the server, with the time. */
interface Arrival {
  at: number;
  tool: string;
}

/** Stands before a server over HTTP, writes down every call that arrives, and answers calls with 503 while it is told to. */
async function startFront(
  toPort: number,
): Promise<{ port: number; broken: boolean; arrivals: Arrival[]; stop(): void }> {
  const front = { port: 0, broken: false, arrivals: [] as Arrival[], stop: () => void server.close() };
  function passOn(req: IncomingMessage, res: ServerResponse, body: Buffer): void {
    const { method, url, headers } = req;
    const onward = request({ host: '127.0.0.1', port: toPort, method, path: url, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    res.on('close', () => onward.destroy());
    onward.end(body);
  }
  const server: Server = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const body = Buffer.concat(parts);
      const tool = /"method":"tools\/call".*"name":"(\w+)"/.exec(body.toString('latin1'))?.[1];
      if (tool) front.arrivals.push({ at: performance.now(), tool });
      if (front.broken) res.writeHead(503, { 'retry-after': '1' }).end('not now');
      else passOn(req, res, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  front.port = (server.address() as AddressInfo).port;
  return front;
}

const PER_SECOND = 20;
const SHARE = 0.2;
const view = (proxy: RunningProxy, name: string) => proxy.rest.request('getServer', { name });
const load = async (
  proxy: RunningProxy,
  name: string,
  { operation, forMs }: { operation: 'read' | 'write'; forMs: number },
) => {
  const job = {
    id: 'calls',
    name: `${name}:echo`,
    args: { text: 'x' },
    operation,
    perSecond: PER_SECOND,
    forMs,
  };
  return (await runLoad(proxy, [job])).calls!;
};

export const retryStorm: Attack = {
  threat: 'F16',
  title: 'a server that answers 503, and one that cannot be reached',
  async run(tally, scale) {
    const forMs = scale === 'full' ? 30_000 : 3_000;
    const real = await startHttpFixture('http-echo.mjs', '/mcp');
    const front = await startFront(real.port);
    const network = await startBadNetwork(front.port);
    const [up, far] = [front.port, network.port].map((port) => ({ url: `http://127.0.0.1:${port}/mcp` }));
    const proxy = await startProxy({ config: { mcpServers: { up, far } } });
    try {
      front.broken = true;
      for (const operation of ['read', 'write'] as const) {
        front.arrivals.length = 0;
        const calls = await load(proxy, 'up', { operation, forMs });
        const { arrivals } = front;
        tally.held(arrivals.length <= calls.length, `${calls.length} calls arrived ${arrivals.length} times`);
        tally.held(
          calls.every(({ code }) => code !== 'ok'),
          'a call that was answered with 503 counts as done',
        );
        tally.held(
          longestBurst(arrivals) <= 6,
          `${longestBurst(arrivals)} calls at once after the pause of the breaker`,
        );
        tally.figure(
          `503 for ${forMs / 1000} s: ${calls.length} ${operation}s, ${arrivals.length} arrived, ${JSON.stringify(countCodes(calls))}`,
        );
      }
      const { retries } = await view(proxy, 'up');
      tally.held(retries === 0, `${retries} calls that had arrived were repeated`);
      await unreachable(proxy, tally, { network, forMs });
      front.broken = false;
    } finally {
      await proxy.dispose();
      await network.close();
      front.stop();
      await real.stop();
    }
  },
};

/** Most arrivals within a tenth of a second: what a pace of 20 a second explains, or everybody who waited. */
function longestBurst(arrivals: Arrival[]): number {
  return Math.max(
    0,
    ...arrivals.map(({ at }) => arrivals.filter((other) => Math.abs(other.at - at) <= 50).length),
  );
}

async function unreachable(
  proxy: RunningProxy,
  tally: { held(ok: boolean, what: string): void; figure(text: string): void },
  { network, forMs }: { network: { shut(): Promise<void> }; forMs: number },
): Promise<void> {
  await network.shut();
  const sums: string[] = [];
  // The connection is only found to be gone now: these were never sent, and the first of them is tried again.
  await Promise.all(Array.from({ length: 5 }, () => callOnce(proxy, 'far:echo', { args: { text: 'x' } })));
  const { retries: atOnce } = await view(proxy, 'far');
  tally.held(atOnce > 0 && atOnce <= 5, `${atOnce} of 5 reads that were not sent were tried again`);
  for (const operation of ['write', 'read'] as const) {
    const before = (await view(proxy, 'far')).retries;
    const calls = await load(proxy, 'far', { operation, forMs });
    const retried = (await view(proxy, 'far')).retries - before;
    const most = operation === 'read' ? SHARE * calls.length + 10 : 0;
    tally.held(retried <= most, `${retried} of ${calls.length} ${operation}s were tried again`);
    tally.held(
      calls.every(({ code }) => code === 'SERVER_UNAVAILABLE'),
      JSON.stringify(countCodes(calls)),
    );
    sums.push(`${retried} of ${calls.length} ${operation}s tried again`);
  }
  tally.figure(`not reachable: ${atOnce} of 5 reads at once and ${sums.join(', ')}`);
}
