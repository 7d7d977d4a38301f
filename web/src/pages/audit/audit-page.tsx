import { useState } from 'react';
import { Link } from 'wouter';
import type { ActivityAudit, AuditedCall } from '../../../../src/contract/audit.ts';
import { timeOf, TIME_EXAMPLES } from '../../../../src/contract/time.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { StatusBadge } from '../../parts/badges.tsx';
import { Problem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { VerificationResult } from '../../parts/verification-result.tsx';
import { client } from '../../session/api.ts';

/** What a credential destroyed, who approved each call, and whether the log is intact. */
export default function AuditPage() {
  const [principal, setPrincipal] = useState('');
  const [since, setSince] = useState('last week');
  const [until, setUntil] = useState('');
  const [audit, setAudit] = useState<ActivityAudit>();
  const task = useTask();

  async function run(): Promise<void> {
    setAudit(undefined);
    const input = {
      principal: principal.trim(),
      ...(since.trim() && { start_time: exact(since, 'start') }),
      ...(until.trim() && { end_time: exact(until, 'end') }),
    };
    setAudit(await client.request('auditActivity', input));
  }

  return (
    <>
      <h1>Audit</h1>
      <p className="muted">
        What a credential destroyed, who approved each call, and whether the log is intact.{' '}
        <Link href="/activity">All activity</Link>
      </p>
      <form
        className="card row"
        aria-label="Audit"
        onSubmit={(event) => {
          event.preventDefault();
          task.run(run);
        }}
      >
        <Field
          label="Principal"
          value={principal}
          onChange={setPrincipal}
          placeholder="token name, or operator"
          required
        />
        <Field label="From" value={since} onChange={setSince} placeholder="the beginning" />
        <Field label="To" value={until} onChange={setUntil} placeholder="now" />
        <button type="submit" disabled={task.busy || principal.trim() === ''}>
          {task.busy ? 'Checking…' : 'Audit'}
        </button>
      </form>
      {task.error !== undefined && <Problem error={task.error} />}
      {audit && <Report audit={audit} />}
    </>
  );
}

/** Days and weeks are those of the person at the browser. */
function exact(text: string, edge: 'start' | 'end'): string {
  const at = timeOf(text, { now: Date.now(), edge, zone: 'local' });
  if (at === undefined) throw new Error(`“${text}” is not a time. Use ${TIME_EXAMPLES}`);
  return new Date(at).toISOString();
}

function Field(props: {
  label: string;
  value: string;
  placeholder: string;
  required?: boolean;
  onChange: (value: string) => void;
}) {
  const { label, onChange, ...input } = props;
  return (
    <label className="field">
      <span>{label}</span>
      <input type="text" maxLength={200} {...input} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}

const HEADS = ['Time', 'Tool', 'Status', 'Because', 'Approved by', 'Approved', 'From', 'Record'];

function Report({ audit }: { audit: ActivityAudit }) {
  const { principal, ran, approved, calls, did_not_run: others, did_not_run_by_status: byStatus } = audit;
  const statuses = Object.entries(byStatus).map(([status, n]) => `${n} ${status}`);
  return (
    <section className="stack" aria-label="Result" role="status">
      <p>
        <strong>
          <Line text={principal} />
        </strong>
        : {counted(ran, 'destructive call')} ran, {approved} of them with an approval.{' '}
        {counted(others, 'destructive attempt')} did not run
        {statuses.length > 0 && ` (${statuses.join(', ')})`}.
      </p>
      {calls.length < ran && <p className="note note-warn">Only the first {calls.length} calls are shown.</p>}
      {calls.length > 0 && (
        <table>
          <thead>
            <tr>
              {HEADS.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {calls.map((call) => (
              <CallRow key={call.id} call={call} />
            ))}
          </tbody>
        </table>
      )}
      <h2>Is the log complete?</h2>
      <VerificationResult result={audit.verification} />
    </section>
  );
}

function CallRow({ call: { id, time, tool, status, because, approval } }: { call: AuditedCall }) {
  const from = [approval?.decided_from, approval?.client, approval?.client_address].filter(Boolean).join(' ');
  return (
    <tr>
      <td>
        <Time at={time} />
      </td>
      <td className="mono">
        <Line text={tool} max={120} />
      </td>
      <td>
        <StatusBadge status={status} />
      </td>
      <td>{because.join(', ')}</td>
      <td>
        {approval ? (
          <Line text={`${approval.decided_by ?? '?'}${approval.grant_id ? ' (grant)' : ''}`} max={100} />
        ) : (
          <span className="muted">no approval required</span>
        )}
      </td>
      <td>{approval?.decided_at !== undefined && <Time at={approval.decided_at} />}</td>
      <td>
        <Line text={from} max={100} />
      </td>
      <td className="mono">
        <Link href={`/activity?record=${id}`}>{id.slice(0, 12)}</Link>
      </td>
    </tr>
  );
}
