import { RUN, isIn, skipSome } from './characters.ts';
import type { Found, SecretSpan } from './found.ts';
import { isPlaceholder } from './placeholder.ts';
import { LONGEST, randomness } from './random.ts';

/** So far behind its name a value may stand: "the API key for the staging account is …", `<secret>id …`. */
const REACH = 90;
/** Where only the distance tells a key from a checksum. */
const CLOSE = 30;
/** What such a run is if it is no secret. */
const OTHER =
  /\b(?:commit|sha\d*|hash|md5|digest|checksum|uuid|guid|ids?|revision|version|etag|request|ref)\b|ENC\[/i;
/** Nothing but the signs of a program: `("TOKEN", "…")`, `<token>…`, `token string = "…"`. */
const DIRECT = /^(?=[^]{0,40}[">'=,(])["'`\s,>=:(){}[\]]{0,40}(?:string|str)?["'`\s,>=:(){}[\]]{0,10}$/i;

const SHORTEST = 8;
const HAS_DIGIT = /\d/;

interface Run {
  start: number;
  end: number;
}

/** Values behind the name of a secret that look random, in a sentence, an element or a list of arguments. */
export function nearName(text: string, name: { end: number; kind: string; isWeak: boolean }): Found | null {
  const spans: SecretSpan[] = [];
  const limit = Math.min(text.length, name.end + REACH);
  for (let i = name.end; i < limit; i++) {
    if (!isIn(RUN, text.charCodeAt(i))) continue;
    const end = skipSome(text, i, { set: RUN, most: LONGEST + 1 });
    if (end - i > LONGEST) break;
    const run = withPadding(text, trimmed(text, i, end));
    if (isSecret(text, run, name)) spans.push({ kind: name.kind, ...run });
    i = Math.max(end, run.end);
  }
  return spans.length > 0 ? { spans, end: spans.at(-1)!.end } : null;
}

function isSecret(text: string, run: Run, name: { end: number; isWeak: boolean }): boolean {
  if (run.end - run.start < SHORTEST) return false;
  const value = text.slice(run.start, run.end);
  if (!HAS_DIGIT.test(value)) return false;
  const between = text.slice(name.end, run.start);
  if (between.endsWith('://') || OTHER.test(between)) return false;
  if (!name.isWeak && DIRECT.test(between)) return !isPlaceholder(value);
  const random = randomness(value);
  if (random !== 'hex') return random === 'mixed' || (random !== null && between.length <= CLOSE);
  return between.length <= CLOSE && !OTHER.test(text.slice(Math.max(0, name.end - REACH), name.end));
}

/** Without the signs of the sentence, the address or the option around it. */
function trimmed(text: string, start: number, end: number): Run {
  let first = start;
  let last = end;
  while (first < last && './~-'.includes(text[first]!)) first++;
  while (last > first && './~'.includes(text[last - 1]!)) last--;
  return { start: first, end: last };
}

/** Base64 may end in one or two of them. */
function withPadding(text: string, { start, end }: Run): Run {
  let i = end;
  while (i - end < 2 && text[i] === '=') i++;
  return { start, end: i };
}
