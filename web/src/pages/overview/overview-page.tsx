import { Suspense } from 'react';
import { Link } from 'wouter';
import type { ServerView, Status } from '../../../../src/contract/status.ts';
import { useLive } from '../../live/live.ts';
import { Fetched, Loading } from '../../parts/states.tsx';
import { counted } from '../../../../src/lib/visible-text.ts';
import { queries, useApi } from '../../session/api.ts';
import { ErrorBoundary } from '../../shell/error-boundary.tsx';
import { loadPage } from '../../shell/load-page.tsx';
import { CallsChart } from './calls-chart.tsx';
import { Figures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Queue } from './queue.tsx';
import './overview.css';

// Below the fold: they come once the rest is there.
const CallFlow = loadPage('/ flow', () => import('./call-flow.tsx'));
const RiskMap = loadPage('/ risk', () => import('./risk-map.tsx'));

/** What needs a person, four figures, and two pictures: who calls what, and what tools may do. */
export default function OverviewPage() {
  const status = useApi('status', {}, { refetchMs: 10_000 });
  const servers = useApi('listServers', {});
  const calls = useApi('listActivity', { type: 'tool_call', limit: 1 }, { refetchMs: 10_000 });
  useLive('server', () => void queries.invalidateQueries({ queryKey: ['listServers'] }));
  useLive('tools', () => void queries.invalidateQueries({ queryKey: ['status'] }));
  const own = servers.data?.servers.filter(({ transport }) => transport !== 'builtin') ?? [];
  return (
    <>
      <div className="row row-apart overview-head">
        <h1>Overview</h1>
        {servers.data && <ServerStrip servers={servers.data.servers} />}
      </div>
      {calls.data && servers.data && (
        <FirstSteps hasServers={own.length > 0} hasCalls={calls.data.total > 0} />
      )}
      <Figures />
      <Queue status={status} servers={servers} />
      <CallsChart />
      <div className="pictures">
        <ErrorBoundary what="The flow of calls">
          <Suspense fallback={<Loading what="the flow of calls" />}>
            <CallFlow />
          </Suspense>
        </ErrorBoundary>
        <ErrorBoundary what="The risk map">
          <Suspense fallback={<Loading what="the risk of tools" />}>
            <RiskMap />
          </Suspense>
        </ErrorBoundary>
      </div>
      <Fetched query={status} what="the state of the proxy">
        {({ tools, shared_config: shared }) => <Coverage tools={tools} shared={shared} />}
      </Fetched>
    </>
  );
}

const SHOWN = 10;

/** The servers and their states, small. */
function ServerStrip({ servers }: { servers: readonly ServerView[] }) {
  return (
    <ul className="strip" aria-label="Servers">
      {servers.slice(0, SHOWN).map(({ name, state }) => (
        <li key={name}>
          <Link href={`/servers?${new URLSearchParams({ server: name })}`}>
            <span className={`dot dot-${state}`} aria-hidden="true" />
            <span>{name}</span>
            <span className="sr-only">{state}</span>
          </Link>
        </li>
      ))}
      {servers.length > SHOWN && (
        <li>
          <Link href="/servers">{servers.length - SHOWN} more</Link>
        </li>
      )}
    </ul>
  );
}

function Coverage({ tools, shared }: { tools: Status['tools']; shared: Status['shared_config'] }) {
  const silent = tools.total - tools.annotated;
  return (
    <p className="muted">
      Of <Link href="/tools">{counted(tools.total, 'tool')}</Link>,{' '}
      <Link href="/tools?unannotated=true">{silent.toLocaleString('en')} without hints</Link> of their server,{' '}
      {tools.decided.toLocaleString('en')} decided by you, {tools.withheld.toLocaleString('en')} withheld.
      {shared?.source === 'database' && ` Configuration revision ${shared.revision}.`}
    </p>
  );
}
