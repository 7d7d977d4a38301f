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
  ['connectionstring', 'connection-string'],
  ['bearer', 'token'],
];

/** Paging positions are called tokens too, and so is what language models count. */
const HARMLESS_TOKEN = /(?:page|next|prev|previous|continuation|sync|cursor|resume|start|progress)token$/;

function classify(name: string): string | null {
  const whole = Object.hasOwn(WHOLE, name) ? WHOLE[name] : undefined;
  if (whole) return whole;
  for (const [part, kind] of PARTS) {
    const at = name.indexOf(part);
    if (at >= 0 && !name.startsWith('secretar', at)) return kind;
  }
  if (name.endsWith('pwd')) return 'password';
  if (name.endsWith('token')) return HARMLESS_TOKEN.test(name) ? null : 'token';
  return /(?:access|auth|refresh|session|api|id)tokens$/.test(name) ? 'token' : null;
}
