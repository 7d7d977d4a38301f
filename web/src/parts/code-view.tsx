import { useMemo, useState } from 'react';
import { exactJson } from '../../../src/json/index.ts';
import { visibleText } from '../../../src/lib/visible-text.ts';
import { CopyButton } from './buttons.tsx';

/** Longer text is truncated until the person asks for it: a line of a megabyte would freeze the browser. */
const SHOWN = 20_000;

type Kind = 'key' | 'string' | 'number' | 'word' | 'plain';
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

interface Piece {
  kind: Kind;
  text: string;
}

/** Splits JSON into pieces to highlight. Every piece is rendered as a text node. */
export function colour(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > end) pieces.push({ kind: 'plain', text: text.slice(end, match.index) });
    const [whole, string, colon, number] = match;
    if (string !== undefined) {
      pieces.push({ kind: colon === undefined ? 'string' : 'key', text: string });
      if (colon !== undefined) pieces.push({ kind: 'plain', text: colon });
    } else pieces.push({ kind: number === undefined ? 'word' : 'number', text: whole });
    end = match.index + whole.length;
  }
  if (end < text.length) pieces.push({ kind: 'plain', text: text.slice(end) });
  return pieces;
}

/** Shows an untrusted value as text: hidden characters become visible, nothing is interpreted. */
export function CodeView({ value, label }: { value: unknown; label: string }) {
  const [whole, setWhole] = useState(false);
  const text = useMemo(() => (typeof value === 'string' ? value : (exactJson(value, 2) ?? '')), [value]);
  const cut = !whole && text.length > SHOWN;
  const pieces = useMemo(() => {
    const shown = visibleText(cut ? text.slice(0, SHOWN) : text);
    // Highlight only JSON that was serialized here: matching unbalanced quotes in foreign text takes quadratic time.
    return typeof value === 'string' ? [{ kind: 'plain' as const, text: shown }] : colour(shown);
  }, [value, text, cut]);
  return (
    <figure className="code">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={text} />
      </figcaption>
      <pre tabIndex={0} aria-label={label}>
        {pieces.map(({ kind, text: part }, index) =>
          kind === 'plain' ? (
            part
          ) : (
            <span key={index} className={`code-${kind}`}>
              {part}
            </span>
          ),
        )}
      </pre>
      {cut && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </figure>
  );
}
