import type { RouteOutput } from '../../../../src/contract/routes/api.ts';
import { visibleText, counted } from '../../../../src/lib/visible-text.ts';
import { Empty, Fetched } from '../../parts/states.tsx';
import { useApi } from '../../session/api.ts';

const REFRESH_MS = 2000;

/** The stderr output of the server, refreshed while it is shown. */
export function ServerLogs({ name }: { name: string }) {
  const logs = useApi('serverLogs', { name, tail: 200 }, { refetchMs: REFRESH_MS });
  return (
    <Fetched query={logs} what="the log">
      {(data) => <Lines {...data} />}
    </Fetched>
  );
}

function Lines({ lines, dropped }: RouteOutput<'serverLogs'>) {
  if (lines.length === 0)
    return (
      <Empty title="No log lines">
        <p>The stderr output of servers that are started by a command appears here.</p>
      </Empty>
    );
  return (
    <figure className="code">
      <figcaption>
        <span>Log{dropped > 0 && ` (${counted(dropped, 'older line')} dropped)`}</span>
      </figcaption>
      <pre tabIndex={0} aria-label="Log">
        {lines.map(({ time, text }, index) => (
          <span key={index} className="log-line">
            <span className="muted">{time.slice(11, 19)} </span>
            {visibleText(text.slice(0, 2000))}
            {'\n'}
          </span>
        ))}
      </pre>
    </figure>
  );
}
