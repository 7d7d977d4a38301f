import { findSecrets } from './find-secrets.ts';
import { PLAIN_MARKER, type Marker } from './marker.ts';

/** Replaces secrets in free text. Once there is no more room, the rest is left out: marks and their digests are made for what is kept. */
export function maskText(text: string, marker: Marker = PLAIN_MARKER, room = Infinity): string {
  const spans = findSecrets(text);
  if (!spans) return text;
  let out = '';
  let from = 0;
  for (const { kind, start, end } of spans) {
    if (out.length > room) return out;
    out += text.slice(from, start) + marker.mark(kind, text.slice(start, end));
    from = end;
  }
  return out + text.slice(from);
}
