import type { Grant } from '../contract/approval.ts';
import type { Caller } from '../contract/call.ts';
import { ProxyError } from '../contract/errors.ts';
import type { ApprovalRequest } from './approval-request.ts';
import { recordGrantEnd, type DecisionLog } from './audit-records.ts';
import type { CallPermit } from './runs.ts';
import type { ServerFence } from './server-change.ts';
import type { ApprovalRequests } from './store/approval-requests.ts';
import { iso } from './store/approval-row.ts';
import { toGrant, type GrantRow, type GrantStore } from './store/grant-store.ts';

interface GrantParts {
  grants: GrantStore;
  requests: ApprovalRequests;
  activity: DecisionLog;
  now: () => number;
  fence: () => ServerFence;
}

export function createGrants({ grants, requests, activity, now, fence }: GrantParts) {
  return {
    /**
     * A call that a grant covers needs no approval request. A decision about exactly this call comes first: an approval is used before a
     * grant, and a denial outweighs a grant. A pending request is cancelled by the grant.
     */
    async useFor(request: ApprovalRequest): Promise<CallPermit | undefined> {
      const last = await requests.last(request);
      if (last?.status === 'approved' || last?.status === 'denied') return undefined;
      const isSameServer = fence().watch();
      const grant = await grants.use(request, now());
      if (!grant || !(await isSameServer())) return undefined;
      if (last?.status === 'pending')
        await requests.cancel(last.id, `covered by grant ${grant.id}`, grant.created_by);
      return {
        trail: trailOf(grant, request),
        release: async () => void (await grants.unuse(grant.id)),
        settle: async () => {},
      };
    },

    async find(request: ApprovalRequest): Promise<Grant | undefined> {
      const row = await grants.find(request, now());
      return row && toGrant(row, now());
    },

    async list({ active, limit }: { active?: boolean | undefined; limit: number }): Promise<Grant[]> {
      const rows = await grants.list({ activeAt: active ? now() : undefined, limit });
      return rows.map((row) => toGrant(row, now()));
    },

    async revoke(id: string, caller: Caller): Promise<Grant> {
      const row = (await grants.revoke(id, now(), caller.principal)) ?? (await grants.get(id));
      const shown = id.slice(0, 64);
      if (!row) throw new ProxyError('NOT_FOUND', `There is no grant ${shown}`, { grant_id: shown });
      await recordGrantEnd(activity, row, caller);
      return toGrant(row, now());
    },
  };
}

function trailOf(
  { id, created_by, created_from, created_ms, approval_id, expires_ms, used, max_calls }: GrantRow,
  { rule }: ApprovalRequest,
): CallPermit['trail'] {
  return {
    grant_id: id,
    rule,
    granted_by: created_by,
    granted_at: iso(created_ms),
    granted_from: created_from,
    // The approval that made the grant: its decision is on record.
    granted_with: approval_id,
    used,
    max_calls,
    until: iso(expires_ms),
  };
}
