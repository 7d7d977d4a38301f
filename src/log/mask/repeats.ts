import type { SecretSpan } from './found.ts';
import { RUN, skip } from './characters.ts';

/** So many different secrets of one text are searched for again. */
const MAX_SECRETS = 8;

const SHORTEST = 12;

/**
 * A secret that was found once is masked wherever it stands in the text, also where nothing names it. Only one run of the characters of
 * tokens with a digit: anything else could be a command that somebody wants to hide.
 */
export function withRepeats(text: string, found: SecretSpan[], reach: number): SecretSpan[] {
  const kinds = new Map<string, string>();
  for (const { kind, start, end } of found) {
    if (kinds.size >= MAX_SECRETS) break;
    const secret = text.slice(start, end);
    if (isOneRun(secret)) kinds.set(secret, kind);
  }
  const again = [...kinds].flatMap(([secret, kind]) => occurrences(text, { secret, kind, reach }));
  return again.length > 0 ? merged(found, again) : found;
}

function isOneRun(secret: string): boolean {
  return secret.length >= SHORTEST && /\d/.test(secret) && skip(secret, 0, RUN) >= secret.length - 2;
}

function occurrences(
  text: string,
  { secret, kind, reach }: { secret: string; kind: string; reach: number },
): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (let at = text.indexOf(secret); at >= 0 && at < reach; at = text.indexOf(secret, at + secret.length))
    spans.push({ kind, start: at, end: at + secret.length });
  return spans;
}

/** Both in order; where two overlap, the one that was found first stays. */
function merged(found: readonly SecretSpan[], again: readonly SecretSpan[]): SecretSpan[] {
  const others = again.toSorted((a, b) => a.start - b.start);
  const all: SecretSpan[] = [];
  let next = 0;
  for (const span of found) {
    for (; others[next] && others[next]!.start < span.end; next++)
      if (others[next]!.end <= span.start) append(all, others[next]!);
    append(all, span);
  }
  for (; next < others.length; next++) append(all, others[next]!);
  return all;
}

function append(all: SecretSpan[], span: SecretSpan): void {
  if ((all.at(-1)?.end ?? 0) <= span.start) all.push(span);
}
