import { useState } from 'react';
import type { Approval } from '../../../../src/contract/approval.ts';
import { Empty, Fetched } from '../../parts/states.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { DecidedApprovals } from './decided-approvals.tsx';
import { Grants } from './grants.tsx';
import { usePending } from './use-pending.ts';
import './approvals.css';

/** The inbox: what waits for a person, and what was decided before. */
export default function ApprovalsPage() {
  const pending = usePending();
  return (
    <>
      <div className="row row-apart">
        <h1>Approvals</h1>
        <NotifyButton />
      </div>
      <Fetched query={pending} what="calls that wait">
        {({ approvals }) => <Inbox ids={oldestFirst(approvals)} />}
      </Fetched>
      <Grants />
      <DecidedApprovals />
    </>
  );
}

/** A call that arrives is shown below the others, so that it moves none of them. */
const oldestFirst = (approvals: Approval[]): string[] => approvals.map(({ id }) => id).toReversed();

function Inbox({ ids }: { ids: string[] }) {
  if (ids.length === 0)
    return (
      <Empty title="No call waits for you">
        <p>
          Calls are held when <code>approvals.require</code> in the configuration says so, for example{' '}
          <code>["destructive"]</code>. The Settings page shows what that would have held last week.
        </p>
      </Empty>
    );
  return (
    <ul className="inbox" aria-label="Waiting for a decision">
      {ids.map((id) => (
        <li key={id}>
          <ApprovalCard id={id} />
        </li>
      ))}
    </ul>
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
