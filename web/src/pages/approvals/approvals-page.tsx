import { useState } from 'react';
import type { Approval } from '../../../../src/contract/approval.ts';
import { Link } from 'wouter';
import { OperationBadge } from '../../parts/badges.tsx';
import { Empty, Fetched } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useOpened } from '../../parts/use-opened.ts';
import { useApi } from '../../session/api.ts';
import { ApprovalCard } from './approval-card.tsx';
import { DecidedApprovals } from './decided-approvals.tsx';
import { Grants } from './grants.tsx';
import { usePending } from './use-pending.ts';
import './approvals.css';

/** Pending approvals, active grants and past decisions. */
export default function ApprovalsPage() {
  const pending = usePending();
  const [opened] = useOpened('approval');
  return (
    <>
      <div className="row row-apart">
        <h1>Approvals</h1>
        <div className="row">
          <Link href="/policy">Approval rules</Link>
          <NotifyButton />
        </div>
      </div>
      {opened !== undefined && <OneApproval id={opened} />}
      <Fetched query={pending} what="pending approvals">
        {({ approvals, next_cursor: next }) => (
          <>
            {next !== null && (
              <p className="note note-warn">
                Only the newest {approvals.length} pending calls are shown. The others appear when some of
                these are decided.
              </p>
            )}
            <Inbox ids={oldestFirst(approvals)} />
          </>
        )}
      </Fetched>
      <Grants />
      <DecidedApprovals />
    </>
  );
}

/** The approval of a link, also one that was decided long ago. */
function OneApproval({ id }: { id: string }) {
  const approval = useApi('getApproval', { id });
  return (
    <Fetched query={approval} what="the approval">
      {({
        server,
        tool,
        status,
        operation,
        created_at,
        decided_at,
        decided_by,
        decision_reason,
        record_id,
      }) => (
        <section className="card stack" aria-label="Approval">
          <div className="row">
            <OperationBadge operation={operation} />
            <h2 className="mono">
              <Line text={`${server}:${tool}`} max={200} />
            </h2>
            <span className="badge">{status}</span>
            {record_id !== undefined && <Link href={`/activity?record=${record_id}`}>Record</Link>}
          </div>
          <p className="muted">
            Requested <Time at={created_at} />
            {decided_at !== undefined && (
              <>
                , decided <Time at={decided_at} /> by <Line text={decided_by ?? '?'} max={80} />
              </>
            )}
            {decision_reason !== undefined && (
              <>
                : <Line text={decision_reason} max={300} />
              </>
            )}
          </p>
        </section>
      )}
    </Fetched>
  );
}

/** A new call is added below the others, so that it does not move them. */
const oldestFirst = (approvals: Approval[]): string[] => approvals.map(({ id }) => id).toReversed();

function Inbox({ ids }: { ids: string[] }) {
  if (ids.length === 0)
    return (
      <Empty title="No pending approvals">
        <p>
          Calls need approval when a rule in <code>approvals.require</code> matches, for example{' '}
          <code>["destructive"]</code>. <Link href="/policy">Approval rules</Link> shows which calls of the
          last weeks a rule would hold.
        </p>
      </Empty>
    );
  return (
    <ul className="inbox" aria-label="Pending approvals">
      {ids.map((id) => (
        <li key={id}>
          <ApprovalCard id={id} />
        </li>
      ))}
    </ul>
  );
}

/** Browsers ask for the permission only after a click. */
function NotifyButton() {
  const supported = 'Notification' in window;
  const [permission, setPermission] = useState(supported ? Notification.permission : 'denied');
  if (permission !== 'default') return null;
  return (
    <button type="button" onClick={() => void Notification.requestPermission().then(setPermission)}>
      Notify me about new approval requests
    </button>
  );
}
