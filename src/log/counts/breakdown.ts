import {
  BREAKDOWN_FIELDS,
  type ActivityBreakdown,
  type BreakdownField,
  type CallFlow,
  type FacetValue,
  type FailureGroup,
  type ActivityStatus,
} from '../../contract/activity.ts';
import {
  type ActivityRow,
  type SealedFacet,
  operationsShown,
  principalOf,
  shownOperation,
  shownStatus,
  shownType,
} from '../record/row.ts';
import { secretKinds } from '../query/clauses.ts';
import {
  seriesBucketsFor,
  seriesWindow,
  toSeries,
  type SeriesCounter,
  type SeriesWindow,
} from './series-window.ts';

/** More records are not counted: a breakdown stays fast on a log of any length. */
export const BREAKDOWN_RECORDS = 10_000;
const MAX_VALUES = 50;
const MAX_GROUPS = 50;
const MAX_FLOWS = 500;
/** Different reasons that are told apart before the largest are chosen. */
const MAX_KEPT = 1000;

const FAILED: readonly ActivityStatus[] = ['refused', 'denied', 'error', 'unknown', 'expired'];

type Group = Omit<FailureGroup, 'points' | 'first' | 'last'> & { times: number[] };

interface Breakdown {
  /** Newest first. */
  add(row: ActivityRow, facet: SealedFacet): void;
  result(range: BreakdownRange): ActivityBreakdown;
}

export interface BreakdownRange {
  start_time?: string | undefined;
  end_time?: string | undefined;
  buckets: number;
  /** Also from which agent to which tool. */
  flows?: boolean;
  now: number;
  complete: boolean;
}

/** Counts records as they are visited. */
export function createBreakdown(): Breakdown {
  const sums = Object.fromEntries(
    BREAKDOWN_FIELDS.map((field) => [field, new Map<string, number>()]),
  ) as Record<BreakdownField, Map<string, number>>;
  const seen: Array<{ ts: number; facet: SealedFacet }> = [];
  const groups = new Map<string, Group>();
  const flows = new Map<string, CallFlow>();

  function count(field: BreakdownField, value: string | null): void {
    if (value !== null) sums[field].set(value, (sums[field].get(value) ?? 0) + 1);
  }

  function addFailure(row: ActivityRow, values: Values): void {
    const { status, code, server, tool, agent } = values;
    if (!FAILED.includes(status)) return;
    const key = JSON.stringify([status, code, server, tool, agent]);
    const known = groups.get(key);
    if (known) {
      known.count++;
      known.times.push(row.ts);
    } else if (groups.size < MAX_KEPT)
      groups.set(key, {
        status,
        ...(code !== null && { code }),
        ...(server !== null && { server }),
        ...(tool !== null && { tool }),
        ...(agent !== null && { agent }),
        count: 1,
        record: row.id,
        times: [row.ts],
      });
  }

  return {
    add(row, facet) {
      const values = valuesOf(row, facet);
      seen.push({ ts: row.ts, facet });
      for (const field of PLAIN) count(field, values[field]);
      for (const operation of operationsShown(facet)) count('op', operation);
      for (const kind of secretKinds(row.metadata, 'secrets_sent')) count('secret', kind);
      for (const kind of secretKinds(row.metadata, 'secrets_received')) count('received_secret', kind);
      addFailure(row, values);
      addFlow(flows, { row, facet, values });
    },
    result({ start_time, end_time, buckets, flows: hasFlows = false, now, complete }) {
      const window = windowOf(seen, { start_time, end_time, buckets, now, complete });
      const pointOf = (ts: number) => Math.floor((ts - window.start) / window.step);
      const points = (window.end - window.start) / window.step;
      return {
        counted: seen.length,
        complete,
        fields: Object.fromEntries(
          BREAKDOWN_FIELDS.map((field) => [field, mostFrequent(sums[field])]),
        ) as ActivityBreakdown['fields'],
        series: toSeries(window, sumPoints(seen, pointOf)),
        failures: [...groups.values()]
          .sort((a, b) => b.count - a.count)
          .slice(0, MAX_GROUPS)
          .map((group) => shownGroup(group, { pointOf, points })),
        ...(hasFlows && { flows: largestFlows(flows) }),
      };
    },
  };
}

