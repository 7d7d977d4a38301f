import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { FailureGroup } from '../../../../src/contract/activity.ts';
import type { Approval } from '../../../../src/contract/approval.ts';
import type { ServerView, Status } from '../../../../src/contract/status.ts';
import type { JudgedTool } from '../../../../src/contract/tool.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { useIsLost } from '../../live/connection.ts';
import { useRefresh } from '../../live/use-refresh.ts';
import { Icon } from '../../parts/icon.tsx';
import { Fetched } from '../../parts/states.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useApi } from '../../session/api.ts';
import { usePending } from '../approvals/use-pending.ts';
import { rankOf, useReview } from '../review/use-review.ts';
import { ConfigReview } from './config-review.tsx';
import { FailureRow, PendingRow, ServerRow, ToolRow } from './queue-items.tsx';
import { QueueRow } from './queue-row.tsx';
import { seenUntil, setSeen } from './seen.ts';
import { SharedConfig } from './shared-config.tsx';
import { SilentDeletesRow, useSilentDeletes } from './silent-deletes.tsx';

const SHOWN = 5;
const FAILURES = 'type:tool_call status:refused,denied,error,unknown since:24h';
const FAILURES_ASKED = { filter: FAILURES, buckets: 24 };
const REFRESH_MS = 60_000;

interface Answer<T> {
  data: T | undefined;
  error: Error | null;
  refetch: () => unknown;
}

interface Answers {
  status: Answer<Status>;
  servers: Answer<{ servers: ServerView[] }>;
}

/** Everything that needs a person, the most urgent first, and what was checked and needs nobody. */
export function Queue({ status, servers }: Answers) {
  const pending = usePending();
  const review = useReview();
  const silent = useSilentDeletes();
  const failures = useApi('activityBreakdown', FAILURES_ASKED, { refetchMs: REFRESH_MS });
  useRefresh({ on: 'activity', route: 'activityBreakdown', input: FAILURES_ASKED, everyMs: 3000 });
  return (
    <section className="card stack overview-queue" aria-label="Needs attention">
      <h2>Needs attention</h2>
      <ol className="queue">
        {status.data && <ProxyRows status={status.data} />}
        {pending.data && <PendingRows approvals={pending.data.approvals} />}
        {servers.data?.servers.filter(isBroken).map((server) => (
          <ServerRow key={server.name} server={server} />
        ))}
        {review.data && <ToolRows tools={review.data.tools} />}
        {silent.data && <SilentRows tools={silent.data.tools} />}
        {failures.data && <FailureRows groups={failures.data.failures} />}
      </ol>
      <ul className="checked" aria-label="Checked">
        <Check query={status} what="the state of the proxy">
          {({ activity }) =>
            activity.log === 'ok' && !activity.rollback && 'The activity log is being written.'
          }
        </Check>
        <Check query={pending} what="pending approvals">
          {({ approvals }) => approvals.length === 0 && 'No calls are waiting for approval.'}
        </Check>
        <Check query={servers} what="servers">
          {(data) => !data.servers.some(isBroken) && 'No server fails or needs a log-in.'}
        </Check>
        <Check query={review} what="tools to review">
          {(data) => data.tools.length === 0 && 'No tools to review.'}
        </Check>
        <Check query={silent} what="tools without hints">
          {(data) => data.tools.every(isDecided) && 'No tool looks destructive without a hint.'}
        </Check>
        <Check query={failures} what="refused calls">
          {(data) => data.failures.length === 0 && 'No refused calls and no failures in 24 hours.'}
        </Check>
      </ul>
    </section>
  );
}

/** The one that has waited longest comes first: its time ends first. */
function PendingRows({ approvals }: { approvals: readonly Approval[] }) {
  const oldestFirst = approvals.toReversed();
  return (
    <>
      {oldestFirst.slice(0, SHOWN).map((approval) => (
        <PendingRow key={approval.id} approval={approval} />
      ))}
      <More n={approvals.length - SHOWN} what="pending approval" href="/approvals" />
    </>
  );
}

