import type { ActivityVerification } from '../../contract/activity.ts';
import type { Sqlite } from '../../db/index.ts';
import { LOG_SPAN } from '../chain/chain.ts';
import { type Facets, pickKey } from '../counts/facets.ts';
import type { FacetKey } from '../record/row.ts';

/**
 * A check reads the facets of the database, but listings and audits of this process use those in its memory. Where they differ, somebody
 * changed a row before the start and changed it back afterwards, or made a row that this process does not know.
 */
export function withHeldFacets(
  result: ActivityVerification,
  { sqlite, facets }: { sqlite: Sqlite; facets: Facets },
): ActivityVerification {
  if (result.verdict !== 'intact') return result;
  const stored = sqlite.prepare('SELECT * FROM activity_facet').all() as Array<
    FacetKey & { id: number; unlisted: number }
  >;
  const differs = stored.find((row) => {
    const held = facets.get(row.id);
    return !held || textOf(held, held.unlisted) !== textOf(row, row.unlisted === 1);
  });
  if (!differs) return result;
  const { pos } = sqlite.prepare('SELECT max(pos) AS pos FROM activity_journal').get() as { pos: number };
  return {
    ...result,
    verdict: 'broken',
    intact: false,
    problem: {
      log: result.logs.at(-1)!.log,
      entry: pos % LOG_SPAN,
      record: null,
      reason: 'derived value differs',
      message: `row ${differs.id} of activity_facet is not the one that this process read when it started: its listings and audits show the records of that facet wrongly, or miss them. Find out who changed the database, then restart the proxy`,
    },
  };
}

const textOf = (key: FacetKey, unlisted: boolean) => JSON.stringify([pickKey(key), unlisted]);
