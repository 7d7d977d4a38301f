import { useId, useRef, useState, type MouseEvent } from 'react';
import type { ApprovalDetail } from '../../../../src/contract/approval.ts';
import { Problem } from '../../parts/states.tsx';
import { useArmed } from '../../parts/use-armed.ts';
import { useTask } from '../../parts/use-task.ts';
import { useChange } from '../../session/api.ts';

const GRANTS = ['15m', '1h', '8h', '1d'] as const;

/** Approve, deny with a reason, or approve this and further calls for a while. */
export function Decide({
  approval: { id, tool },
  notYet,
}: {
  approval: ApprovalDetail;
  /** Why it cannot be approved here, or not yet. */
  notYet: string | undefined;
}) {
  const decide = useChange('decideApproval', ['listApprovals', 'getApproval', 'listGrants', 'listActivity']);
  const [reason, setReason] = useState('');
  const [grant, setGrant] = useState('');
  const [calls, setCalls] = useState('');
  const task = useTask();
  const field = useId();
  const buttons = useRef<HTMLDivElement>(null);
  const { isArmed, accepts } = useArmed(buttons);

  function send(event: MouseEvent, decision: 'approve' | 'deny'): void {
    if (!accepts(event)) return;
    task.run(() =>
      decide.mutateAsync({
        id,
        body: {
          decision,
          ...(reason.trim() && { reason: reason.trim() }),
          ...(decision === 'approve' &&
            grant && { grant: { for: grant, ...(calls && { max_calls: Number(calls) }) } }),
        },
      }),
    );
  }

  return (
    <div className="stack">
      <div className="row">
        <label className="field grow" htmlFor={`${field}-reason`}>
          <span>Reason, which the agent is told</span>
          <input
            id={`${field}-reason`}
            value={reason}
            maxLength={1000}
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
        <label className="field" htmlFor={`${field}-grant`}>
          <span>Allow further calls</span>
          <select id={`${field}-grant`} value={grant} onChange={(event) => setGrant(event.target.value)}>
            <option value="">only this one</option>
            {GRANTS.map((duration) => (
              <option key={duration} value={duration}>
                {tool} by this caller for {duration}
              </option>
            ))}
          </select>
        </label>
        {grant !== '' && (
          <label className="field" htmlFor={`${field}-calls`}>
            <span>At most, calls</span>
            <input
              id={`${field}-calls`}
              type="number"
              min={1}
              max={10_000}
              value={calls}
              onChange={(event) => setCalls(event.target.value)}
            />
          </label>
        )}
      </div>
      {task.error !== undefined && <Problem error={task.error} />}
      {notYet !== undefined && (
        <p className="note" id={`${field}-not-yet`}>
          {notYet}
        </p>
      )}
      <div className="row" ref={buttons}>
        <button
          type="button"
          className="primary"
          disabled={task.busy || notYet !== undefined}
          aria-disabled={!isArmed}
          aria-describedby={notYet === undefined ? undefined : `${field}-not-yet`}
          onClick={(event) => send(event, 'approve')}
        >
          Approve
        </button>
        <button
          type="button"
          className="danger"
          disabled={task.busy}
          aria-disabled={!isArmed}
          onClick={(event) => send(event, 'deny')}
        >
          Deny
        </button>
        <span className={isArmed ? 'muted arming-over' : 'muted'}>Just appeared or moved; one moment …</span>
      </div>
    </div>
  );
}
