import { visibleLine, visibleText } from '../../../src/lib/visible-text.ts';

const MAX_LINE = 500;

/** One line of text that somebody else wrote: hidden characters shown, cut where it is too long to be read. */
export function Line({ text, max = MAX_LINE }: { text: string; max?: number }) {
  const cut = text.length > max;
  return (
    <bdi title={cut ? `${text.length} characters` : undefined}>
      {visibleLine(cut ? `${text.slice(0, max)}…` : text)}
    </bdi>
  );
}

/** The same over several lines. */
export function Paragraph({ text, max = 5000 }: { text: string; max?: number }) {
  const cut = text.length > max;
  return (
    <p className="untrusted">
      <bdi>{visibleText(cut ? `${text.slice(0, max)}…` : text)}</bdi>
      {cut && <span className="muted"> (cut; {text.length.toLocaleString('en')} characters in all)</span>}
    </p>
  );
}
