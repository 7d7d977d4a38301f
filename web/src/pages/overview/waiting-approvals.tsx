import { Link } from 'wouter';
import type { Approval } from '../../../../src/contract/approval.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { Fetched, Claim } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { usePending } from '../approvals/use-pending.ts';

/** The calls that wait for a person now. */
export function WaitingApprovals() {
  const pending = usePending();
  return (
    <section className="card stack">
      <div className="row row-apart">
        <h2>Waiting for you</h2>
        <Link href="/approvals">inbox</Link>
      </div>
      <Fetched query={pending} what="calls that wait">
        {({ approvals }) => (
          <>
            {approvals.length === 0 && <Claim>No call waits for a decision.</Claim>}
            <ul className="looks">
              {approvals.slice(0, 5).map((approval) => (
                <Waiting key={approval.id} approval={approval} />
              ))}
            </ul>
          </>
        )}
      </Fetched>
    </section>
  );
}

function Waiting({ approval: { operation, server, tool, expires_at } }: { approval: Approval }) {
  return (
    <li>
      <div className="row">
        <OperationBadge operation={operation} />
        <Link href="/approvals" className="mono">
          <Line text={`${server}:${tool}`} max={80} />
        </Link>
        <span className="muted">
          expires <Time at={expires_at} />
        </span>
      </div>
    </li>
  );
}
