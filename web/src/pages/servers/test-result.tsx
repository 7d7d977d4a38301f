import type { ServerTest } from '../../../../src/contract/status.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { Line, Paragraph } from '../../parts/untrusted.tsx';

/** What a connection test found. */
export function TestResult({ test }: { test: ServerTest }) {
  const { ok, error, next_step: nextStep, duration_ms: ms, server_info: info, tools = [], complaints } = test;
  if (!ok)
    return (
      <div className="note note-bad" role="alert">
        <p>
          <strong>The test failed after {Math.round(ms)} ms.</strong>
        </p>
        {error !== undefined && <Paragraph text={error} />}
        {nextStep !== undefined && <p>{nextStep}</p>}
      </div>
    );
  return (
    <div className="note" role="status">
      <p>
        <strong>The connection works</strong> ({Math.round(ms)} ms).{' '}
        {info && <Line text={`${info.name} ${info.version}`} max={120} />} offers{' '}
        {counted(tools.length, 'tool')}.
      </p>
      {complaints?.map((complaint) => (
        <p key={complaint}>
          <Line text={complaint} max={300} />
        </p>
      ))}
      {tools.length > 0 && (
        <details>
          <summary>Tools</summary>
          <ul className="plain-list">
            {tools.slice(0, 200).map(({ name, hint }) => (
              <li key={name} className="row">
                <OperationBadge operation={hint} />
                <code>
                  <Line text={name} max={120} />
                </code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
