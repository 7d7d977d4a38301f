import { Link } from 'wouter';
import type { ServerView, Status } from '../../../../src/contract/status.ts';
import { useLive } from '../../live/live.ts';
import { Fetched } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { queries, useApi } from '../../session/api.ts';
import { StateBadge } from '../servers/state-badge.tsx';
import { CallsChart } from './calls-chart.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NeedsALook } from './needs-a-look.tsx';
import { WaitingApprovals } from './waiting-approvals.tsx';
import './overview.css';

/** What is connected, what agents do, what waits for a person. */
export default function OverviewPage() {
  const status = useApi('status', {}, { refetchMs: 10_000 });
  const servers = useApi('listServers', {});
  useLive('server', () => void queries.invalidateQueries({ queryKey: ['listServers'] }));
  useLive('tools', () => void queries.invalidateQueries({ queryKey: ['status'] }));
  const own = servers.data?.servers.filter(({ transport }) => transport !== 'builtin') ?? [];
  return (
    <>
      <h1>Overview</h1>
      <Fetched query={status} what="the state of the proxy">
        {(data) => <Troubles status={data} />}
      </Fetched>
      {status.data && servers.data && (
        <FirstSteps hasServers={own.length > 0} hasCalls={status.data.activity.records > 0} />
      )}
      <CallsChart />
      <div className="cards">
        <WaitingApprovals />
        <NeedsALook />
        <section className="card stack">
          <div className="row row-apart">
            <h2>Servers</h2>
            <Link href="/servers">all</Link>
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
            <span className="muted">{tool_count} tools</span>
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

/** What must not go unnoticed. */
function Troubles({ status: { activity, config_error } }: { status: Status }) {
  return (
    <>
      {activity.log === 'unavailable' && (
        <p className="note note-bad" role="alert">
          The activity log cannot be written: {activity.reason}. Calls that change something are refused until
          it can be.
        </p>
      )}
      {config_error !== null && (
        <p className="note note-warn" role="alert">
          The configuration file has an error, and the one before still serves: <Line text={config_error} />
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
        <Link href="/tools">verdict book</Link>
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
          <Link href="/tools?unannotated=true">{silent} say nothing</Link> of what they do
        </li>
        <li>
          <Link href="/tools?unannotated=true&inferred=destructive">{tools.unannotated_destructive}</Link> of
          them look destructive
        </li>
        <li>
          <Link href="/tools?changed=true">{tools.new + tools.changed}</Link> are new or changed,{' '}
          {tools.withheld} withheld
        </li>
      </ul>
    </section>
  );
}
