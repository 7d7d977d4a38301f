import { Link } from 'wouter';
import { OperationBadge } from '../../parts/badges.tsx';
import { Problem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { usePending } from '../approvals/use-pending.ts';

/** The calls that wait for a person now. */
export function WaitingApprovals() {
  const pending = usePending();
  const approvals = pending.data?.approvals ?? [];
  return (
    <section className="card stack">
      <div className="row row-apart">
        <h2>Waiting for you</h2>
        <Link href="/approvals">inbox</Link>
      </div>
      {pending.error && <Problem error={pending.error} />}
      {approvals.length === 0 && !pending.error && <p className="muted">No call waits for a decision.</p>}
      <ul className="looks">
        {approvals.slice(0, 5).map((approval) => (
          <li key={approval.id}>
            <div className="row">
              <OperationBadge operation={approval.operation} />
              <Link href="/approvals" className="mono">
                <Line text={`${approval.server}:${approval.tool}`} max={80} />
              </Link>
              <span className="muted">
                expires <Time at={approval.expires_at} />
              </span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
