import { Link } from 'wouter';
import { filterText, type FailureGroup } from '../../../../src/contract/activity.ts';
import type { Approval } from '../../../../src/contract/approval.ts';
import type { ServerView } from '../../../../src/contract/status.ts';
import type { JudgedTool } from '../../../../src/contract/tool.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { OperationBadge, StatusBadge } from '../../parts/badges.tsx';
import { Problem } from '../../parts/states.tsx';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useChange } from '../../session/api.ts';
import { ApprovalCard } from '../approvals/approval-card.tsx';
import '../approvals/approvals.css';
import { ReviewTool } from '../review/review-tool.tsx';
import { ServerLogin } from '../servers/server-login.tsx';
import { StateBadge } from '../servers/state-badge.tsx';
import { StandingBadge } from '../tools/tool-drawer.tsx';
import { QueueRow } from './queue-row.tsx';

/** A person is waiting, and the time is running. The card has the whole call, so the decision is made there. */
export function PendingRow({ approval }: { approval: Approval }) {
  const { id, operation, server, tool, principal, reason, expires_at } = approval;
  return (
    <QueueRow
      tone="wait"
      icon="hand"
      title={
        <>
          <OperationBadge operation={operation} />
          <span className="mono">
            <Line text={`${server}:${tool}`} max={80} />
          </span>
          <span className="muted">
            expires <Time at={expires_at} />
          </span>
        </>
      }
      detail={
        <>
          <Line text={principal} max={60} /> waits for a decision
          {reason !== undefined && (
            <>
              : “<Line text={reason} max={160} />”
            </>
          )}
        </>
      }
      more={{ label: 'Decide', view: () => <ApprovalCard id={id} /> }}
    />
  );
}

/** A server that agents cannot use. */
export function ServerRow({ server }: { server: ServerView }) {
  const { name, state, last_error, next_step, since } = server;
  const needsLogin = state === 'needs_login';
  const restart = useChange('restartServer', ['listServers', 'status']);
  const task = useTask();
  return (
    <QueueRow
      tone="bad"
      icon="server"
      title={
        <>
          <StateBadge state={state} />
          <Link href={`/servers?${new URLSearchParams({ server: name })}`}>
            <Line text={name} max={64} />
          </Link>
          <span className="muted">
            since <Time at={since} />
          </span>
        </>
      }
      detail={
        <>
          <Line
            text={[last_error, next_step].filter(Boolean).join(' – ') || 'No reason is known.'}
            max={400}
          />
          {task.error !== undefined && <Problem error={task.error} />}
        </>
      }
      actions={
        !needsLogin && (
          <button
            type="button"
            disabled={task.busy}
            onClick={() => task.run(() => restart.mutateAsync({ name }))}
          >
            Restart
          </button>
        )
      }
      {...(needsLogin && { more: { label: 'Log in', view: () => <ServerLogin server={server} /> } })}
    />
  );
}

/** A new or changed definition. */
export function ToolRow({ tool }: { tool: JudgedTool }) {
  const { name, suspicious, withheld, standing, changed_at } = tool;
  const what = suspicious
    ? 'Its text looks like instructions for the model.'
    : standing === 'changed'
      ? 'It differs from what was accepted.'
      : 'It was never accepted.';
  return (
    <QueueRow
      tone={suspicious ? 'bad' : withheld ? 'warn' : 'plain'}
      icon={suspicious ? 'warning' : 'wrench'}
      title={
        <>
          <StandingBadge tool={tool} />
          <Link href={`/tools?${new URLSearchParams({ tool: name })}`} className="mono">
            <Line text={name} max={80} />
          </Link>
          <span className="muted">
            <Time at={changed_at} />
          </span>
        </>
      }
      detail={`${what} ${withheld ? 'Agents cannot use it.' : 'Agents can use it.'}`}
      more={{ label: 'Review', view: () => <ReviewTool tool={tool} /> }}
    />
  );
}

interface FailureProps {
  group: FailureGroup;
  onSeen: () => void;
}

/** The records of a group. */
function addressOf({ status, code, tool, server, agent }: FailureGroup): string {
  const values = { status, code, tool, server: tool === undefined ? server : undefined, agent };
  const clauses = Object.entries(values).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field: field as 'status', values: [value], exclude: false }],
  );
  return `/activity?${new URLSearchParams({ filter: filterText({ clauses, words: [], since: '24h' }) })}`;
}

/** Calls that did not succeed for the same reason. */
export function FailureRow({ group, onSeen }: FailureProps) {
  const { status, code, tool, server, agent, count, last, points } = group;
  return (
    <QueueRow
      tone={status === 'unknown' ? 'bad' : 'plain'}
      icon="list"
      title={
        <>
          <StatusBadge status={status} />
          <span className="mono">
            <Line text={code ?? 'no code'} max={60} />
          </span>
          <strong>{counted(count, 'time')}</strong>
          <span className="queue-spark">
            <Sparkline points={points} />
          </span>
        </>
      }
      detail={
        <>
          <Line text={[agent, tool ?? server].filter(Boolean).join(' → ')} max={160} />, last{' '}
          <Time at={last} />
        </>
      }
      actions={
        <>
          <Link href={addressOf(group)} className="button">
            Show
          </Link>
          <button type="button" className="quiet" onClick={onSeen}>
            Seen
          </button>
        </>
      }
    />
  );
}
