import { useState } from 'react';
import { Link } from 'wouter';
import type { ServerView } from '../../../../src/contract/status.ts';
import { Drawer } from '../../parts/drawer.tsx';
import { Problem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line, Paragraph } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useChange } from '../../session/api.ts';
import { EditServer } from './edit-server.tsx';
import { ServerLogs } from './server-logs.tsx';
import { StateBadge, Waiting, whatToDo } from './state-badge.tsx';

/** One server: how it is, what it says, and what can be done with it. */
export function ServerDrawer({ server, onClose }: { server: ServerView; onClose: () => void }) {
  const advice = whatToDo(server);
  return (
    <Drawer title={server.name} onClose={onClose}>
      <div className="row">
        <StateBadge state={server.state} />
        <span className="muted">
          since <Time at={server.since} />
        </span>
        <Waiting server={server} />
        <Link href={`/tools?server=${encodeURIComponent(server.name)}`}>{server.tool_count} tools</Link>
        <Link href={`/activity?server=${encodeURIComponent(server.name)}`}>its calls</Link>
      </div>
      {server.last_error !== undefined && (
        <div className="note note-bad">
          <Paragraph text={server.last_error} />
          {advice && <p>{advice}</p>}
        </div>
      )}
      <Facts server={server} />
      <Actions server={server} onGone={onClose} />
      {server.transport !== 'builtin' && <EditServer name={server.name} onDone={() => {}} />}
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
          <dt>Name as written</dt>
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
          <dt>Configuration</dt>
          <dd>
            <Line text={server.warnings.join('; ')} max={600} />
          </dd>
        </>
      )}
      <dt>Reached by</dt>
      <dd>
        {transport} <code>{<Line text={target} />}</code>
      </dd>
      {info && (
        <>
          <dt>Calls itself</dt>
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
      <dt>Calls under way</dt>
      <dd>{inFlight}</dd>
    </dl>
  );
}

function Actions({ server, onGone }: { server: ServerView; onGone: () => void }) {
  const restart = useChange('restartServer', ['listServers']);
  const enable = useChange('enableServer', ['listServers']);
  const disable = useChange('disableServer', ['listServers']);
  const remove = useChange('removeServer', ['listServers', 'status']);
  const [sure, setSure] = useState(false);
  const task = useTask();
  const { name, enabled, transport } = server;
  if (transport === 'builtin') return <p className="muted">This server is part of mcpproxy.</p>;
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
        <button
          type="button"
          disabled={task.busy}
          onClick={() => task.run(() => (enabled ? disable : enable).mutateAsync({ name }))}
        >
          {enabled ? 'Switch off' : 'Switch on'}
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
                  onGone();
                })
              }
            >
              Remove it for good
            </button>
            <button type="button" className="quiet" onClick={() => setSure(false)}>
              Keep it
            </button>
          </>
        ) : (
          <button type="button" className="danger" onClick={() => setSure(true)}>
            Remove …
          </button>
        )}
      </div>
      {task.error !== undefined && <Problem error={task.error} />}
    </div>
  );
}
