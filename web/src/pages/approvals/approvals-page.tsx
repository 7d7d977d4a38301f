import { useState } from 'react';
import type { Approval } from '../../../../src/contract/approval.ts';
import { Empty, Fetched } from '../../parts/states.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { DecidedApprovals } from './decided-approvals.tsx';
import { Grants } from './grants.tsx';
import { usePending } from './use-pending.ts';
import './approvals.css';

/** Pending approvals, active grants and past decisions. */
export default function ApprovalsPage() {
  const pending = usePending();
  return (
    <>
      <div className="row row-apart">
        <h1>Approvals</h1>
        <NotifyButton />
      </div>
      <Fetched query={pending} what="pending approvals">
        {({ approvals }) => <Inbox ids={oldestFirst(approvals)} />}
      </Fetched>
      <Grants />
      <DecidedApprovals />
    </>
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
          <code>["destructive"]</code>. The Settings page shows which of last week’s calls a rule would match.
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