/** The range that was asked for, in which every record that is counted has a point. The clock may have gone back. */
function windowOf(seen: ReadonlyArray<{ ts: number }>, range: BreakdownRange): SeriesWindow {
  const { start_time: asked, end_time: until, buckets, now, complete } = range;
  let [oldest, newest] = [Infinity, -Infinity];
  for (const { ts } of seen) [oldest, newest] = [Math.min(oldest, ts), Math.max(newest, ts)];
  const end = Math.max(until === undefined ? now : Date.parse(until), newest);
  const start = Math.min(complete && asked !== undefined ? Date.parse(asked) : end, oldest, end);
  const times = { start_time: new Date(start).toISOString(), end_time: new Date(end).toISOString() };
  const window = seriesWindow({ ...times, buckets }, now);
  // A window begins with the first whole step; here the step before is not left out.
  const within = (ms: number) => Math.floor(ms / window.step) * window.step;
  if (seen.length === 0) return window;
  return {
    ...window,
    start: Math.min(window.start, within(oldest)),
    end: Math.max(window.end, within(newest) + window.step),
  };
}

const PLAIN = ['agent', 'client', 'server', 'tool', 'status', 'code', 'type', 'session'] as const;

interface Values extends Record<Exclude<(typeof PLAIN)[number], 'status'>, string | null> {
  status: ActivityStatus;
}

function valuesOf(row: ActivityRow, facet: SealedFacet): Values {
  const { server_name: server, tool_name: tool } = facet.unlisted ? row : facet;
  return {
    agent: principalOf(row.metadata),
    client: row.client,
    server,
    tool: tool !== null && server !== null ? `${server}:${tool}` : tool,
    status: shownStatus(facet.status),
    code: row.error_code,
    type: shownType(facet),
    session: row.session_id,
  };
}

const STOPPED: readonly ActivityStatus[] = ['refused', 'denied', 'expired'];

interface Visited {
  row: ActivityRow;
  facet: SealedFacet;
  values: Values;
}

/** Counts a tool call from its agent to its tool. */
function addFlow(flows: Map<string, CallFlow>, { row, facet, values }: Visited): void {
  const { server_name: server, tool_name: tool } = facet.unlisted ? row : facet;
  if (values.type !== 'tool_call' || server === null || tool === null) return;
  const agent = values.agent ?? 'unknown';
  const op = shownOperation(facet);
  const key = JSON.stringify([agent, server, tool, op]);
  const flow = flows.get(key) ?? { agent, server, tool, ...(op !== null && { op }), calls: 0, stopped: 0 };
  flow.calls++;
  if (STOPPED.includes(values.status)) flow.stopped++;
  flows.set(key, flow);
}

const flowName = ({ agent, server, tool, op }: CallFlow) => [agent, server, tool, op ?? ''].join('\n');

const largestFlows = (flows: ReadonlyMap<string, CallFlow>): CallFlow[] =>
  [...flows.values()]
    .sort((a, b) => b.calls - a.calls || (flowName(a) < flowName(b) ? -1 : 1))
    .slice(0, MAX_FLOWS);

function mostFrequent(sums: ReadonlyMap<string, number>): FacetValue[] {
  return [...sums]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, MAX_VALUES)
    .map(([value, count]) => ({ value, count }));
}

type Sums = Record<SeriesCounter, number>;

function sumPoints(
  seen: ReadonlyArray<{ ts: number; facet: SealedFacet }>,
  pointOf: (ts: number) => number,
): Map<number, Sums> {
  const sums = new Map<number, Sums>();
  for (const { ts, facet } of seen) {
    const point = pointOf(ts);
    const sum = sums.get(point) ?? noSums();
    for (const name of seriesBucketsFor(facet)) sum[name]++;
    sums.set(point, sum);
  }
  return sums;
}

const noSums = (): Sums => ({
  read: 0,
  write: 0,
  destructive: 0,
  other: 0,
  refused: 0,
  errors: 0,
  decisions: 0,
});

function shownGroup(
  { times, ...group }: Group,
  { pointOf, points }: { pointOf: (ts: number) => number; points: number },
): FailureGroup {
  const counts = Array.from({ length: points }, () => 0);
  for (const ts of times) {
    const point = pointOf(ts);
    if (point >= 0 && point < points) counts[point]!++;
  }
  const ends = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  const [first, last] = ends.map((ts) => new Date(ts).toISOString()) as [string, string];
  return { ...group, first, last, points: counts };
}
