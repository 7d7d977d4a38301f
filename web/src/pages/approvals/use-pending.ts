import { useLive } from '../../live/live.ts';
import { queries, useApi } from '../../session/api.ts';

/** The pending approvals, refetched whenever one is created, decided or expires. */
export function usePending() {
  useLive('approval', () => {
    for (const key of ['listApprovals', 'getApproval', 'listGrants'] as const)
      void queries.invalidateQueries({ queryKey: [key] });
  });
  return useApi('listApprovals', { status: 'pending', limit: 200 }, { refetchMs: 30_000 });
}
