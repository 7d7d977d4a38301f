import { isRandomKey } from './random.ts';

/** What kind of secret a key of this name holds, in any case and separator style; null for an ordinary name. */
export function secretKindOfKey(key: string): string | null {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const kind = key.length > MAX_KEY_LENGTH ? null : classify(key.replace(/[^A-Za-z0-9]/g, '').toLowerCase());
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, kind);
  return kind;
}

const MAX_KEY_LENGTH = 128;
const MAX_CACHED = 4096;
const cache = new Map<string, string | null>();

const WHOLE: Record<string, string> = {
  pass: 'password',
  pwd: 'password',
  auth: 'authorization',
  jwt: 'token',
  otp: 'password',
  cvv: 'card-code',
  cvc: 'card-code',
  dsn: 'connection-string',
};

const PARTS: ReadonlyArray<readonly [part: string, kind: string]> = [
  ['password', 'password'],
  ['passwd', 'password'],
  ['passphrase', 'password'],
  ['passcode', 'password'],
  ['apikey', 'api-key'],
  ['accesskey', 'api-key'],
  ['accountkey', 'api-key'],
  ['secret', 'secret'],
  ['privatekey', 'private-key'],
  ['signingkey', 'private-key'],
  ['encryptionkey', 'private-key'],
  ['authorization', 'authorization'],
  ['cookie', 'cookie'],
  ['credential', 'credential'],
  ['creds', 'credential'],
  ['connectionstring', 'connection-string'],
  ['bearer', 'token'],
];

/** Paging positions are called tokens too, and so is what language models count. */
const HARMLESS_TOKEN =
  /(?:page|next|prev|previous|continuation|sync|cursor|resume|start|progress|public|jsonweb)token$/;
/** What is said about a secret is none: where it is, how long it is, what it is called. */
const ABOUT =
  /(?:ids?|names?|urls?|uris?|paths?|files?|dirs?|fields?|types?|kinds?|lengths?|len|sizes?|counts?|limits?|variables?|polic(?:y|ies)|labels?|hints?|prompts?|managers?|stores?|providers?|endpoints?|versions?|ttl|expires(?:in|at)?|expiry|expiration|required|enabled|regex|pattern|placeholder|description)$/;

/** `name` without separators, in lower case. */
function classify(numbered: string): string | null {
  const name = numbered.replace(/\d{1,4}$/, '');
  const whole = Object.hasOwn(WHOLE, name) ? WHOLE[name] : undefined;
  if (whole) return whole;
  if (ABOUT.test(name) || name.includes('jsonwebtoken')) return null;
  for (const [part, kind] of PARTS) {
    const at = name.indexOf(part);
    if (at >= 0 && !name.startsWith('secretar', at)) return kind;
  }
  if (name.endsWith('pwd')) return 'password';
  if (name.endsWith('token')) return HARMLESS_TOKEN.test(name) ? null : 'token';
  return /(?:access|auth|refresh|session|api|id)tokens$/.test(name) ? 'token' : null;
}

/** Names that hold something else as often: only a value that looks random counts. */
const WEAK = /(?:^|[^a-z])?(?:key|keys|auth|api|login|pat|sig|signature|license|webhook)$/;
const HARMLESS_KEY =
  /(?:public|primary|foreign|partition|sort|range|cache|object|row|map|hash|lookup|index|idempotency|dedup|deduplication|routing|answer|hot|short|arrow|group|unique|composite|join|dictionary|i18n|translation|message|storage|query|pub|sitekey|site|react|s3|issue|project|ticket)(?:key|keys|sig|signature)$/;

const MAYBE_WEAK = /(?:key|auth|api|login|pat|sig|signature|license|webhook)s?[^A-Za-z0-9]*\d{0,4}$/i;

/** The kind of what a name may hold that is no certain name of a secret; null for all others. */
export function weakKindOfKey(key: string): string | null {
  if (key.length > MAX_KEY_LENGTH || !MAYBE_WEAK.test(key)) return null;
  const name = key.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
  return WEAK.test(name) && !HARMLESS_KEY.test(name) ? 'key' : null;
}

/** The kind of a text that is a secret because of the name of its field and of how it looks; else null. */
export function kindOfField(key: string, value: string): string | null {
  if (value.length < SHORTEST_RANDOM) return null;
  const kind = weakKindOfKey(key);
  return kind !== null && isRandomKey(value) ? kind : null;
}

const SHORTEST_RANDOM = 16;

const SEPARATED = 'api~key access~key account~key private~key signing~key encryption~key';
const JOINED =
  'password passwd passphrase passcode pwd secret token authorization cookie credential creds dsn key auth login signature';

/** How names of secrets begin, or a part of them. */
export const NAME_PARTS: readonly string[] = [
  ...SEPARATED.split(' ').flatMap((name) => ['', '-', '_', ' '].map((by) => name.replace('~', by))),
  ...JOINED.split(' '),
];
