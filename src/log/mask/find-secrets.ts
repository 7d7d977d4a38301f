import { MAX_NAME, assignment } from './assigned.ts';
import { one, type Found, type SecretSpan } from './found.ts';
import { isLikeToken } from './header-values.ts';
import { privateKey } from './private-key.ts';
import { nextTrigger } from './secret-words.ts';
import { commandIn } from './shell-ends.ts';
import { ENDS_USERINFO, TOKEN_SHAPES, URL_SAFE, isIn, skip, type TokenShape } from './token-shapes.ts';

/**
 * Where secrets stand in free text, in order; undefined where there is none. Time is linear in the text: one search for fixed beginnings
 * (a pattern without repetition), and behind each a scan that either goes past what it masks or gives up after a bounded number of
 * characters.
 */
export function findSecrets(text: string): SecretSpan[] | undefined {
  let hits: SecretSpan[] | undefined;
  let from = 0;
  let settled = 0;
  let next = 0;
  for (let trigger = nextTrigger(text, 0); trigger; trigger = nextTrigger(text, next)) {
    const at = trigger.index;
    next = at + trigger[0].length;
    if (at < settled) continue;
    const found = secretsAt(text, trigger, from);
    if (found) {
      for (const span of found.spans) (hits ??= []).push(span);
      from = found.end;
      next = Math.max(found.end, next);
    } else settled = skip(text, at, URL_SAFE) - MAX_NAME;
  }
  return hits;
}

/** The secrets behind one beginning. `from` is the end of what was found before. */
export function secretsAt(text: string, trigger: RegExpExecArray, from: number): Found | null {
  const at = trigger.index;
  switch (trigger[0].toLowerCase()) {
    case '://':
      return inUrl(text, at);
    case '-----begin ':
      return privateKey(text, at);
    case 'eyj':
      return webToken(text, at);
  }
  return knownToken(text, at) ?? assignment(text, trigger, from);
}

function knownToken(text: string, at: number): Found | null {
  if (at > 0 && isIn(URL_SAFE, text.charCodeAt(at - 1))) return null;
  for (const shape of TOKEN_SHAPES) {
    if (!startsWith(text, at, shape)) continue;
    const body = at + shape.prefix.length;
    const end = withoutStop(text, body, skip(text, body, shape.body));
    if (end - body < shape.min) continue;
    if (!shape.keepPrefix) return one(shape.kind, at, end);
    if (isLikeToken(text.slice(body, end))) return one(shape.kind, body, end);
  }
  return null;
}

/** The end of a sentence is no part of a token that may hold dots. */
function withoutStop(text: string, start: number, end: number): number {
  let i = end;
  while (i > start && text[i - 1] === '.') i--;
  return i;
}

/** Tokens are case-sensitive; the scheme of a header is not. */
function startsWith(text: string, at: number, { prefix, keepPrefix }: TokenShape): boolean {
  if (!keepPrefix) return text.startsWith(prefix, at);
  return text.slice(at, at + prefix.length).toLowerCase() === prefix;
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
