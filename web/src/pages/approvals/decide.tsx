import { useId, useRef, useState, type MouseEvent } from 'react';
import type { ApprovalDetail } from '../../../../src/contract/approval.ts';
import { Problem } from '../../parts/states.tsx';
import { useArmed } from '../../parts/use-armed.ts';
import { useTask } from '../../parts/use-task.ts';
import { useChange } from '../../session/api.ts';

const GRANTS = ['15m', '1h', '8h', '1d'] as const;

/** Reasons that tell the agent what to do next. */
const DENY_REASONS = ['ask me first', 'wrong target', 'not needed'] as const;

/** What the person enters beside the decision. */
interface Answer {
  reason: string;
  /** How long further calls are allowed; empty: this call only. */
  grant: string;
  maxCalls: string;
}

interface Props {
  approval: ApprovalDetail;
  /** Why the call cannot be approved now; undefined: it can. */
  notYet: string | undefined;
}

/** Approve, deny with a reason, or approve this and further calls for a limited time. */
export function Decide({ approval: { id, tool }, notYet }: Props) {
  const decide = useChange('decideApproval', ['listApprovals', 'getApproval', 'listGrants', 'listActivity']);
  const [answer, setAnswer] = useState<Answer>({ reason: '', grant: '', maxCalls: '' });
  const task = useTask();
  const noteId = useId();
  const buttons = useRef<HTMLDivElement>(null);
  const { isArmed, accepts } = useArmed(buttons);

  function send(event: MouseEvent, decision: 'approve' | 'deny', reason = answer.reason): void {
    const body = decisionBody(decision, { ...answer, reason });
    if (accepts(event)) task.run(() => decide.mutateAsync({ id, body }));
  }

  return (
    <div className="stack">
      <AnswerFields
        tool={tool}
        answer={answer}
        onChange={(changes) => setAnswer((before) => ({ ...before, ...changes }))}
      />
      {task.error !== undefined && <Problem error={task.error} />}
      {notYet !== undefined && (
        <p className="note" id={noteId}>
          {notYet}
        </p>
      )}
      <div className="row decide-buttons" ref={buttons}>
        <button
          type="button"
          className="primary"
          disabled={task.busy || notYet !== undefined}
          aria-disabled={!isArmed}
          aria-describedby={notYet === undefined ? undefined : noteId}
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
        {DENY_REASONS.map((reason) => (
          <button
            key={reason}
            type="button"
            className="quiet"
            disabled={task.busy}
            aria-disabled={!isArmed}
            onClick={(event) => send(event, 'deny', reason)}
          >
            Deny: {reason}
          </button>
        ))}
        <span className={isArmed ? 'muted arming-over' : 'muted'}>
          These buttons just appeared or moved. They work in a second…
        </span>
      </div>
    </div>
  );
}

function decisionBody(decision: 'approve' | 'deny', { reason, grant, maxCalls }: Answer) {
  const isGranted = decision === 'approve' && grant !== '';
  return {
    decision,
    ...(reason.trim() && { reason: reason.trim() }),
    ...(isGranted && { grant: { for: grant, ...(maxCalls && { max_calls: Number(maxCalls) }) } }),
  };
}

function AnswerFields({
  tool,
  answer,
  onChange,
}: {
  tool: string;
  answer: Answer;
  onChange: (changes: Partial<Answer>) => void;
}) {
  return (
    <div className="row">
      <label className="field grow">
        <span>Reason (sent to the agent)</span>
        <input
          value={answer.reason}
          maxLength={1000}
          onChange={(event) => onChange({ reason: event.target.value })}
        />
      </label>
      <label className="field">
        <span>Allow further calls</span>
        <select value={answer.grant} onChange={(event) => onChange({ grant: event.target.value })}>
          <option value="">No, this call only</option>
          {GRANTS.map((duration) => (
            <option key={duration} value={duration}>
              {tool} by this caller for {duration}
            </option>
          ))}
        </select>
      </label>
      {answer.grant !== '' && (
        <label className="field">
          <span>Maximum number of calls</span>
          <input
            type="number"
            min={1}
            max={10_000}
            value={answer.maxCalls}
            onChange={(event) => onChange({ maxCalls: event.target.value })}
          />
        </label>
      )}
    </div>
  );
}
