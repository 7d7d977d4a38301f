import type pg from 'pg';
import type { ActivityRecord } from '../../contract/activity.ts';
import { toRecord } from '../row.ts';
import { createValues } from './conditions.ts';
import {
  anyPage,
  facetPage,
  fewPage,
  placeBeyond,
  wordPage,
  wordWalk,
  type Direction,
  type FoundRow,
  type Place,
  type Stretch,
} from './pages.ts';
import type { PgPlan } from './plan.ts';

export interface PgFinder {
  /** Matching records in order, after a place, or from the end; at most `limit`. */
  rows(
    plan: PgPlan,
    page: { from?: Place | undefined; limit: number; direction: Direction },
  ): Promise<FoundRow[]>;
}

/** Words that many records hold are found by walking along the newest ones; those that few hold, by the index. */
const FIRST_WALK = 1000;
const NEXT_WALK = 20_000;
/** So many found in the first walk, that the next one should fill the page. */
const PROMISING = 4;

type Page = (plan: PgPlan, stretch: Stretch, values: ReturnType<typeof createValues>) => string;

export function createPgFinder(pool: pg.Pool): PgFinder {
  async function read(page: Page, plan: PgPlan, stretch: Stretch): Promise<FoundRow[]> {
    const values = createValues();
    return (await pool.query<FoundRow>(page(plan, stretch, values), values.list)).rows;
  }

  async function beyond(stretch: Stretch, records: number): Promise<Place | undefined> {
    const values = createValues();
    return (await pool.query<Place>(placeBeyond(stretch, records, values), values.list)).rows[0];
  }

  async function byWords(plan: PgPlan, stretch: Stretch): Promise<FoundRow[]> {
    const found: FoundRow[] = [];
    let rest = stretch;
    for (const length of [FIRST_WALK, NEXT_WALK]) {
      const edge = await beyond(rest, length);
      const { near, far } = splitAt(rest, edge);
      found.push(...(await read(wordWalk, plan, { ...near, limit: stretch.limit - found.length })));
      if (found.length >= stretch.limit || !far) return found;
      rest = { ...far, limit: stretch.limit - found.length };
      if (found.length < PROMISING) break;
    }
    return [...found, ...(await read(wordPage, plan, rest))];
  }

  return {
    async rows(plan, { from, limit, direction }) {
      const stretch = stretchOf(plan, from, limit, direction);
      switch (plan.way) {
        case 'nothing':
          return [];
        case 'any':
          return read(anyPage, plan, stretch);
        case 'facets':
          return read(facetPage, plan, stretch);
        case 'few':
          return read(fewPage, plan, stretch);
        case 'words':
          return byWords(plan, stretch);
        default:
          return plan.way satisfies never;
      }
    },
  };
}

/** Numbers of logs begin at one. */
const MAX_LOG = 2_147_483_647;

function stretchOf(
  { low, high }: PgPlan,
  from: Place | undefined,
  limit: number,
  direction: Direction,
): Stretch {
  const [after, before] = [
    { seq: low - 1, log: MAX_LOG },
    { seq: Math.min(high, Number.MAX_SAFE_INTEGER - 1) + 1, log: 0 },
  ];
  if (!from) return { after, before, limit, direction };
  if (direction === 'newest') return { after, before: earlier(from, before), limit, direction };
  return { after: earlier(from, after) === from ? after : from, before, limit, direction };
}

const earlier = (a: Place, b: Place) => (a.seq < b.seq || (a.seq === b.seq && a.log < b.log) ? a : b);

/** The part up to a place, that included, and what lies beyond; all of it where there is no such place. */
function splitAt(stretch: Stretch, edge: Place | undefined): { near: Stretch; far?: Stretch } {
  if (!edge) return { near: stretch };
  return stretch.direction === 'newest'
    ? { near: { ...stretch, after: { seq: edge.seq, log: edge.log - 1 } }, far: { ...stretch, before: edge } }
    : {
        near: { ...stretch, before: { seq: edge.seq, log: edge.log + 1 } },
        far: { ...stretch, after: edge },
      };
}

export function recordOf(found: FoundRow): ActivityRecord {
  const { type, source, status, operation_type, facet_server, facet_tool, unlisted } = found;
  return toRecord(found, {
    type,
    source,
    status,
    operation_type,
    server_name: facet_server,
    tool_name: facet_tool,
    unlisted: unlisted === 1,
  });
}
