import { useApi } from '../session/api.ts';

const REFETCH_MS = 30_000;

/** Says on every page that entries of the log are missing, until the operator accepts the restore. */
export function RollbackBanner() {
  const { data } = useApi('status', {}, { refetchMs: REFETCH_MS });
  const rollback = data?.activity.rollback;
  if (!rollback) return null;
  return (
    <div className="note note-bad connection-banner" role="alert">
      <p>
        <strong>The activity log does not agree with its last checkpoint.</strong>
      </p>
      <p>
        {rollback.reason}. Run <code>mcpproxy activity verify</code> for details. If you restored a back-up,
        run <code>mcpproxy activity accept-restore</code>; this is recorded.
      </p>
    </div>
  );
}
