import { isClient, type ActivityFilter } from '../../contract/activity.ts';
import { facetTest, namesTest, type Facet, type Facets, type NamesTest } from '../counts/facets.ts';
import type { ActivityRow } from '../record/activity-row.ts';
import { firstSeqAt } from '../record/sequence.ts';
import { searchText } from './text-marks.ts';
import { principalOf } from '../record/who.ts';
import { wordsOf } from './words.ts';

/** A filter, made ready: which facets can match, which stretch of the sequence, and the exact test for one record. */
export interface Plan {
  filter: ActivityFilter;
  /** Those whose records match, as far as the filter asks for facets. */
  facets: readonly Facet[];
  /** How many records they hold. */
  held: number;
  /** All records are in these facets, so nothing is filtered but time and words. */
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
  matches: (row: ActivityRow) => boolean;
  /** The same for the part that the text index answers for. */
  matchesText: (row: ActivityRow) => boolean;
}

/** One credential or client may have made nearly all records, so matches are counted up to a bound. */
export const isByWho = ({ principal, client }: ActivityFilter) =>
  principal !== undefined || client !== undefined;

const FEW = 500;
const END = Number.MAX_SAFE_INTEGER;

export interface PlanParts {
  facets: Facets;
  /** How far the sequence has been ahead of the clock. */
  maxSkew: number;
  /** How many records there are. */
  records: number;
}

export function makePlan(filter: ActivityFilter, { facets, maxSkew, records }: PlanParts): Plan {
  const from = filter.start_time === undefined ? -Infinity : Date.parse(filter.start_time);
  const to = filter.end_time === undefined ? Infinity : Date.parse(filter.end_time);
  const words = filter.q === undefined ? null : wordsOf(filter.q);
  const byText =
    words !== null ||
    filter.session_id !== undefined ||
    filter.request_id !== undefined ||
    filter.conversation_id !== undefined ||
    isByWho(filter);
  const matches = rowTest(filter, { facets, from, to, words });
  const picked = asksForFacets(filter) ? pickFacets(filter, facets, records) : wholeLog(facets, records);
  return {
    filter,
    // Only where it is asked for: for a filter that picks none, that is all of them.
    get facets() {
      return picked.facets;
    },
    held: picked.held,
    everything: picked.everything,
    unlisted: picked.unlisted,
    byText,
    few: byText && !picked.unlisted && picked.held <= FEW,
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

type Picked = Pick<Plan, 'facets' | 'held' | 'everything' | 'unlisted'>;

const asksForFacets = ({ type, status, intent_type, server, tool }: ActivityFilter) =>
  [type, status, intent_type, server, tool].some((value) => value !== undefined);

function wholeLog(facets: Facets, records: number): Picked {
  let all: Facet[] | undefined;
  return {
    get facets() {
      return (all ??= [...facets.all()].filter(({ n }) => n > 0));
    },
    held: records,
    everything: true,
    unlisted: false,
  };
}

function pickFacets(filter: ActivityFilter, facets: Facets, records: number): Picked {
  const named = filter.server !== undefined || filter.tool !== undefined;
  const matches = facetTest(filter);
  const picked: Facet[] = [];
  let [held, unlisted] = [0, false];
  for (const facet of facets.like(filter)) {
    if (facet.n <= 0 || !matches(facet)) continue;
    if (named && facet.unlisted) unlisted = true;
    else {
      picked.push(facet);
      held += facet.n;
    }
  }
  return { facets: picked, held, everything: held === records && !unlisted, unlisted };
}

interface Exact {
  facets: Facets;
  from: number;
  to: number;
  words: Set<string> | null;
}

/** The filter as it is meant, for one record. Everything else only gets to the right records faster. */
function rowTest(filter: ActivityFilter, exact: Exact): (row: ActivityRow) => boolean {
  const [isFacet, isNamed] = [facetTest(filter), namesTest(filter)];
  return (row) => rowMatches(row, filter, { ...exact, isFacet, isNamed });
}

function rowMatches(
  row: ActivityRow,
  filter: ActivityFilter,
  {
    facets,
    from,
    to,
    words,
    isFacet,
    isNamed,
  }: Exact & { isFacet: (facet: Facet) => boolean; isNamed: NamesTest },
): boolean {
  const facet = facets.get(row.facet_id);
  if (!facet || !isFacet(facet)) return false;
  if (facet.unlisted && !isNamed(row)) return false;
  if (row.ts < from || row.ts > to) return false;
  if (filter.session_id !== undefined && row.session_id !== filter.session_id) return false;
  if (filter.request_id !== undefined && row.request_id !== filter.request_id) return false;
  if (filter.conversation_id !== undefined && row.conversation_id !== filter.conversation_id) return false;
  if (filter.principal !== undefined && principalOf(row.metadata) !== filter.principal) return false;
  if (filter.client !== undefined && !isClient(row.client, filter.client)) return false;
  return words === null || holdsWords(row, facet, words);
}

function holdsWords(row: ActivityRow, facet: Facet, words: Set<string>): boolean {
  const held = wordsOf(searchText(row, facet));
  for (const word of words) if (!held.has(word)) return false;
  return words.size > 0;
}
