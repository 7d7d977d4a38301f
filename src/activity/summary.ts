import type { ActivitySummary, SummaryPeriod } from '../contract/activity.ts';
import type { SealedFacet } from './seal.ts';
import { shownStatus } from './stored-status.ts';

const PERIOD_MS = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
  all: null,
} as const satisfies Record<SummaryPeriod, number | null>;
/** More tools than a person reads; the rest is added up under one name. */
const MAX_NAMES = 100;
const OTHER = '(other)';

export function startOf(period: SummaryPeriod, now: number): number | null {
  const length = PERIOD_MS[period];
  return length === null ? null : now - length;
}

/** Adds up what is kept per facet; no record is read. */
export function summarise(
  period: SummaryPeriod,
  now: number,
  counts: ReadonlyMap<SealedFacet, number>,
): ActivitySummary {
  const start = startOf(period, now);
  const by = (name: (facet: SealedFacet) => string | null) => addUp(counts, name);
  return {
    period,
    start_time: start === null ? null : new Date(start).toISOString(),
    end_time: new Date(now).toISOString(),
    total: [...counts.values()].reduce((sum, n) => sum + n, 0),
    by_operation: by((facet) => facet.operation_type),
    by_status: by((facet) => shownStatus(facet.status)),
    by_server: by((facet) => (facet.unlisted ? OTHER : facet.server_name)),
    by_tool: by((facet) => (facet.unlisted ? OTHER : toolName(facet))),
  };
}

function toolName({ server_name: server, tool_name: tool }: SealedFacet): string | null {
  if (tool === null) return null;
  return server === null ? tool : `${server}:${tool}`;
}

/** The most frequent first. */
function addUp(
  counts: ReadonlyMap<SealedFacet, number>,
  name: (facet: SealedFacet) => string | null,
): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [facet, n] of counts) {
    const key = name(facet);
    if (key !== null && n > 0) sums.set(key, (sums.get(key) ?? 0) + n);
  }
  const sorted = [...sums].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const rest = sorted.slice(MAX_NAMES).reduce((sum, [, n]) => sum + n, 0);
  const shown: Array<[string, number]> = sorted.slice(0, MAX_NAMES);
  if (rest > 0) shown.push([OTHER, rest + (sums.get(OTHER) ?? 0)]);
  return Object.fromEntries(shown);
}
