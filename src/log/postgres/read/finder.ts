import type pg from 'pg';
import type { ActivityRecord } from '../../../contract/activity.ts';
import { toRecord, type SealedFacet } from '../../record/row.ts';
import { createValues } from './sql-values.ts';
import {
  anyPage,
  columnPage,
  facetPage,
  selectivePage,
  testedPage,
  walkPage,
  wordPage,
  wordWalk,
  type Direction,
  type FoundRow,
  type Page,
  type RecordPosition,
  type PageBounds,
} from './pages.ts';
import type { PgPlan } from './plan.ts';

export interface PgFinder {
  /** Matching records in order, after a place, or from the end; at most `limit`. */
  rows(plan: PgPlan, range: PageRange): Promise<FoundRow[]>;
}

interface PageRange {
  from?: RecordPosition | undefined;
  limit: number;
  direction: Direction;
  isLight?: boolean;
}

/** Where so many of the first records match, walking along them beats the indexes, which do not know which come first. */
const FIRST_WALK = 1000;
const NEXT_WALK = 20_000;
/** So many found in the first walk, that the next one should fill the page. */
const PROMISING = 4;

export function createPgFinder(pool: pg.Pool): PgFinder {
  async function read(page: Page, plan: PgPlan, bounds: PageBounds): Promise<FoundRow[]> {
    const values = createValues();
    return (await pool.query<FoundRow>(page({ plan, bounds, values }), values.list)).rows;
  }

  async function byFacets(plan: PgPlan, bounds: PageBounds): Promise<FoundRow[]> {
    if (plan.share * FIRST_WALK >= 2 * bounds.limit) {
      const found = await read(walkPage(FIRST_WALK), plan, bounds);
      if (found.length >= bounds.limit) return found;
    }
    return read(facetPage, plan, bounds);
  }

  async function byWords(plan: PgPlan, bounds: PageBounds): Promise<FoundRow[]> {
    for (const places of [FIRST_WALK, NEXT_WALK]) {
      const found = await read(wordWalk(places), plan, bounds);
      if (found.length >= bounds.limit) return found;
      if (found.length < PROMISING) break;
    }
    return read(wordPage, plan, bounds);
  }

  return {
    async rows(plan, range) {
      const bounds = boundsOf(plan, range);
      switch (plan.strategy) {
        case 'nothing':
          return [];
        case 'any':
          return read(anyPage, plan, bounds);
        case 'facets':
          return plan.needsRows ? read(testedPage, plan, bounds) : byFacets(plan, bounds);
        case 'column':
          return read(columnPage, plan, bounds);
        case 'selective':
          return read(selectivePage, plan, bounds);
        case 'words':
          return byWords(plan, bounds);
        default:
          return plan.strategy satisfies never;
      }
    },
  };
}

/** Numbers of logs begin at one. */
const MAX_LOG = 2_147_483_647;

function boundsOf({ low, high }: PgPlan, { from, limit, direction, isLight = false }: PageRange): PageBounds {
  const [after, before] = [
    { seq: low - 1, log: MAX_LOG },
    { seq: Math.min(high, Number.MAX_SAFE_INTEGER - 1) + 1, log: 0 },
  ];
  if (!from) return { after, before, limit, direction, isLight };
  if (direction === 'newest') return { after, before: earlier(from, before), limit, direction, isLight };
  return { after: earlier(from, after) === from ? after : from, before, limit, direction, isLight };
}

const earlier = (a: RecordPosition, b: RecordPosition) =>
  a.seq < b.seq || (a.seq === b.seq && a.log < b.log) ? a : b;

export const recordOf = (found: FoundRow): ActivityRecord => toRecord(found, facetOf(found));

export function facetOf(found: FoundRow): SealedFacet {
  const { type, source, status, operation_type, other_operations } = found;
  const { facet_server: server_name, facet_tool: tool_name, unlisted } = found;
  return {
    type,
    source,
    status,
    operation_type,
    other_operations,
    server_name,
    tool_name,
    unlisted: unlisted === 1,
  };
}
