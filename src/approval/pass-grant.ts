import { iso } from './store/approval-row.ts';
import type { GrantRow, GrantStore } from './store/grant-store.ts';
import type { Holds } from './store/holds.ts';
import type { Pass } from './hold.ts';
import type { Question } from './question.ts';

interface GrantParts {
  grants: GrantStore;
  holds: Holds;
  now: () => number;
}

/**
 * A call that a grant covers passes without a question. A decision about exactly this call comes first: an approval is used before a
 * grant is, and a denial is not granted away. A question that was open is settled by the grant.
 */
export async function passGrant(
  { grants, holds, now }: GrantParts,
  question: Question,
): Promise<Pass | undefined> {
  const open = await holds.last(question);
  if (open?.status === 'approved' || open?.status === 'denied') return undefined;
  const grant = await grants.use(question, now());
  if (!grant) return undefined;
  if (open?.status === 'pending')
    await holds.cancel(open.id, `covered by grant ${grant.id}`, grant.created_by);
  return {
    trail: trailOf(grant, question),
    giveBack: async () => void (await grants.giveBack(grant.id)),
    settle: async () => {},
  };
}

function trailOf(
  { id, created_by, expires_ms, used, max_calls }: GrantRow,
  { rule }: Question,
): Pass['trail'] {
  return { grant_id: id, rule, granted_by: created_by, used, max_calls, until: iso(expires_ms) };
}
