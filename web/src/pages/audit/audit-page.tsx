import { useState } from 'react';
import { Link } from 'wouter';
import type { ActivityAudit, AuditedAttempt, AuditedCall } from '../../../../src/contract/audit.ts';
import { timeOf, TIME_EXAMPLES } from '../../../../src/contract/time.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { StatusBadge } from '../../parts/badges.tsx';
import { Problem } from '../../parts/states.tsx';
import { ExactTime } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { AcceptedGapLine, VerificationResult } from '../../parts/verification-result.tsx';
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

const HEADS = ['Time', 'Tool', 'Arguments', 'Status', 'Because', 'Approved by', 'Approved', 'From', 'Record'];

const countsText = (counts: Record<string, number>, names: Record<string, string>) => {
  const texts = Object.entries(counts).map(([status, n]) => `${n} ${names[status] ?? status}`);
  return texts.length > 0 ? ` (${texts.join(', ')})` : '';
};

function Summary({ audit }: { audit: ActivityAudit }) {
  const { principal, records, ran, approved, did_not_run: others } = audit;
  const statuses = countsText(audit.ran_by_status, {
    pending: 'running or not recorded',
    unknown: 'with unknown outcome',
  });
  const notRun = countsText(audit.did_not_run_by_status, { pending: 'waiting for an approval' });
  return (
    <p>
      <strong>
        <Line text={principal} />
      </strong>
      ,{' '}
      {audit.start_time === null ? (
        'from the beginning of the log'
      ) : (
        <>
          from <ExactTime at={audit.start_time} />
        </>
      )}{' '}
      to <ExactTime at={audit.end_time} />:{' '}
      {records === 0
        ? noRecords(audit)
        : `${counted(ran, 'destructive call')} ran or may have run${statuses}, ${approved} of them with an approval. ${counted(others, 'destructive attempt')} did not run${notRun}.`}
    </p>
  );
}

function noRecords({ credential, known_principals: known }: ActivityAudit): string {
  if (credential?.last_record !== undefined)
    return `no records in this time. Its newest record is of ${credential.last_record}.`;
  if (credential) return `created at ${credential.created_at ?? '?'} and never used: it has no records.`;
  return `no records of this credential in this time; known principals: ${known.join(', ') || 'none'}.`;
}

function Report({ audit }: { audit: ActivityAudit }) {
  const { ran, calls, tokens, removed, restored, verification } = audit;
  return (
    <section className="stack" aria-label="Result" role="status">
      {verification.verdict !== 'intact' && (
        <p className="note note-warn">
          The log is not proven to be intact: see below before you rely on this list.
        </p>
      )}
      {restored.map((each) => (
        <p key={each.record} className="note note-warn">
          This list is incomplete: the log lacks <AcceptedGapLine gap={each} />. Calls of this time may be
          among them.
        </p>
      ))}
      <Summary audit={audit} />
      {tokens.length > 1 && (
        <>
          <p>{tokens.length} different tokens had this name:</p>
          <ul>
            {tokens.map(({ id, first, last, records }) => (
              <li key={id}>
                <Line text={id} />: {counted(records, 'record')} from <ExactTime at={first} /> to{' '}
                <ExactTime at={last} />
              </li>
            ))}
          </ul>
        </>
      )}
      {calls.length < ran && <p className="note note-warn">Only the first {calls.length} calls are shown.</p>}
      {calls.length > 0 && (
        <div className="table-scroll">
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
        </div>
      )}
      <AttemptTable attempts={audit.attempts} />
      <h2>Is the log complete?</h2>
      <p className="muted">The whole log was checked: all credentials, all of the time.</p>
      {removed.map(({ log, records, from, until }) => (
        <p key={log} className="note note-warn">
          Retention has removed {counted(records, 'record')} from <ExactTime at={from} /> to{' '}
          <ExactTime at={until} />: records of that time may be missing.
        </p>
      ))}
      <VerificationResult result={verification} />
    </section>
  );
}

function AttemptTable({ attempts }: { attempts: readonly AuditedAttempt[] }) {
  if (attempts.length === 0) return null;
  return (
    <>
      <h2>Attempts that did not run</h2>
      <div className="table-scroll">
        <table>
          <thead>
            <tr>
              {['Time', 'Tool', 'Arguments', 'Status', 'By', 'Because', 'Record'].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {attempts.map(({ id, time, tool, status, ended_by: by, because, arguments: args }) => (
              <tr key={id}>
                <td>
                  <ExactTime at={time} />
                </td>
                <td className="mono">
                  <Line text={tool} max={120} />
                </td>
                <td className="mono">
                  <Line text={args ?? ''} max={160} />
                </td>
                <td>
                  <StatusBadge status={status} />
                </td>
                <td>
                  <Line text={by ?? ''} max={80} />
                </td>
                <td>
                  <Line text={because ?? ''} max={200} />
                </td>
                <td className="mono">
                  <Link href={`/activity?record=${id}`}>{id.slice(0, 12)}</Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Decision({ approval }: { approval: NonNullable<AuditedCall['approval']> }) {
  const { decided_by: by = '?', grant_id: grant, reason } = approval;
  return (
    <>
      <Line text={`${by}${grant ? ' (grant)' : ''}`} max={100} />
      {reason !== undefined && (
        <p className="muted">
          <Line text={reason} max={160} />
        </p>
      )}
    </>
  );
}

function CallRow({ call }: { call: AuditedCall }) {
  const { id, time, tool, status, because, approval } = call;
  return (
    <tr>
      <td>
        <ExactTime at={time} />
      </td>
      <td className="mono">
        <Line text={tool} max={120} />
      </td>
      <td>
        <span className="mono">
          <Line text={call.arguments ?? ''} max={160} />
        </span>
        {call.reason !== undefined && (
          <p className="muted">
            Reason: <Line text={call.reason} max={160} />
          </p>
        )}
      </td>
      <td>
        <StatusBadge status={status} />
      </td>
      <td>{because.join(', ')}</td>
      <td>
        {approval ? <Decision approval={approval} /> : <span className="muted">no approval required</span>}
      </td>
      <td>{approval?.decided_at !== undefined && <ExactTime at={approval.decided_at} />}</td>
      <td>
        <Line
          text={[approval?.decided_from, approval?.client, approval?.client_address]
            .filter(Boolean)
            .join(' ')}
          max={100}
        />
      </td>
      <td className="mono">
        <Link href={`/activity?record=${id}`}>{id.slice(0, 12)}</Link>
      </td>
    </tr>
  );
}
