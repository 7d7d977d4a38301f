import type { LoadGenerator } from './load-driver.ts';
import { ECHO_TEXT, type RoundResult, type Target } from './load-plan.ts';
import {
  ECHO_COMMAND,
  startEcho,
  startPeer,
  startProxy,
  startRelay,
  STDIO_UPSTREAM,
  type Middle,
} from './middles.ts';
import { median } from './statistics.ts';
import type { Era } from './wire.ts';

export const ERAS: Era[] = ['2025-11-25', '2026-07-28'];
export type Upstream = 'stdio' | 'http';
export type Way = 'direct' | 'relay' | 'proxy read' | 'proxy write' | 'mcp-proxy';

export interface CallCell {
  upstream: Upstream;
  era: Era;
  callers: number;
  way: Way;
  callsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuUs?: number;
}

export interface Effort {
  rounds: number;
  warmMs: number;
  measureMs: number;
  callers: number[];
  /** Calls to each target beforehand: a daemon that has run for a while is compiled, one with a single slow caller is not. */
  prime: number;
}

/** Everything between the load generator and an echo server, started once for all rounds. */
export interface Fleet {
  echo: Middle;
  relay: Record<Upstream, Middle>;
  proxy: Middle;
  peer: Middle;
}

export async function startFleet(dir: string, nodeFlags: string[] = []): Promise<Fleet> {
  const echo = await startEcho(dir);
  return {
    echo,
    relay: { stdio: await startRelay(ECHO_COMMAND, dir), http: await startRelay([echo.url], dir) },
    proxy: await startProxy({ stdio: STDIO_UPSTREAM, http: { url: echo.url } }, dir, { nodeFlags }),
    peer: await startPeer(dir),
  };
}

const echoCall = { tool: 'echo', args: { text: ECHO_TEXT } };

/** What an agent sends: the advertised flat form, with the tool's arguments as JSON text. */
export function checkedCall(upstream: string, operation: 'read' | 'write'): Pick<Target, 'tool' | 'args'> {
  return {
    tool: `call_tool_${operation}`,
    args: {
      name: `${upstream}:${operation === 'read' ? 'echo' : 'write_echo'}`,
      args_json: JSON.stringify({ text: ECHO_TEXT }),
      intent_operation_type: operation,
      intent_data_sensitivity: 'internal',
      intent_reason: 'measuring how long a call takes',
    },
  };
}

function targets({ echo, relay, proxy, peer }: Fleet, upstream: Upstream, era: Era): Map<Way, Target> {
  const at = ({ name, url, pid, headers }: Middle) => ({ name, url, pid, era, ...(headers && { headers }) });
  const direct = upstream === 'stdio' ? { name: 'echo over stdio', command: ECHO_COMMAND, era } : at(echo);
  const all = new Map<Way, Target>([
    ['direct', { ...direct, ...echoCall }],
    ['relay', { ...at(relay[upstream]), ...echoCall }],
    ['proxy read', { ...at(proxy), ...checkedCall(upstream, 'read') }],
    ['proxy write', { ...at(proxy), ...checkedCall(upstream, 'write') }],
  ]);
  if (upstream === 'stdio') all.set('mcp-proxy', { ...at(peer), ...echoCall });
  return all;
}

/** The targets alternate (direct, relay, proxy, peer, direct, …), so that noise affects all of them equally. */
async function measureGroup(
  { load, effort }: Pick<CallBench, 'load' | 'effort'>,
  ways: Map<Way, Target>,
  callers: number,
): Promise<Map<Way, RoundResult[]>> {
  const results = new Map([...ways.keys()].map((way) => [way, [] as RoundResult[]]));
  for (let round = 0; round < effort.rounds; round++) {
    for (const [way, target] of ways) {
      const { warmMs, measureMs } = effort;
      results.get(way)!.push(await load.run({ target, callers, warmMs, measureMs }));
    }
  }
  return results;
}

export interface CallBench {
  load: LoadGenerator;
  fleet: Fleet;
  effort: Effort;
  say: (text: string) => void;
}

export async function measureCalls({ load, fleet, effort, say }: CallBench): Promise<CallCell[]> {
  const cells: CallCell[] = [];
  for (const upstream of ['stdio', 'http'] as const) {
    for (const era of ERAS) {
      const ways = targets(fleet, upstream, era);
      for (const target of ways.values())
        await load.run({ target, callers: 32, warmMs: 0, calls: effort.prime });
      for (const callers of effort.callers) {
        say(`calls: ${upstream} upstream, ${era} client, ${callers} caller${callers > 1 ? 's' : ''}`);
        const results = await measureGroup({ load, effort }, ways, callers);
        for (const [way, rounds] of results)
          cells.push({ upstream, era, callers, way, ...medians(rounds, way) });
      }
    }
  }
  return cells;
}

function medians(
  rounds: RoundResult[],
  way: Way,
): Pick<CallCell, 'callsPerSecond' | 'p50Ms' | 'p99Ms' | 'cpuUs'> {
  const of = (pick: (round: RoundResult) => number) => median(rounds.map(pick));
  return {
    callsPerSecond: of((round) => round.callsPerSecond),
    p50Ms: of((round) => round.p50Ms),
    p99Ms: of((round) => round.p99Ms),
    // A direct call has no process in the middle whose CPU time could be measured.
    ...(way !== 'direct' && { cpuUs: of((round) => round.cpuUs!) }),
  };
}
