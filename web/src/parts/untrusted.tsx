import { visibleLine, visibleText } from '../../../src/lib/visible-text.ts';
import type { Finding } from '../../../src/contract/tool.ts';

const MAX_LINE = 500;

/** One line of untrusted text: hidden characters become visible, long text is truncated. */
export function Line({ text, max = MAX_LINE }: { text: string; max?: number }) {
  const cut = text.length > max;
  return (
    <bdi title={cut ? `${text.length} characters` : undefined}>
      {visibleLine(cut ? `${text.slice(0, max)}…` : text)}
    </bdi>
  );
}

/** Untrusted text of several lines. */
export function Paragraph({ text, max = 5000 }: { text: string; max?: number }) {
  const cut = text.length > max;
  return (
    <p className="untrusted">
      <bdi>{visibleText(cut ? `${text.slice(0, max)}…` : text)}</bdi>
      {cut && (
        <span className="muted"> (truncated, {text.length.toLocaleString('en')} characters in total)</span>
      )}
    </p>
  );
}

/** Findings of the scanner: tool text that looks like instructions for the model. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <div className="note note-bad">
      <p>
        <strong>The text of this tool looks like instructions for the model.</strong>
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
