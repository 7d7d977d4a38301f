import { useState } from 'react';
import type { ServerView } from '../../../../src/contract/status.ts';
import { useLive } from '../../live/live.ts';
import { Empty, Fetched } from '../../parts/states.tsx';
import { useOpened } from '../../parts/use-opened.ts';
import { Line } from '../../parts/untrusted.tsx';
import { counted } from '../../../../src/lib/visible-text.ts';
import { queries, useApi } from '../../session/api.ts';
import { AddServer } from './add-server.tsx';
import { ServerDrawer } from './server-drawer.tsx';
import { ConnectionProgress, StateBadge } from './state-badge.tsx';
import './servers.css';

/** All servers with their state and last error. */
export default function ServersPage() {
  const servers = useApi('listServers', {});
  const [adding, setAdding] = useState(false);
  const [open, setOpen] = useOpened('server');
  useLive('server', () => void queries.invalidateQueries({ queryKey: ['listServers'] }));
  const opened = servers.data?.servers.find(({ name }) => name === open);
  return (
    <>
      <div className="row row-apart">
        <h1>Servers</h1>
        <button type="button" className="primary" onClick={() => setAdding(true)}>
          Add a server
        </button>
      </div>
      <Fetched query={servers} what="servers">
        {({ servers: all }) => (
          <>
            <ServerCards servers={all} onOpen={setOpen} />
            {all.every(({ transport }) => transport === 'builtin') && (
              <Empty title="No servers added yet">
                <p>Add a server by command or URL, or import the servers of a client.</p>
              </Empty>
            )}
          </>
        )}
      </Fetched>
      {adding && <AddServer onClose={() => setAdding(false)} />}
      {opened && <ServerDrawer server={opened} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function ServerCards({ servers, onOpen }: { servers: ServerView[]; onOpen: (name: string) => void }) {
  return (
    <ul className="cards plain-cards">
      {servers.map((server) => (
        <li key={server.name} className="card stack server-card">
          <div className="row row-apart">
            <h2>
              <button type="button" className="link" onClick={() => onOpen(server.name)}>
                {server.name}
              </button>
            </h2>
            <StateBadge state={server.state} />
          </div>
          {server.title !== server.name && (
            <p className="muted">
              <Line text={server.title} max={80} />
            </p>
          )}
          <p className="mono muted server-target">
            <Line text={server.target} max={160} />
          </p>
          <ConnectionProgress server={server} />
          {server.last_error !== undefined && (
            <p className="note note-bad">
              <Line text={server.last_error} max={300} />
            </p>
          )}
          <p>
            {counted(server.tool_count, 'tool')} · {counted(server.in_flight, 'call')} in flight
          </p>
        </li>
      ))}
    </ul>
  );
}
