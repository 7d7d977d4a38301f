import { useState } from 'react';
import { Link } from 'wouter';
import type { ServerView } from '../../../../src/contract/status.ts';
import { Drawer } from '../../parts/drawer.tsx';
import { Problem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { Line, Paragraph } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { optimistically, useChange } from '../../session/api.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { ServerLogin } from './server-login.tsx';
import { ServerLogs } from './server-logs.tsx';
import { ServerSettings } from './server-settings.tsx';
import { StateBadge, ConnectionProgress } from './state-badge.tsx';

/** One server: state, details, actions, settings and log. */
export function ServerDrawer({ server, onClose }: { server: ServerView; onClose: () => void }) {
  return (
    <Drawer title={server.name} onClose={onClose}>
      <div className="row">
        <StateBadge state={server.state} />
        <span className="muted">
          since <Time at={server.since} />
        </span>
        <ConnectionProgress server={server} />
        <Link href={`/tools?server=${encodeURIComponent(server.name)}`}>
          {counted(server.tool_count, 'tool')}
        </Link>
        <Link href={`/activity?server=${encodeURIComponent(server.name)}`}>View calls</Link>
      </div>
      {server.last_error !== undefined && (
        <div className="note note-bad">
          <Paragraph text={server.last_error} />
          {server.next_step !== undefined && <p>{server.next_step}</p>}
        </div>
      )}
      <ServerLogin server={server} />
      <Facts server={server} />
      <Actions server={server} onRemoved={onClose} />
      {server.transport !== 'builtin' && <ServerSettings name={server.name} />}
      <ServerLogs name={server.name} />
    </Drawer>
  );
}

function Facts({ server }: { server: ServerView }) {
  const { transport, target, protocol, server_info: info, pid, restarts, in_flight: inFlight } = server;
  return (
    <dl className="facts">
      {server.title !== server.name && (
        <>
          <dt>Configured name</dt>
          <dd>
            <Line text={server.title} max={200} />
          </dd>
        </>
      )}
      {server.description !== undefined && (
        <>
          <dt>Description</dt>
          <dd>
            <Line text={server.description} max={300} />
          </dd>
        </>
      )}
      {server.warnings && (
        <>
          <dt>Configuration warnings</dt>
          <dd>
            <Line text={server.warnings.join('; ')} max={600} />
          </dd>
        </>
      )}
      <dt>Transport</dt>
      <dd>
        {transport} <code>{<Line text={target} />}</code>
      </dd>
      {info && (
        <>
          <dt>Server info</dt>
          <dd>
            <Line text={`${info.name} ${info.version}`} max={120} />
          </dd>
        </>
      )}
      <dt>Protocol</dt>
      <dd>{protocol ?? '–'}</dd>
      {pid !== undefined && (
        <>
          <dt>Process</dt>
          <dd>{pid}</dd>
        </>
      )}
      <dt>Restarts</dt>
      <dd>{restarts}</dd>
      <dt>Calls in flight</dt>
      <dd>{inFlight}</dd>
    </dl>
  );
}

function Actions({ server, onRemoved }: { server: ServerView; onRemoved: () => void }) {
  const restart = useChange('restartServer', ['listServers']);
  const enable = useChange('enableServer', ['listServers']);
  const disable = useChange('disableServer', ['listServers']);
  const remove = useChange('removeServer', ['listServers', 'status']);
  const [sure, setSure] = useState(false);
  const task = useTask();
  const { name, enabled, transport } = server;
  const toggle = () =>
    task.run(async () => {
      const expected = (before: { servers: ServerView[] }) => ({
        servers: before.servers.map((each) => (each.name === name ? { ...each, enabled: !enabled } : each)),
      });
      const change = enabled ? disable : enable;
      await optimistically({ route: 'listServers', input: {}, expected }, () => change.mutateAsync({ name }));
      const back = enabled ? enable : disable;
      showToast(`${name} is ${enabled ? 'disabled' : 'enabled'}.`, () => back.mutateAsync({ name }));
    });
  if (transport === 'builtin') return <p className="muted">This server is built in and cannot be changed.</p>;
  return (
    <div className="stack">
      <div className="row">
        <button
          type="button"
          disabled={task.busy || !enabled}
          onClick={() => task.run(() => restart.mutateAsync({ name }))}
        >
          Restart
        </button>
        <button type="button" disabled={task.busy} onClick={toggle}>
          {enabled ? 'Disable' : 'Enable'}
        </button>
        {sure ? (
          <>
            <button
              type="button"
              className="danger"
              disabled={task.busy}
              onClick={() =>
                task.run(async () => {
                  await remove.mutateAsync({ name });
                  onRemoved();
                })
              }
            >
              Remove permanently
            </button>
            <button type="button" className="quiet" onClick={() => setSure(false)}>
              Cancel
            </button>
          </>
        ) : (
          <button type="button" className="danger" onClick={() => setSure(true)}>
            Remove…
          </button>
        )}
      </div>
      {task.error !== undefined && <Problem error={task.error} />}
    </div>
  );
}
