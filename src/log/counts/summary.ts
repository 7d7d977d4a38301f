import type { ActivitySummary, SummaryPeriod, SummaryQuery } from '../../contract/activity.ts';
import {
  type SealedFacet,
  isApprovalDecision,
  shownOperation,
  shownStatus,
  shownType,
} from '../record/row.ts';

/** A period up to now, or a time range in ISO 8601. */
export type Summarised = SummaryPeriod | Omit<SummaryQuery, 'period' | keyof SummaryOptions>;

export type SummaryOptions = Pick<SummaryQuery, 'names' | 'type'>;

export function summaryRange(wanted: Summarised, now: number): SummaryRange {
  if (typeof wanted === 'string') return { period: wanted, start: startOf(wanted, now), end: now };
  const { start_time: start, end_time: end } = wanted;
  return {
    period: null,
    start: start === undefined ? null : Date.parse(start),
    end: end === undefined ? now : Date.parse(end),
  };
}

/** The values of a facet that a summary distinguishes. */
export type SummedFacet = Pick<
  SealedFacet,
  'type' | 'source' | 'status' | 'operation_type' | 'server_name' | 'tool_name' | 'unlisted'
>;

const PERIOD_MS = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
  all: null,
} as const satisfies Record<SummaryPeriod, number | null>;
/** Names listed in a summary; the rest is summed up under one name. */
const SHOWN_NAMES = 100;
const OTHER = '(other)';

function startOf(period: SummaryPeriod, now: number): number | null {
  const length = PERIOD_MS[period];
  return length === null ? null : now - length;
}

/** Milliseconds; without a start from the beginning of the log. */
export interface SummaryRange {
  period: SummaryPeriod | null;
  start: number | null;
  end: number;
}

/** Adds up the counts per facet; reads no records. */
export function summarise(
  { period, start, end }: SummaryRange,
  counts: ReadonlyMap<SummedFacet, number>,
  { names = SHOWN_NAMES, type }: SummaryOptions = {},
): ActivitySummary {
  const sums = { operation: newSums(), status: newSums(), server: newSums(), tool: newSums() };
  let [total, decisions] = [0, 0];
  for (const [facet, n] of counts) {
    if (n <= 0 || (type !== undefined && shownType(facet) !== type)) continue;
    total += n;
    const { isDecision, operation, status, server, tool } = namesOf(facet);
    if (isDecision) decisions += n;
    add(sums.operation, operation, n);
    add(sums.status, status, n);
    add(sums.server, server, n);
    add(sums.tool, tool, n);
  }
  return {
    period,
    start_time: start === null ? null : new Date(start).toISOString(),
    end_time: new Date(end).toISOString(),
    total,
    by_operation: mostFrequent(sums.operation, names),
    by_status: mostFrequent(sums.status, names),
    by_server: mostFrequent(sums.server, names),
    by_tool: mostFrequent(sums.tool, names),
    decisions,
  };
}

type Sums = Map<string, number>;
const newSums = (): Sums => new Map();

function add(sums: Sums, name: string | null, n: number): void {
  if (name !== null) sums.set(name, (sums.get(name) ?? 0) + n);
}

interface Names {
  /** A person's decision is counted only as a decision. */
  isDecision: boolean;
  operation: string | null;
  status: string | null;
  server: string | null;
  tool: string | null;
}

/** Values of a facet never change, and thousands of them are looked at for every summary. */
const known = new WeakMap<SummedFacet, Names>();

function namesOf(facet: SummedFacet): Names {
  const made = known.get(facet);
  if (made) return made;
  const isAboutApproval = isApprovalDecision(facet) || facet.type === 'approval';
  // A repeat or a refused attempt has decided nothing.
  const isDecision = isApprovalDecision(facet) && facet.status === 'success';
  // A record about an approval is not a use of the tool.
  const isUse = !isAboutApproval;
  const names = {
    isDecision,
    operation: shownOperation(facet),
    status: isDecision ? null : shownStatus(facet.status),
    server: !isUse ? null : facet.unlisted ? OTHER : facet.server_name,
    tool: !isUse ? null : facet.unlisted ? OTHER : toolName(facet),
  };
  known.set(facet, names);
  return names;
}

function toolName({ server_name: server, tool_name: tool }: SummedFacet): string | null {
  if (tool === null) return null;
  return server === null ? tool : `${server}:${tool}`;
}

function mostFrequent(sums: Sums, names: number): Record<string, number> {
  const sorted = [...sums].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const shown = sorted.slice(0, names);
  const rest = sorted.slice(names).reduce((sum, [, n]) => sum + n, 0);
  if (rest === 0) return Object.fromEntries(shown);
  const other = shown.find(([name]) => name === OTHER)?.[1] ?? 0;
  return { ...Object.fromEntries(shown), [OTHER]: rest + other };
}
