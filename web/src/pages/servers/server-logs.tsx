import type { RouteOutput } from '../../../../src/contract/routes/api.ts';
import { visibleText } from '../../../../src/lib/visible-text.ts';
import { Empty, Fetched } from '../../parts/states.tsx';
import { useApi } from '../../session/api.ts';

const REFRESH_MS = 2000;

/** What the server writes to stderr, as it is written. */
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
        <p>Servers that are started by a command show here what they write to stderr.</p>
      </Empty>
    );
  return (
    <figure className="code">
      <figcaption>
        <span>Log{dropped > 0 && ` (${dropped} older lines are gone)`}</span>
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
