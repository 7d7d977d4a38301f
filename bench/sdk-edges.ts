import type { LoadGenerator } from './load-driver.ts';
import { ECHO_TEXT, type RoundResult } from './load-plan.ts';
import { startEdge, type Middle } from './middles.ts';
import { median } from './statistics.ts';
import type { Era } from './wire.ts';

export interface EdgeResult {
  edge: string;
  era: Era;
  callsPerSecond: number;
  cpuUs: number;
  bareUs: number;
}

/** The MCP endpoint alone, answering an echo itself: what each way of speaking the protocol costs. */
const EDGES: Array<{ kind: string; edge: string; era: Era }> = [
  { kind: 'bare', edge: 'bare node:http, no protocol', era: '2025-11-25' },

  { kind: 'own', edge: 'ours', era: '2025-11-25' },
  { kind: 'sdk-session', edge: 'SDK 1.x StreamableHTTPServerTransport, JSON', era: '2025-11-25' },
  { kind: 'bare', edge: 'bare node:http, no protocol', era: '2026-07-28' },

  { kind: 'own', edge: 'ours', era: '2026-07-28' },
  { kind: 'sdk-handler', edge: 'SDK 2.x createMcpHandler', era: '2026-07-28' },
];

export async function measureEdges(
  load: LoadGenerator,
  dir: string,
  effort: { rounds: number; warmMs: number; measureMs: number },
): Promise<EdgeResult[]> {
  const servers = new Map<string, Middle>();
  for (const { kind } of EDGES) if (!servers.has(kind)) servers.set(kind, await startEdge(kind, dir));
  try {
    const results = EDGES.map(() => [] as RoundResult[]);
    for (let round = 0; round < effort.rounds; round++) {
      for (const [index, { kind, edge, era }] of EDGES.entries()) {
        const { url, pid } = servers.get(kind)!;
        const target = { name: edge, url, pid, era, tool: 'echo', args: { text: ECHO_TEXT } };
        const warmMs = round === 0 ? effort.warmMs * 3 : effort.warmMs;
        results[index]!.push(await load.run({ target, callers: 16, warmMs, measureMs: effort.measureMs }));
      }
    }
    return summarised(results);
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()));
  }
}

function summarised(results: RoundResult[][]): EdgeResult[] {
  const cpu = results.map((rounds) => median(rounds.map(({ cpuUs }) => cpuUs!)));
  return EDGES.map(({ edge, era }, index) => ({
    edge,
    era,
    callsPerSecond: median(results[index]!.map(({ callsPerSecond }) => callsPerSecond)),
    cpuUs: cpu[index]!,
    bareUs: cpu[EDGES.findIndex((other) => other.kind === 'bare' && other.era === era)]!,
  }));
}
