import type { Found, SecretSpan } from './found.ts';
import { isPlaceholder } from './placeholder.ts';
import { plainEnd, quotedEnd, skipBlanks, skipQuote, valueSpan } from './values.ts';

const MAX_PARTS = 64;
const COOKIE = /([A-Za-z0-9_.!#%^*+~[-]{1,64})=/y;
const PARAMETER = /([A-Za-z][A-Za-z0-9_-]{0,40})=/y;
/** What a server says about a cookie. */
const ATTRIBUTES = new Set(['path', 'domain', 'expires', 'max-age', 'samesite', 'version']);
/** Parameters of credentials that are no secret. */
const PUBLIC = new Set(['realm', 'algorithm', 'qop', 'uri', 'nc', 'username', 'userhash', 'version']);

/** name=value; name=value: each value by itself, as far as there are such pairs. */
export function cookieValues(text: string, start: number): Found | null {
  const pairs = readPairs(text, start, { name: COOKIE, kind: 'cookie', between: ';', open: ATTRIBUTES });
  return pairs.end > start ? pairs : valueSpan(text, { kind: 'cookie', start, end: plainEnd(text, start) });
}

const SCHEME = /([A-Za-z][A-Za-z0-9-]{0,30}) +/y;
const KNOWN_SCHEMES = new Set(['bearer', 'basic', 'token', 'apikey', 'negotiate', 'ntlm', 'dpop', 'key']);
const WITH_PARAMETERS = new Set(['digest', 'hawk', 'oauth', 'aws4-hmac-sha256', 'signature', 'mac']);

/** The credentials of an authorization header; its scheme stays readable. */
export function credentials(text: string, at: number): Found | null {
  SCHEME.lastIndex = at;
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return credential(text, at);
  const start = SCHEME.lastIndex;
  if (WITH_PARAMETERS.has(scheme)) return parameters(text, start);
  const isScheme = KNOWN_SCHEMES.has(scheme) || isLikeToken(text.slice(start, plainEnd(text, start)));
  // Otherwise it is a word in front of other text.
  return credential(text, isScheme ? start : at);
}

function credential(text: string, start: number): Found | null {
  const end = plainEnd(text, start);
  return isPlaceholder(text.slice(start, end))
    ? null
    : valueSpan(text, { kind: 'authorization', start, end });
}

function parameters(text: string, start: number): Found | null {
  const pairs = readPairs(text, start, {
    name: PARAMETER,
    kind: 'authorization',
    between: ',',
    open: PUBLIC,
  });
  return pairs.end > start ? pairs : credential(text, start);
}

const SHORTEST_TOKEN = 8;
const SURE_TOKEN = 20;

/** Whether a word in a place for credentials is one: a word of prose has no digit and is short. */
export function isLikeToken(word: string): boolean {
  return word.length >= SURE_TOKEN || (word.length >= SHORTEST_TOKEN && /[0-9]/.test(word));
}

interface PairRules {
  name: RegExp;
  kind: string;
  /** What stands between two pairs. */
  between: string;
  /** Names whose values stay readable. */
  open: ReadonlySet<string>;
}

function readPairs(text: string, start: number, rules: PairRules): Found {
  const spans: SecretSpan[] = [];
  let end = start;
  for (let at = start, n = 0; n < MAX_PARTS; n++) {
    rules.name.lastIndex = at;
    const name = rules.name.exec(text)?.[1];
    if (name === undefined) break;
    const value = pairValue(text, rules.name.lastIndex);
    const found = valueSpan(text, { kind: rules.kind, ...value });
    if (found && !rules.open.has(name.toLowerCase())) spans.push(...found.spans);
    end = value.end;
    const next = skipQuote(text, end);
    if (text[next] !== rules.between) break;
    at = skipBlanks(text, next + 1);
  }
  return { spans, end };
}

/** In quotes or not. */
function pairValue(text: string, at: number): { start: number; end: number } {
  const start = skipQuote(text, at);
  return { start, end: start > at ? quotedEnd(text, start) : plainEnd(text, start) };
}
