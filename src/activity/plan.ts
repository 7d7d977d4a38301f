import type { ActivityFilter } from '../contract/activity.ts';
import { facetMatches, namesMatch, type Facet, type Facets } from './facets.ts';
import type { ActivityRow } from './row.ts';
import { firstSeqAt } from './sequence.ts';
import { searchText } from './text-marks.ts';
import { wordsOf } from './words.ts';

/** A filter, made ready: which facets can match, which stretch of the sequence, and the exact test for one record. */
export interface Plan {
  filter: ActivityFilter;
  /** Those whose records match, as far as the filter asks for facets. */
  facets: Facet[];
  /** Nothing is filtered but time. */
  everything: boolean;
  /** Words, a session, a request or a conversation: the text index answers. */
  byText: boolean;
  /** So few records are in the facets that looking at each beats asking the text index. */
  few: boolean;
  /** Names are asked for, and there are records that keep theirs themselves: for those the text index answers. */
  unlisted: boolean;
  /** Inclusive. */
  low: number;
  high: number;
  /** Milliseconds, inclusive. */
  from: number;
  to: number;
  /** The clock has gone back at some time, so the stretch may hold records outside of the time range. */
  timeNeedsTest: boolean;
  words: Set<string> | null;
  matches(row: ActivityRow): boolean;
  /** The same for the part that the text index answers for. */
  matchesText(row: ActivityRow): boolean;
}

const FEW = 500;
const END = Number.MAX_SAFE_INTEGER;

export function makePlan(filter: ActivityFilter, facets: Facets, maxSkew: number): Plan {
  const from = filter.start_time === undefined ? -Infinity : Date.parse(filter.start_time);
  const to = filter.end_time === undefined ? Infinity : Date.parse(filter.end_time);
  const words = filter.q === undefined ? null : wordsOf(filter.q);
  const byText =
    words !== null ||
    filter.session_id !== undefined ||
    filter.request_id !== undefined ||
    filter.conversation_id !== undefined;
  const matches = (row: ActivityRow) => rowMatches(row, filter, { facets, from, to, words });
  const picked = pickFacets(filter, facets);
  return {
    filter,
    ...picked,
    byText,
    few: byText && !picked.unlisted && picked.facets.reduce((sum, facet) => sum + facet.n, 0) <= FEW,
    // A record's number is never before its time, and at most the skew behind it.
    low: from === -Infinity ? 0 : Math.max(0, firstSeqAt(from)),
    high: to === Infinity ? END : Math.min(END, firstSeqAt(to + maxSkew + 1) - 1),
    from,
    to,
    timeNeedsTest: maxSkew > 0 && (from !== -Infinity || to !== Infinity),
    words,
    matches,
    matchesText: (row) => (byText || facets.get(row.facet_id)?.unlisted === true) && matches(row),
  };
}

function pickFacets(
  filter: ActivityFilter,
  facets: Facets,
): { facets: Facet[]; everything: boolean; unlisted: boolean } {
  const held = [...facets.all()].filter((facet) => facet.n > 0);
  const named = filter.server !== undefined || filter.tool !== undefined;
  const matching = held.filter((facet) => facetMatches(facet, filter));
  const listed = named ? matching.filter((facet) => !facet.unlisted) : matching;
  return {
    facets: listed,
    everything: listed.length === held.length,
    unlisted: listed.length < matching.length,
  };
}

interface Exact {
  facets: Facets;
  from: number;
  to: number;
  words: Set<string> | null;
}

/** The filter as it is meant, for one record. Everything else only gets to the right records faster. */
function rowMatches(row: ActivityRow, filter: ActivityFilter, { facets, from, to, words }: Exact): boolean {
  const facet = facets.get(row.facet_id);
  if (!facet || !facetMatches(facet, filter)) return false;
  if (facet.unlisted && !namesMatch(row, filter)) return false;
  if (row.ts < from || row.ts > to) return false;
  if (filter.session_id !== undefined && row.session_id !== filter.session_id) return false;
  if (filter.request_id !== undefined && row.request_id !== filter.request_id) return false;
  if (filter.conversation_id !== undefined && row.conversation_id !== filter.conversation_id) return false;
  return words === null || holdsWords(row, facet, words);
}

function holdsWords(row: ActivityRow, facet: Facet, words: Set<string>): boolean {
  const held = wordsOf(searchText(row, facet));
  for (const word of words) if (!held.has(word)) return false;
  return words.size > 0;
}
