import type { Approval, ApprovalStatus } from '../../../../src/contract/approval.ts';
import { Link } from 'wouter';
import { OperationBadge } from '../../parts/badges.tsx';
import { QueryProblem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useApi } from '../../session/api.ts';

const TONES: Record<ApprovalStatus, string> = {
  pending: 'tone-wait',
  approved: 'tone-wait',
  running: 'tone-wait',
  executed: 'tone-good',
  denied: 'tone-bad',
  expired: '',
  cancelled: '',
  unknown: 'tone-bad',
};

/** Past decisions: by whom, from where and why. */
export function DecidedApprovals() {
  const all = useApi('listApprovals', { limit: 50 });
  if (!all.data) return all.error && <QueryProblem error={all.error} onRetry={() => void all.refetch()} />;
  const decided = all.data.approvals.filter(({ status }) => status !== 'pending');
  if (decided.length === 0) return null;
  return (
    <section className="stack">
      <h2>Past decisions</h2>
      <div className="table-scroll">
        <table>
          <thead>
            <tr>
              <th>Time</th>
              <th>Call</th>
              <th>Operation</th>
              <th>Outcome</th>
              <th>Decided by</th>
              <th>Reason</th>
            </tr>
          </thead>
          <tbody>
            {decided.map((approval) => (
              <Row key={approval.id} approval={approval} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Row({ approval }: { approval: Approval }) {
  const { server, tool, status, decided_by: by, decided_from: from, decision_reason: reason } = approval;
  const name = <Line text={`${server}:${tool}`} max={100} />;
  return (
    <tr>
      <td>
        <Time at={approval.decided_at ?? approval.settled_at ?? approval.created_at} />
      </td>
      <td className="mono">
        {approval.record_id ? <Link href={`/activity?record=${approval.record_id}`}>{name}</Link> : name}
      </td>
      <td>
        <OperationBadge operation={approval.operation} />
      </td>
      <td>
        <span className={`badge ${TONES[status]}`}>{status}</span>
        {approval.changed && (
          <span
            className="badge tone-bad"
            title="The row was changed outside of mcpproxy. What it says does not count, and no call ran with it afterwards."
          >
            changed outside
          </span>
        )}
      </td>
      <td>{by === undefined ? '–' : <Line text={`${by}, ${from ?? ''}`} max={80} />}</td>
      <td>
        <Line text={reason ?? ''} max={200} />
      </td>
    </tr>
  );
}
