import { useState } from 'react';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { DecidedApprovals } from './decided-approvals.tsx';
import { Grants } from './grants.tsx';
import { usePending } from './use-pending.ts';
import './approvals.css';

/** The inbox: what waits for a person, and what was decided before. */
export default function ApprovalsPage() {
  const pending = usePending();
  const waiting = pending.data?.approvals;
  return (
    <>
      <div className="row row-apart">
        <h1>Approvals</h1>
        <NotifyButton />
      </div>
      {pending.error && <Problem error={pending.error} onRetry={() => void pending.refetch()} />}
      {pending.isPending && !pending.error && <Loading what="what waits" />}
      {waiting?.length === 0 && (
        <Empty title="No call waits for you">
          <p>
            Calls are held when <code>approvals.require</code> in the configuration says so, for example{' '}
            <code>["destructive"]</code>. The Settings page shows what that would have held last week.
          </p>
        </Empty>
      )}
      <ul className="inbox" aria-label="Waiting for a decision">
        {waiting?.map(({ id }) => (
          <li key={id}>
            <ApprovalCard id={id} />
          </li>
        ))}
      </ul>
      <Grants />
      <DecidedApprovals />
    </>
  );
}

/** Browsers only let a person allow notifications by a click. */
function NotifyButton() {
  const supported = 'Notification' in window;
  const [permission, setPermission] = useState(supported ? Notification.permission : 'denied');
  if (permission !== 'default') return null;
  return (
    <button type="button" onClick={() => void Notification.requestPermission().then(setPermission)}>
      Notify me when a call waits
    </button>
  );
}
