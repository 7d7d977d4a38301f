import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkedCall } from './calls.ts';
import { stopAll } from './children.ts';
import { compileParts } from './compile.ts';
import { startLoad } from './load-driver.ts';
import type { RoundResult } from './load-plan.ts';
import { describeMachine, machineLines } from './machine.ts';
import { startProxy, STDIO_UPSTREAM } from './middles.ts';
import { median, percentile } from './statistics.ts';
import { figure, table } from './table.ts';

// usage: npm run bench:traces -- [--rounds N] [--calls N]
// What collecting traces costs a read: CPU time of the proxy per call, medians of rounds in turns; the difference is taken within each turn.

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '30' }, calls: { type: 'string', default: '1000' } },
});
const CALLERS = 16;

/** Accepts and discards everything. */
async function startSink() {
  let bytes = 0;
  const server = createHttp((req, res) => {
    req.on('data', (part: Buffer) => (bytes += part.length));
    req.on('end', () => res.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, bytes: () => bytes, close: () => server.close() };
}

const WAYS = ['off', 'off again', 'all kept', 'one in ten'] as const;
type Way = (typeof WAYS)[number];

function variables(way: Way, url: string): Record<string, string> {
  if (way.startsWith('off')) return {};
  const tenth = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };
  return { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...(way === 'one in ten' && tenth) };
}

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-traces-'));
const sink = await startSink();
console.log(machineLines(describeMachine()));
compileParts();
const load = startLoad();
try {
  const targets = new Map<Way, Parameters<typeof load.run>[0]['target']>();
  for (const way of WAYS) {
    const proxy = await startProxy({ stdio: STDIO_UPSTREAM }, dir, { env: variables(way, sink.url) });
    targets.set(way, { ...proxy, name: way, era: '2026-07-28', ...checkedCall('stdio', 'read') });
    await load.run({ target: targets.get(way)!, callers: CALLERS, warmMs: 0, calls: 4000 });
  }
  const rounds: Array<Record<Way, RoundResult>> = [];
  for (let n = 0; n < Number(flags.rounds); n++) {
    const turn: Partial<Record<Way, RoundResult>> = {};
    for (const way of n % 2 === 0 ? WAYS : WAYS.toReversed())
      turn[way] = await load.run({
        target: targets.get(way)!,
        callers: CALLERS,
        warmMs: 0,
        calls: Number(flags.calls),
      });
    rounds.push(turn as Record<Way, RoundResult>);
  }
  const of = (way: Way) => median(rounds.map((turn) => turn[way].cpuUs!));
  /** Two processes that do the same differ too; the middle of both is what the others are compared with. */
  const base = (turn: Record<Way, RoundResult>) => (turn.off.cpuUs! + turn['off again'].cpuUs!) / 2;
  const added = (way: Way) => rounds.map((turn) => turn[way].cpuUs! - base(turn)).sort((a, b) => a - b);
  const quarter = (values: number[], part: number) => figure(percentile(values, part));
  const rows = WAYS.map((way) => {
    const more = added(way);
    return [way, figure(of(way)), figure(median(more)), `${quarter(more, 0.25)} to ${quarter(more, 0.75)}`];
  });
  console.log(`\nreads, ${CALLERS} callers, ${flags.rounds} turns of ${flags.calls} calls`);
  console.log(table(['traces', 'CPU µs/call', 'added, median', 'the middle half'], rows));
  console.log(`the collector got ${figure(sink.bytes() / 1e6)} MB`);
} finally {
  load.stop();
  await stopAll();
  sink.close();
  rmSync(dir, { recursive: true, force: true });
}
