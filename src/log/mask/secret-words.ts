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

// How a secret, or the name of one, begins. No repetition in the patterns, so looking costs a fixed amount per character.
const WORDS =
  'password passwd passphrase passcode pwd secret token authorization cookie credential ' +
  'api[-_~]?key access[-_~]?key account[-_~]?key private[-_~]?key signing[-_~]?key encryption[-_~]?key';
const BEGINNINGS =
  '-----BEGIN~ eyj :// mcpp_ sk- sk_ rk_ whsec_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- akia asia xox[a-z]- xapp- aiza ya29[.] gocspx- ' +
  'npm_ pypi- hf_ sg[.] dop_v1_ shpat_ age-secret-key- bearer~ \\*\\*\\*\\[';
/** In the lists above "~" stands for a space. */
const ALL = `${BEGINNINGS} ${WORDS}`.split(' ').map((word) => word.replaceAll('~', ' '));

/** Source of the pattern that finds them all, to be used without regard to case. */
export const TRIGGER = ALL.join('|');
const HERE = new RegExp(TRIGGER, 'iy');

// The look that ordinary text passes: a pattern of this many alternatives costs 6 ns per character, two tables of letter pairs 1 ns.
const ANY = 0;
const PAIRS = 128 * 128;
const FIRST = new Uint8Array(PAIRS);
const SECOND = new Uint8Array(PAIRS);
for (const word of ALL)
  learn(
    word
      .replace(/\[a-z\]|\[-_ \]\?.*/g, '\u0000')
      .replace('[.]', '.')
      .replaceAll('\\', '')
      .toLowerCase(),
  );

/** Also right for JSON text, as none of these beginnings is ever escaped. */
export function mayHoldSecret(text: string): boolean {
  return nextTrigger(text, 0) !== null;
}

/** The first beginning of a secret, or of the name of one, from a place on and before another. */
export function nextTrigger(text: string, from: number, until = Infinity): RegExpExecArray | null {
  let pair = 0;
  const end = Math.min(text.length, until + 1);
  for (let i = from; i < end; i++) {
    pair = ((pair << 7) | (text.charCodeAt(i) & 127)) & (PAIRS - 1);
    if (FIRST[pair] !== 1) continue;
    const next = ((text.charCodeAt(i + 1) & 127) << 7) | (text.charCodeAt(i + 2) & 127);
    if (SECOND[next] !== 1) continue;
    HERE.lastIndex = i - 1;
    const found = HERE.exec(text);
    if (found) return found;
  }
  return null;
}

function learn(word: string): void {
  const [a, b, c, d] = [0, 1, 2, 3].map((at) => both(word.charCodeAt(at)));
  for (const x of a!) for (const y of b!) FIRST[(x << 7) | y] = 1;
  for (const x of c!) for (const y of d!) SECOND[(x << 7) | y] = 1;
}

/** The letter in both cases; every character where the word leaves it open. */
function both(code: number): number[] {
  if (!(code > ANY)) return Array.from({ length: 128 }, (_, index) => index);
  const letter = String.fromCharCode(code);
  return [...new Set([code, letter.toUpperCase().charCodeAt(0)])];
}
