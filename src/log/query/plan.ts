import { isClient, type ActivityMetadata, type RecordFilter } from '../../contract/activity.ts';
import { isFacetClause, needsRows, rowClauseTests } from './clauses.ts';
import { facetTest, namesTest, type Facet, type Facets } from '../counts/facets.ts';
import { type ActivityRow, type SealedFacet, principalOf, whoOf } from '../record/row.ts';
import { firstSeqAt } from '../record/sequence.ts';
import { searchText } from './text-marks.ts';
import { wordsOf } from './words.ts';

/** A prepared filter: the facets that can match, the sequence range, and the exact test for one record. */
export interface Plan {
  filter: RecordFilter;
  /** Facets that match the filter. */
  facets: readonly Facet[];
  /** Number of records in these facets. */
  held: number;
  /** All records are in these facets: only time and words are filtered. */
  matchesAll: boolean;
  /** The index of this column is used. */
  column: DecisionColumn | null;
  /** The text index is used: for words, ids, or a caller. */
  byText: boolean;
  /** The facets have so few records that reading each is faster than the text index. */
  isSelective: boolean;
  /** The filter has names, and some records store their names themselves: the text index finds those. */
  unlisted: boolean;
  /** Inclusive. */
  low: number;
  high: number;
  /** Milliseconds, inclusive. */
  from: number;
  to: number;
  /** The clock went back at some time, so the sequence range may hold records outside of the time range. */
  needsTimeTest: boolean;
  /** Some condition is tested record by record, so matches are counted one by one, up to a bound. */
  needsRows: boolean;
  words: Set<string> | null;
  matches: (row: ActivityRow) => boolean;
  /** The same for records found by the text index. */
  matchesText: (row: ActivityRow) => boolean;
}

/** Few records have these: an index costs the others nothing. */
export type DecisionColumn = 'approval_id' | 'decided_by';
/** Columns about who did what. */
export type WhoColumn = DecisionColumn | 'principal' | 'client';

/** One caller or client may have made nearly all records, so matches are counted up to a bound. */
export const filtersByCaller = ({ principal, client }: RecordFilter) =>
  principal !== undefined || client !== undefined;

export const WHO = ['approval_id', 'decided_by', 'principal', 'client'] as const satisfies WhoColumn[];

/** The column about a decision whose index answers the filter. */
function decisionColumnOf(filter: RecordFilter): DecisionColumn | null {
  if (filter.approval_id !== undefined) return 'approval_id';
  return filter.decided_by !== undefined ? 'decided_by' : null;
}

/**
 * The column whose index answers the filter on PostgreSQL, where each has one. A caller may have made most records: with further filters the
 * text index is faster.
 */
export function columnOf(filter: RecordFilter): WhoColumn | null {
  const decision = decisionColumnOf(filter);
  if (decision !== null) return decision;
  if (asksForText(filter) || asksForFacets(filter)) return null;
  if (filter.principal !== undefined) return 'principal';
  return filter.client !== undefined ? 'client' : null;
}

const FEW = 500;
const END = Number.MAX_SAFE_INTEGER;

export interface PlanParts {
  facets: Facets;
  /** The largest clock skew. */
  maxSkew: number;
  /** Number of all records. */
  records: number;
}

/** Milliseconds, inclusive. */
export interface Span {
  from: number;
  to: number;
}

export function spanOf(filter: RecordFilter): Span {
  return {
    from: filter.start_time === undefined ? -Infinity : Date.parse(filter.start_time),
    to: filter.end_time === undefined ? Infinity : Date.parse(filter.end_time),
  };
}

export const isAllTime = ({ from, to }: Span) => from === -Infinity && to === Infinity;

/** A sequence number is never before the record's time, and at most the skew after it. */
export function seqRange({ from, to }: Span, maxSkew: number): { low: number; high: number } {
  return {
    low: from === -Infinity ? 0 : Math.max(0, firstSeqAt(from)),
    high: to === Infinity ? END : Math.min(END, firstSeqAt(to + maxSkew + 1) - 1),
  };
}

export const ID_FIELDS = ['session_id', 'request_id', 'conversation_id'] as const;

/** Asks for words or for one of the ids, which only the text index answers. */
export const asksForText = (filter: RecordFilter): boolean =>
  filter.q !== undefined || ID_FIELDS.some((name) => filter[name] !== undefined);

