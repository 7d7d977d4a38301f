import { fileURLToPath } from 'node:url';
import { createRoad, type GivenParts } from '../src/road/road.ts';
import type { CallTool } from '../src/road/request.ts';
import type { CatalogTool } from '../src/catalog/catalog-tool.ts';
import { Config } from '../src/contract/config.ts';
import type { OperationType } from '../src/contract/operation.ts';
import { systemClock, newId } from '../src/lib/clock.ts';
import { createEventBus } from '../src/lib/event-bus.ts';
import { createLog } from '../src/lib/log.ts';
import { createDispatch } from '../src/upstream/dispatch/dispatch.ts';
import { createUpstreams } from '../src/upstream/upstreams.ts';
import { openBenchLog } from './activity-store.ts';
import { checkedCall } from './calls.ts';
import { median, percentile } from './statistics.ts';

// What the log adds to a call: the same road to the same stdio server, in turns with the log and without one. Prints JSON.
// usage: activity-added.js ROUNDS ROUND_MS

export interface AddedResult {
  operation: OperationType;
  callers: number;
  off: { p50Ms: number; p99Ms: number; cpuUs: number };
  on: { p50Ms: number; p99Ms: number; cpuUs: number };
}

const [rounds, roundMs] = process.argv.slice(2).map(Number) as [number, number];
/** Beside this file, as both are compiled. */
const ECHO = fileURLToPath(new URL('./echo-stdio.js', import.meta.url));
const OPERATIONS = ['read', 'write'] as const;
type Operation = (typeof OPERATIONS)[number];

/** The program has no such setting: a road without a log is for this comparison alone. */
const NO_LOG: GivenParts['activity'] = {
  open: () => ({ id: '', durable: async () => {}, close: async () => {} }),
  state: () => ({ log: 'ok' }),
};

function echoTool(operation: Operation): CatalogTool {
  const tool = operation === 'read' ? 'echo' : 'write_echo';
  return {
    name: `stdio:${tool}`,
    server: 'stdio',
    tool,
    builtin: false,
    enabled: true,
    standing: 'accepted',
    withheld: false,
    rejected: false,
    offered: true,
    suspicious: false,
    definition: { name: tool, inputSchema: { type: 'object', properties: { text: { type: 'string' } } } },
    operation: { verdict: operation, source: 'annotation', inferred: operation },
    constraint: { operation, source: 'annotation' },
    callWith: `call_tool_${operation}`,
  };
}

interface Round {
  p50Ms: number;
  p99Ms: number;
  cpuUs: number;
}

async function round(callTool: CallTool, operation: Operation, callers: number): Promise<Round> {
  const { args: input } = checkedCall('stdio', operation);
  const times: number[] = [];
  const [end, cpu] = [performance.now() + roundMs, process.cpuUsage()];
  const loop = async (each: number) => {
    const caller = {
      source: 'mcp',
      principal: 'operator',
      userId: 'operator',
      sessionId: `session-${each}`,
    } as const;
    while (performance.now() < end) {
      const start = performance.now();
      const signal = { aborted: false, addEventListener() {}, removeEventListener() {} };
      await callTool({
        operation,
        input,
        caller: { ...caller, requestId: newId() },
        signal,
      });
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, each) => loop(each)));
  // What calls leave behind, such as indexing their records, counts too.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  return {
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    cpuUs: (user + system) / times.length,
  };
}

const medians = (all: Round[]): Round => ({
  p50Ms: median(all.map(({ p50Ms }) => p50Ms)),
  p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
  cpuUs: median(all.map(({ cpuUs }) => cpuUs)),
});

const log = createLog('silent');
const bench = await openBenchLog();
const upstreams = createUpstreams({
  builtin: {},
  callTimeoutMs: () => 60_000,
  resolve: (text) => text,
  clock: systemClock,
  events: createEventBus(),
  log,
});
try {
  const config = Config.parse({ mcpServers: { stdio: { command: process.execPath, args: [ECHO] } } });
  await upstreams.apply(config.mcpServers);
  await upstreams.settled();
  const tools = new Map(OPERATIONS.map(echoTool).map((tool) => [tool.name, tool]));
  const parts = {
    config: () => config,
    catalog: { get: (name: string) => tools.get(name), nearest: () => [] },
    dispatch: createDispatch(upstreams),
    log,
  };
  const roads = {
    off: createRoad({ ...parts, activity: NO_LOG }),
    on: createRoad({ ...parts, activity: bench.activity }),
  };
  for (const operation of OPERATIONS)
    for (const road of [roads.off, roads.on]) await round(road, operation, 32);
  const results: AddedResult[] = [];
  for (const callers of [1, 32]) {
    for (const operation of OPERATIONS) {
      const [off, on]: [Round[], Round[]] = [[], []];
      for (let i = 0; i < rounds; i++) {
        off.push(await round(roads.off, operation, callers));
        on.push(await round(roads.on, operation, callers));
      }
      results.push({ operation, callers, off: medians(off), on: medians(on) });
    }
  }
  console.log(JSON.stringify(results));
} finally {
  await upstreams.close();
  await bench.remove();
}
