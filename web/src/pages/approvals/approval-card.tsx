import { useState } from 'react';
import { Link } from 'wouter';
import type { ApprovalDetail } from '../../../../src/contract/approval.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { Findings, Line, Paragraph } from '../../parts/untrusted.tsx';
import { Fetched } from '../../parts/states.tsx';
import { Time, useNow } from '../../parts/time.tsx';
import { useApi } from '../../session/api.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { CallView, isLong } from './call-view.tsx';
import { History } from './history.tsx';
import { Decide } from './decide.tsx';

/** One approval request with everything that a person needs to decide about it. */
export function ApprovalCard({ id }: { id: string }) {
  const approval = useApi('getApproval', { id });
  return (
    <Fetched query={approval} what="the call">
      {(data) => <Card approval={data} />}
    </Fetched>
  );
}

function Card({ approval }: { approval: ApprovalDetail }) {
  const { server, tool, operation, reason, verdict, hints, similar } = approval;
  const [whole, setWhole] = useState(false);
  return (
    <article className="card stack approval" data-approval={approval.id}>
      <div className="row row-apart">
        <div className="row">
          <OperationBadge operation={operation} />
          <h2 className="mono">
            <Line text={`${server}:${tool}`} max={2000} />
          </h2>
        </div>
        <Countdown until={approval.expires_at} />
      </div>
      {approval.changed && (
        <p className="note note-bad">
          This request was changed outside of mcpproxy, so it can no longer be approved. The log has a record
          of it.
        </p>
      )}
      <dl className="facts">
        <dt>Requested by</dt>
        <dd>
          <Line text={[approval.principal, approval.client, approval.source].filter(Boolean).join(' · ')} />,{' '}
          <Time at={approval.created_at} />
        </dd>
        <dt>Reason</dt>
        <dd>{reason === undefined ? 'none given' : <Paragraph text={reason} />}</dd>
        <dt>Rule</dt>
        <dd>
          <Line text={approval.rule} />
        </dd>
        <dt>Tool</dt>
        <dd>
          {verdict && (
            <>
              Verdict: {verdict.verdict} (source: {verdict.source}). Inferred: {verdict.inferred}.{' '}
            </>
          )}
          {hints === undefined ? (
            'The server gives no hints.'
          ) : (
            <code>{<Line text={JSON.stringify(hints)} />}</code>
          )}
        </dd>
      </dl>
      <CallView approval={approval} whole={whole} onShowAll={() => setWhole(true)} />
      <Findings findings={approval.findings} />
      {similar && <Similar similar={similar} />}
      <History approval={approval} />
      {approval.scope === 'conversation' ? (
        <InConversation approval={approval} />
      ) : (
        <Decide approval={approval} notYet={notYet(approval, whole)} />
      )}
    </article>
  );
}

/** Why the call cannot be approved now: only a call that was shown in full can be approved. */
function notYet(approval: ApprovalDetail, whole: boolean): string | undefined {
  if (!approval.arguments_complete)
    return 'This call cannot be shown in full, so it cannot be approved. Deny it. The caller can send it again later.';
  return whole || !isLong(approval) ? undefined : 'Show the full call before you approve it.';
}

/** The next message of the person who talks with the assistant decides. */
function InConversation({ approval: { conversation_id: id, description } }: { approval: ApprovalDetail }) {
  return (
    <p className="note">
      {description !== undefined && <Line text={`${description} – `} />}
      The next message in the conversation decides about this call.{' '}
      {id !== undefined && (
        <Link href={`/assistant?conversation=${encodeURIComponent(id)}`}>Open the conversation</Link>
      )}
    </p>
  );
}

/** The differences from the previous call of the tool. */
function Similar({ similar }: { similar: NonNullable<ApprovalDetail['similar']> }) {
  const [open, setOpen] = useState(true);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Compared with the previous call of this tool, <Time at={similar.timestamp} />:{' '}
        {similar.changes.length === 0 ? 'the same arguments' : counted(similar.changes.length, 'difference')}
      </summary>
      {similar.changes.length > 0 && (
        <div className="table-scroll">
          <table>
            <thead>
              <tr>
                <th>Field</th>
                <th>Before</th>
                <th>Now</th>
              </tr>
            </thead>
            <tbody>
              {similar.changes.map(({ path, before, after }) => (
                <tr key={path}>
                  <td className="mono">
                    <Line text={path} />
                  </td>
                  <td>{before === undefined ? '–' : <Paragraph text={before} max={500} />}</td>
                  <td>{after === undefined ? '–' : <Paragraph text={after} max={500} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

/** The time left to decide. Not announced by screen readers, because it changes every second. */
function Countdown({ until }: { until: string }) {
  const left = Math.max(0, Math.ceil((Date.parse(until) - useNow()) / 1000));
  const [minutes, seconds] = [Math.floor(left / 60), left % 60];
  return (
    <span className={left < 60 ? 'countdown countdown-short' : 'countdown'} role="timer" aria-live="off">
      {left === 0 ? 'expired' : `${minutes}:${String(seconds).padStart(2, '0')} left`}
    </span>
  );
}