export function makePlan(filter: RecordFilter, { facets, maxSkew, records }: PlanParts): Plan {
  const span = spanOf(filter);
  const words = filter.q === undefined ? null : wordsOf(filter.q);
  const column = decisionColumnOf(filter);
  const byText = column === null && (asksForText(filter) || filtersByCaller(filter));
  const matches = rowTest(filter, { facets, ...span, words });
  const picked = asksForFacets(filter) ? pickFacets(filter, facets, records) : wholeLog(facets, records);
  return {
    filter,
    // Computed on demand: without a facet filter it contains all facets.
    get facets() {
      return picked.facets;
    },
    held: picked.held,
    matchesAll: picked.matchesAll,
    unlisted: picked.unlisted,
    byText,
    column,
    isSelective: byText && !picked.unlisted && picked.held <= FEW,
    ...seqRange(span, maxSkew),
    ...span,
    needsTimeTest: maxSkew > 0 && !isAllTime(span),
    needsRows: needsRows(filter.clauses, picked.hasUnlisted),
    words,
    matches,
    matchesText: (row) => (byText || facets.get(row.facet_id)?.unlisted === true) && matches(row),
  };
}

type Picked = Pick<Plan, 'facets' | 'held' | 'matchesAll' | 'unlisted'> & { hasUnlisted: boolean };

export const asksForFacets = ({ type, status, intent_type, server, tool, clauses = [] }: RecordFilter) =>
  [type, status, intent_type, server, tool].some((value) => value !== undefined) ||
  clauses.some(isFacetClause);

function wholeLog(facets: Facets, records: number): Picked {
  let all: Facet[] | undefined;
  return {
    get facets() {
      return (all ??= [...facets.all()].filter(({ n }) => n > 0));
    },
    held: records,
    matchesAll: true,
    unlisted: false,
    hasUnlisted: false,
  };
}

function pickFacets(filter: RecordFilter, facets: Facets, records: number): Picked {
  const named = filter.server !== undefined || filter.tool !== undefined;
  const matches = facetTest(filter);
  const picked: Facet[] = [];
  let [held, unlisted, hasUnlisted] = [0, false, false];
  for (const facet of facets.candidates(filter)) {
    if (facet.n <= 0 || !matches(facet)) continue;
    hasUnlisted ||= facet.unlisted;
    if (named && facet.unlisted) unlisted = true;
    else {
      picked.push(facet);
      held += facet.n;
    }
  }
  return { facets: picked, held, matchesAll: held === records && !unlisted, unlisted, hasUnlisted };
}

interface Exact {
  facets: Facets;
  from: number;
  to: number;
  words: Set<string> | null;
}

type RowTest = (row: ActivityRow, facet: SealedFacet) => boolean;

/** The exact filter for one record. Everything else only finds the candidates faster. */
function rowTest(filter: RecordFilter, { facets, from, to, words }: Exact): Plan['matches'] {
  const [isFacet, isNamed] = [facetTest(filter), namesTest(filter)];
  const fieldTests = [...fieldTestsOf(filter), ...rowClauseTests(filter.clauses)];
  return (row: ActivityRow) => {
    const facet = facets.get(row.facet_id);
    if (!facet || !isFacet(facet)) return false;
    if (facet.unlisted && !isNamed(row)) return false;
    if (row.ts < from || row.ts > to) return false;
    if (!fieldTests.every((test) => test(row, facet))) return false;
    return words === null || holdsWords(row, facet, words);
  };
}

/** One test per field that the filter names. */
function fieldTestsOf(filter: RecordFilter): RowTest[] {
  const { principal, client } = filter;
  const tests: RowTest[] = ID_FIELDS.filter((name) => filter[name] !== undefined).map(
    (name) => (row) => row[name] === filter[name],
  );
  if (principal !== undefined) tests.push((row) => principalOf(row.metadata) === principal);
  if (client !== undefined) tests.push((row) => isClient(row.client, client));
  for (const name of ['approval_id', 'decided_by'] as const)
    if (filter[name] !== undefined)
      tests.push((row, facet) => decisionWho(row, facet)[name] === filter[name]);
  return tests;
}

const decisionWho = ({ metadata }: ActivityRow, facet: SealedFacet) =>
  whoOf(JSON.parse(metadata) as ActivityMetadata, facet);

function holdsWords(row: ActivityRow, facet: Facet, words: Set<string>): boolean {
  const held = wordsOf(searchText(row, facet));
  for (const word of words) if (!held.has(word)) return false;
  return words.size > 0;
}
