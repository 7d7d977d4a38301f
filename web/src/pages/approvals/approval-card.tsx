import { useState } from 'react';
import { Link } from 'wouter';
import type { ApprovalDetail } from '../../../../src/contract/approval.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { Findings } from '../../parts/findings.tsx';
import { Fetched } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line, Paragraph } from '../../parts/untrusted.tsx';
import { useApi } from '../../session/api.ts';
import { CallView, isLong } from './call-view.tsx';
import { Countdown } from './countdown.tsx';
import { Decide } from './decide.tsx';

/** One call that waits: everything that a person needs to decide on exactly this one. */
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
      <dl className="facts">
        <dt>Asked by</dt>
        <dd>
          <Line text={[approval.principal, approval.client, approval.source].filter(Boolean).join(' · ')} />,{' '}
          <Time at={approval.created_at} />
        </dd>
        <dt>Because</dt>
        <dd>{reason === undefined ? 'no reason was given' : <Paragraph text={reason} />}</dd>
        <dt>Held because</dt>
        <dd>
          <Line text={approval.rule} />
        </dd>
        <dt>The tool</dt>
        <dd>
          {verdict && (
            <>
              is held to {verdict.verdict} ({verdict.source}); we would say {verdict.inferred}.{' '}
            </>
          )}
          {hints === undefined ? (
            'Its server gives no hints.'
          ) : (
            <code>{<Line text={JSON.stringify(hints)} />}</code>
          )}
        </dd>
      </dl>
      <CallView approval={approval} whole={whole} onShowAll={() => setWhole(true)} />
      <Findings findings={approval.findings} />
      {similar && <Similar similar={similar} />}
      {approval.scope === 'conversation' ? (
        <InConversation approval={approval} />
      ) : (
        <Decide approval={approval} notYet={notYet(approval, whole)} />
      )}
    </article>
  );
}

/** Why the call cannot be approved in this view; what has not been shown whole cannot be approved. */
function notYet(approval: ApprovalDetail, whole: boolean): string | undefined {
  if (!approval.arguments_complete)
    return 'This call cannot be shown whole, so it cannot be approved. Deny it; the caller can ask again later.';
  return whole || !isLong(approval) ? undefined : 'Show the whole call before you approve it.';
}

/** The person who talks with the assistant decides, by the next message. */
function InConversation({ approval: { conversation_id: id, description } }: { approval: ApprovalDetail }) {
  return (
    <p className="note">
      {description !== undefined && <Line text={`${description} – `} />}
      The next message in the conversation decides.{' '}
      {id !== undefined && <Link href={`/assistant?conversation=${encodeURIComponent(id)}`}>Go there</Link>}
    </p>
  );
}

/** What is different from the last time: usually the part that matters. */
function Similar({ similar }: { similar: NonNullable<ApprovalDetail['similar']> }) {
  const [open, setOpen] = useState(true);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Compared with the last such call, <Time at={similar.timestamp} />:{' '}
        {similar.changes.length === 0 ? 'the same arguments' : `${similar.changes.length} difference(s)`}
      </summary>
      {similar.changes.length > 0 && (
        <div className="table-scroll">
          <table>
            <thead>
              <tr>
                <th>Where</th>
                <th>Then</th>
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
