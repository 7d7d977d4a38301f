import { sibling, type Report } from './report.ts';
import type { CallCell, Way } from './calls.ts';
import { figure, table } from './table.ts';

interface Goal {
  goal: string;
  measured: string;
  met: boolean;
}

/** The performance goals, each judged by the worst measured value. */
export function judge(report: Report): Goal[] {
  const { calls, check, memory, search, activity, start } = report;
  const goals: Array<Goal | undefined> = [
    ...(calls ? [cpuGoal(calls, 'relay', 4), cpuGoal(calls, 'mcp-proxy', 0.5)] : []),
    check &&
      limit('a check takes less than 20 µs', Math.max(...check.map(({ us }) => us)), {
        below: 20,
        unit: 'µs',
      }),
    memory &&
      limit(
        'RSS below 200 MB after 10,000 calls',
        memory.find(({ way, calls }) => way === 'proxy' && calls >= 10_000)?.afterMb,
        { below: 200, unit: 'MB' },
      ),
    search &&
      limit(
        'search p99 below 5 ms at 10,000 tools',
        worst(search.filter(({ tools }) => tools === 10_000).map(({ p99Ms }) => p99Ms)),
        { below: 5, unit: 'ms' },
      ),
    activity &&
      limit(
        'any filtered first page below 20 ms at 1,000,000 records',
        worst(activity.filter(({ records }) => records >= 1_000_000).map(({ p99Ms }) => p99Ms)),
        { below: 20, unit: 'ms' },
      ),
    start &&
      limit(
        'ready in less than 1 s with one upstream',
        start.find(({ what }) => what === 'serve to ready')?.medianMs,
        { below: 1000, unit: 'ms' },
      ),
  ];
  return goals.filter((goal) => goal !== undefined);
}

function worst(values: number[]): number | undefined {
  return values.length > 0 ? Math.max(...values) : undefined;
}

function limit(
  goal: string,
  value: number | undefined,
  { below, unit }: { below: number; unit: string },
): Goal | undefined {
  return value === undefined ? undefined : { goal, measured: `${figure(value)} ${unit}`, met: value < below };
}

function cpuGoal(cells: CallCell[], base: Way, most: number): Goal | undefined {
  const ratios = cells
    .filter(({ way }) => way.startsWith('proxy'))
    .flatMap((cell) => {
      const other = sibling(cells, cell, base);
      return other?.cpuUs === undefined ? [] : [{ cell, times: cell.cpuUs! / other.cpuUs }];
    })
    .sort((a, b) => b.times - a.times);
  const [top] = ratios;
  if (!top) return undefined;
  const { upstream, era, callers, way } = top.cell;
  const within = ratios.filter(({ times }) => times <= most).length;
  return {
    goal: `CPU per call with the durable log at most ${most}× ${base === 'relay' ? 'the bare relay' : base}`,
    measured: `${within} of ${ratios.length}; worst ${top.times.toFixed(2)}× (${way}, ${upstream}, ${era}, ${callers} caller${callers > 1 ? 's' : ''})`,
    met: within === ratios.length,
  };
}

export function goalText(goals: Goal[]): string {
  return table(
    ['', 'target', 'measured (worst)'],
    goals.map(({ goal, measured, met }) => [met ? 'PASS' : 'MISS', goal, measured]),
    3,
  );
}
