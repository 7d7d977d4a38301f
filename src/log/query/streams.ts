import type { Sqlite } from '../../db/index.ts';
import type { Plan } from './plan.ts';
import type { TextStreams } from './text-streams.ts';
import { prepareSource, streamFrom, type Direction, type Stream } from './stream.ts';

/** Together the streams hold every record that matches; the plan tests each one. */
export function createStreams(sqlite: Sqlite, text: TextStreams): (plan: Plan) => Stream[] {
  const all = prepareSource(sqlite, '');
  const byFacet = prepareSource(sqlite, 'facet_id = ? AND', 'activity INDEXED BY activity_by_facet');
  return (plan) => {
    if (plan.words?.size === 0) return [];
    if (plan.byText && !plan.few) return text.of(plan);
    if (plan.everything) return [streamFrom(all)];
    const listed = plan.facets.map((facet) => streamFrom(byFacet, [facet.id], facet.lastSeq));
    return plan.unlisted ? [...listed, ...text.of(plan)] : listed;
  };
}

/** The first `limit` numbers of all streams in order. Streams that cannot reach the cut-off are not read. */
export function mergeStreams(
  streams: Stream[],
  low: number,
  high: number,
  limit: number,
  direction: Direction,
): number[] {
  const newest = direction === 'newest';
  const ordered = newest && streams.length > 1 ? [...streams].sort((a, b) => b.last - a.last) : streams;
  let best: number[] = [];
  for (const stream of ordered) {
    const cut = best[limit - 1];
    if (newest && cut !== undefined && stream.last < cut) break;
    const [from, to] = newest ? [cut ?? low, high] : [low, cut ?? high];
    const found = stream.take(from, to, limit, direction);
    if (found.length > 0) best = merged(best, found, newest).slice(0, limit);
  }
  return best;
}

function merged(a: number[], b: number[], newest: boolean): number[] {
  const out: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const takeA = j >= b.length || (i < a.length && (newest ? a[i]! >= b[j]! : a[i]! <= b[j]!));
    const seq = takeA ? a[i++]! : b[j++]!;
    // The same record may come from two streams.
    if (out.at(-1) !== seq) out.push(seq);
  }
  return out;
}
