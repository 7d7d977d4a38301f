import { Link } from 'wouter';
import type { ServerView, Status } from '../../../../src/contract/status.ts';
import { useLive } from '../../live/live.ts';
import { Fetched } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { counted } from '../../../../src/lib/visible-text.ts';
import { queries, useApi } from '../../session/api.ts';
import { StateBadge } from '../servers/state-badge.tsx';
import { ConfigReview } from './config-review.tsx';
import { SharedConfig } from './shared-config.tsx';
import { CallsChart } from './calls-chart.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NeedsAttention, PendingApprovals } from './needs-attention.tsx';
import './overview.css';

/** Servers, recent calls and pending approvals at a glance. */
export default function OverviewPage() {
  const status = useApi('status', {}, { refetchMs: 10_000 });
  const servers = useApi('listServers', {});
  const calls = useApi('listActivity', { type: 'tool_call', limit: 1 }, { refetchMs: 10_000 });
  useLive('server', () => void queries.invalidateQueries({ queryKey: ['listServers'] }));
  useLive('tools', () => void queries.invalidateQueries({ queryKey: ['status'] }));
  const own = servers.data?.servers.filter(({ transport }) => transport !== 'builtin') ?? [];
  return (
    <>
      <h1>Overview</h1>
      <Fetched query={status} what="the state of the proxy">
        {(data) => <Troubles status={data} />}
      </Fetched>
      {calls.data && servers.data && (
        <FirstSteps hasServers={own.length > 0} hasCalls={calls.data.total > 0} />
      )}
      <CallsChart />
      <div className="cards">
        <PendingApprovals />
        <NeedsAttention />
        <section className="card stack">
          <div className="row row-apart">
            <h2>Servers</h2>
            <Link href="/servers">All servers</Link>
          </div>
          <Fetched query={servers} what="servers">
            {(data) => <ServerList servers={data.servers} />}
          </Fetched>
        </section>
        {status.data && <Coverage tools={status.data.tools} />}
      </div>
    </>
  );
}

function ServerList({ servers }: { servers: ServerView[] }) {
  return (
    <ul className="looks">
      {servers.map(({ name, state, tool_count, last_error }) => (
        <li key={name}>
          <div className="row">
            <StateBadge state={state} />
            <strong>{name}</strong>
            <span className="muted">{counted(tool_count, 'tool')}</span>
          </div>
          {last_error !== undefined && (
            <p className="muted">
              <Line text={last_error} max={160} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Problems that need action. */
function Troubles({ status: { activity, config_error, config_state, shared_config } }: { status: Status }) {
  return (
    <>
      {config_state && <ConfigReview state={config_state} />}
      {shared_config && <SharedConfig state={shared_config} />}
      {activity.log === 'unavailable' && (
        <p className="note note-bad" role="alert">
          The activity log cannot be written: {activity.reason}. Calls that change data are refused until the
          log can be written again.
        </p>
      )}
      {config_error !== null && (
        <p className="note note-warn" role="alert">
          The configuration file has an error. The previous configuration stays active:{' '}
          <Line text={config_error} />
        </p>
      )}
    </>
  );
}

function Coverage({ tools }: { tools: Status['tools'] }) {
  const silent = tools.total - tools.annotated;
  return (
    <section className="card stack">
      <div className="row row-apart">
        <h2>Tools</h2>
        <Link href="/tools">All tools</Link>
      </div>
      <p>{tools.coverage}</p>
      <meter
        min={0}
        max={Math.max(1, tools.total)}
        value={tools.annotated}
        aria-label="Tools with hints from their server"
      />
      <ul className="looks">
        <li>
          <Link href="/tools?unannotated=true">{counted(silent, 'tool')}</Link> without hints
        </li>
        <li>
          <Link href="/tools?unannotated=true&inferred=destructive">
            {counted(tools.unannotated_destructive, 'tool')}
          </Link>{' '}
          without hints that may be destructive
        </li>
        <li>
          <Link href="/tools?changed=true">{counted(tools.new + tools.changed, 'new or changed tool')}</Link>,{' '}
          {tools.withheld} withheld
        </li>
      </ul>
    </section>
  );
}
