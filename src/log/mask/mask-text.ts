import { findSecrets } from './find-secrets.ts';

/** Replaces secrets in free text. */
export function maskText(text: string): string {
  const spans = findSecrets(text);
  if (!spans) return text;
  let out = '';
  let from = 0;
  for (const { kind, start, end } of spans) {
    out += text.slice(from, start) + masked(kind);
    from = end;
  }
  return out + text.slice(from);
}

export function masked(kind: string): string {
  return `***[masked:${kind}]`;
}
