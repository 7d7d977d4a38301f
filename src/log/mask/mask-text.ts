import { createHmac, createSecretKey } from 'node:crypto';
import { MAX_NAME, assignment } from './assigned.ts';
import { beginningsAt, nextBeginning, type Trigger } from './beginnings.ts';
import { one, type Found, type SecretSpan } from './found.ts';
import { privateKey } from './private-key.ts';
import { commandIn } from './shell-ends.ts';
import { ENDS_USERINFO, URL_SAFE, isIn, skip } from './characters.ts';
import { withRepeats } from './repeats.ts';
import { userPassword } from './user-password.ts';
import { innerToken, vendorToken } from './vendor/vendor-token.ts';

/** A keyed digest of a text: the same text has the same digest, and without the key it cannot be guessed, however short the text is. */
export type Digest = (text: string) => string;

const DIGEST_LETTERS = 16;

export function createDigest(key: Buffer): Digest {
  const secret = createSecretKey(key);
  return (text) => createHmac('sha256', secret).update(text).digest('hex').slice(0, DIGEST_LETTERS);
}

/** How every mark begins. Where a text itself contains this, or its first characters, they are written as a literal: see maskText. */
export const MARK = '***[masked:';

/** Writes what stands in the place of a masked text. */
export interface Marker {
  /** What it has written: kind, length and digest of the text. */
  mark(kind: string, text: string): string;
  /** How many it has written. */
  count(): number;
  /** What it has written since the last "clear": the kinds of secrets, without data that is masked for its size. */
  readonly kinds: Set<string>;
  readonly digest: Digest | undefined;
}

/** Without a digest, the marks give only the kind. */
export function createMarker(digest?: Digest): Marker {
  let count = 0;
  const kinds = new Set<string>();
  return {
    digest,
    count: () => count,
    kinds,
    mark(kind, text) {
      count++;
      if (isSecretKind(kind)) kinds.add(kind);
      if (!digest) return `${MARK}${kind}]`;
      return `${MARK}${kind} ${text.length} character${text.length === 1 ? '' : 's'}, digest ${digest(text)}]`;
    },
  };
}

/** Whether a part of this kind is masked because it is a secret. */
export const isSecretKind = (kind: string): boolean =>
  kind !== 'binary-data' && kind !== IMITATED_MARK && kind !== 'long-key';

/** For texts that are not kept. */
export const PLAIN_MARKER = createMarker();

/** Stands behind the first characters of a mark where the text itself contains them, so that only marks of the proxy look like one. */
const LITERAL = 'literal:';

/**
 * Replaces secrets in free text. What begins beyond `room` is left out. A secret that begins before it is masked as a whole, and its mark is
 * never cut, so the text may be longer by one mark.
 */
export function maskText(text: string, marker: Marker = PLAIN_MARKER, room = Infinity): string {
  const spans = findSecrets(text, room);
  if (!spans) return text.length > room ? text.slice(0, room) : text;
  let out = '';
  let from = 0;
  for (const { kind, start, end } of spans) {
    if (out.length + start - from >= room) break;
    const found = text.slice(start, end);
    out += text.slice(from, start) + (kind === IMITATED_MARK ? found + LITERAL : marker.mark(kind, found));
    from = end;
  }
  // The text beyond the room was not searched.
  return out + text.slice(from, Math.max(from, Math.min(room, from + room - out.length)));
}

/** The kind of a text that begins like a mark of the proxy. It is no secret, but a reader must be able to tell it from a mark. */
export const IMITATED_MARK = 'imitated-mark';

/**
 * Where secrets begin in free text before `reach`, in order; undefined where there is none. Each is found to its end. Time is linear in the text: one search for fixed beginnings,
 * and behind each a scan that either goes past what it masks or gives up after a bounded number of characters.
 */
export function findSecrets(text: string, reach = Infinity): SecretSpan[] | undefined {
  let hits: SecretSpan[] | undefined;
  let from = 0;
  let settled = 0;
  for (
    let at = nextBeginning(text, 0, reach);
    at >= 0;
    at = nextBeginning(text, Math.max(at + 1, from), reach)
  ) {
    const found = secretsAt(text, { at, from, isSettled: at < settled });
    if (found) {
      for (const span of found.spans) (hits ??= []).push(span);
      from = found.end;
    } else if (at >= settled) settled = skip(text, at, URL_SAFE) - MAX_NAME;
  }
  return hits && withRepeats(text, hits, reach);
}

/** Where something begins, the end of what was found before, and whether it stands in the middle of a run in which no name can stand. */
interface Place {
  at: number;
  from: number;
  isSettled: boolean;
}

/** The secrets behind the beginnings at one place. */
export function secretsAt(text: string, { at, from, isSettled }: Place): Found | null {
  for (const trigger of beginningsAt(text, at)) {
    if (isSettled && trigger.what === 'name') continue;
    const found = secretsBehind(text, trigger, from);
    if (found && (found.spans[0]?.start ?? from) >= from) return found;
  }
  return null;
}

function secretsBehind(text: string, trigger: Trigger, from: number): Found | null {
  const { at, what, letters } = trigger;
  switch (what) {
    case 'address':
      return inUrl(text, at);
    case 'private-key':
      return privateKey(text, at);
    case 'web-token':
      return webToken(text, at);
    case 'imitated-mark':
      return one(IMITATED_MARK, at, trigger.end);
    case 'user':
      return userPassword(text, trigger.end);
    case 'vendor':
      return vendorToken(text, at, letters);
    case 'inner':
      return innerToken(text, at, { anchor: letters, from });
    case 'name':
      return assignment(text, trigger, from);
    default:
      return what satisfies never;
  }
}

/** Three parts if signed, five if encrypted. */
const MAX_TOKEN_PARTS = 5;

function webToken(text: string, at: number): Found | null {
  if (!text.startsWith('eyJ', at) || (at > 0 && isIn(URL_SAFE, text.charCodeAt(at - 1)))) return null;
  let end = skip(text, at, URL_SAFE);
  if (end - at < 10 || text[end] !== '.') return null;
  for (let parts = 1; parts < MAX_TOKEN_PARTS && text[end] === '.'; parts++) {
    // The second part is empty where the key was agreed upon before.
    const next = end + (parts === 1 && text[end + 1] === '.' ? 2 : 1);
    const stop = skip(text, next, URL_SAFE);
    if (stop === next) break;
    end = stop;
  }
  return one('jwt', at, end);
}

const MAX_USERINFO = 1024;

/** scheme://user:password@host */
function inUrl(text: string, at: number): Found | null {
  const start = at + 3;
  let colon = -1;
  for (let i = start; i < text.length && i < start + MAX_USERINFO; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x40) {
      const end = colon < 0 ? colon : commandIn(text, colon + 1, i);
      return end <= colon + 1 ? null : one('url-password', colon + 1, end);
    }
    if (code === 0x3a && colon < 0) colon = i;
    else if (isIn(ENDS_USERINFO, code)) return null;
  }
  return null;
}
