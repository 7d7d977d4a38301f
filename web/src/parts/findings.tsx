import type { Finding } from '../../../src/contract/tool.ts';
import { Line } from './untrusted.tsx';

/** Text of a tool that looks meant for the model instead of the person. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <div className="note note-bad">
      <p>
        <strong>The text of this tool looks meant for the model.</strong>
      </p>
      <ul>
        {findings.map(({ rule, path, why, excerpt }) => (
          <li key={`${rule} ${path}`}>
            <code>{<Line text={path} max={120} />}</code>: {<Line text={why} />} –{' '}
            <Line text={excerpt} max={160} />
          </li>
        ))}
      </ul>
    </div>
  );
}