/** Tools that are only new are many after a server was added: they are one line. */
function ToolRows({ tools }: { tools: readonly JudgedTool[] }) {
  const urgent = tools.filter((tool) => rankOf(tool) < 3).slice(0, SHOWN);
  return (
    <>
      {urgent.map((tool) => (
        <ToolRow key={tool.name} tool={tool} />
      ))}
      <More n={tools.length - urgent.length} what="tool to review" whats="tools to review" href="/review" />
    </>
  );
}

const isDecided = ({ book }: JudgedTool) => book.decision !== null;

const isBroken = ({ enabled, state }: ServerView) =>
  enabled && (state === 'failed' || state === 'needs_login');

/** A statement that only an answer of the proxy can prove; while there is none, it says so instead. */
function Check<T>({
  query,
  what,
  children,
}: {
  query: Answer<T>;
  what: string;
  children: (data: T) => string | false;
}) {
  const isLost = useIsLost();
  if (query.data === undefined || (query.error && !isLost))
    return (
      <li>
        <Fetched query={query} what={what}>
          {() => null}
        </Fetched>
      </li>
    );
  const said = children(query.data);
  if (said === false || isLost) return null;
  return (
    <li>
      <Icon name="check" />
      {said}
    </li>
  );
}

function More({ n, what, whats, href }: { n: number; what: string; whats?: string; href: string }) {
  if (n <= 0) return null;
  return (
    <li className="queue-rest">
      <Link href={href}>{counted(n, what, whats)} more</Link>
    </li>
  );
}

function SilentRows({ tools }: { tools: readonly JudgedTool[] }) {
  const names = tools.filter((tool) => !isDecided(tool)).map(({ name }) => name);
  return names.length === 0 ? null : <SilentDeletesRow names={names} />;
}

const nameOf = ({ status, code, tool, server, agent }: FailureGroup) =>
  JSON.stringify([status, code, tool ?? server, agent]);

/** Groups that happened again since a person has seen them. */
function FailureRows({ groups }: { groups: readonly FailureGroup[] }) {
  const [, setChanged] = useState(0);
  const fresh = groups.filter((group) => (seenUntil(nameOf(group)) ?? '') < group.last);
  function seen(group: FailureGroup, until: string | undefined): void {
    setSeen(nameOf(group), until);
    setChanged((n) => n + 1);
  }
  return (
    <>
      {fresh.slice(0, SHOWN).map((group) => (
        <FailureRow
          key={nameOf(group)}
          group={group}
          onSeen={() => {
            const before = seenUntil(nameOf(group));
            seen(group, group.last);
            showToast('It appears again when it happens again.', async () => seen(group, before));
          }}
        />
      ))}
      <More
        n={fresh.length - SHOWN}
        what="reason for refusals"
        whats="reasons for refusals"
        href={`/activity?${new URLSearchParams({ filter: FAILURES, groups: 'true' })}`}
      />
    </>
  );
}

/** Problems of the proxy itself, which come before everything else. */
function ProxyRows({ status }: { status: Status }) {
  const { activity, config_error, config_state, shared_config } = status;
  const hasReview = config_state && (config_state.waiting ?? config_state.weakened.length > 0);
  const shared = shared_config && hasTrouble(shared_config);
  return (
    <>
      {activity.log === 'unavailable' && (
        <Alert title="The activity log cannot be written">
          <Line text={activity.reason ?? ''} max={400} /> Calls that change data are refused until the log can
          be written again.
        </Alert>
      )}
      {config_error !== null && (
        <Alert title="The configuration file has an error">
          The previous configuration stays active: <Line text={config_error} />
        </Alert>
      )}
      {hasReview && (
        <li className="queue-row queue-bad queue-whole">
          <ConfigReview state={config_state} />
        </li>
      )}
      {shared && (
        <li className="queue-row queue-bad queue-whole">
          <SharedConfig state={shared_config} />
        </li>
      )}
    </>
  );
}

const hasTrouble = ({ problem, ineffective, replicas }: NonNullable<Status['shared_config']>): boolean =>
  problem !== undefined || ineffective.length > 0 || replicas.some(({ differs }) => differs.length > 0);

function Alert({ title, children }: { title: string; children: ReactNode }) {
  return (
    <QueueRow tone="bad" icon="warning" title={<strong role="alert">{title}</strong>} detail={children} />
  );
}
