/** Classes of characters that tokens are made of, as tables: one look per character, nothing to backtrack. */
const table = (characters: string): Uint8Array => {
  const set = new Uint8Array(128);
  for (const character of characters) set[character.charCodeAt(0)] = 1;
  return set;
};
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
const ALNUM = UPPER + UPPER.toLowerCase() + DIGITS;

const UPPER_DIGIT = table(UPPER + DIGITS);
export const URL_SAFE = table(`${ALNUM}_-`);
const WORD = table(`${ALNUM}_`);
const DOTTED = table(`${ALNUM}_-.`);
const BEARER = table(`${ALNUM}_-.~+/=`);
export const NAME = table(`${ALNUM}_-.`);

const CONTROL_AND_SPACE = Array.from({ length: 0x21 }, (_, code) => String.fromCharCode(code)).join('');
/** Characters that cannot be part of `user:password` in a URL. */
export const ENDS_USERINFO = table(`${CONTROL_AND_SPACE}/"'<?`);
/** Characters that end a value without quotes: blanks, quotes, and what has a meaning for a shell or in a list. */
export const ENDS_VALUE = table(`${CONTROL_AND_SPACE}"'\`,;&|<>()]}\\`);
export const BASE64 = table(`${ALNUM}+/=`);
/** The same with the letters of URLs. */
export const ANY_BASE64 = table(`${ALNUM}+/=_-`);

export function isIn(set: Uint8Array, code: number): boolean {
  return code < 128 && set[code] === 1;
}

/** The end of the characters of a class. */
export function skip(text: string, at: number, set: Uint8Array): number {
  let i = at;
  while (i < text.length && isIn(set, text.charCodeAt(i))) i++;
  return i;
}

/** Well-known tokens: a fixed beginning and at least `min` characters of a class after it. */
export interface TokenShape {
  kind: string;
  prefix: string;
  body: Uint8Array;
  min: number;
  /** The beginning itself is public and stays readable. It is also a word of prose, so what follows must have a digit or be long. */
  keepPrefix?: boolean;
}

type ShapeRow = readonly [kind: string, prefix: string, body: Uint8Array, min: number];

/** A longer prefix comes before a shorter one that it starts with. */
const SHAPES: readonly ShapeRow[] = [
  ['mcpproxy-token', 'mcpp_', WORD, 30],
  ['anthropic-key', 'sk-ant-', URL_SAFE, 16],
  ['openai-key', 'sk-', URL_SAFE, 16],
  ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'].map(
    (prefix) => ['stripe-key', prefix, WORD, 10] as const,
  ),
  ['webhook-secret', 'whsec_', BEARER, 16],
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => ['github-token', prefix, WORD, 16] as const),
  ['github-token', 'github_pat_', WORD, 16],
  ['gitlab-token', 'glpat-', DOTTED, 16],
  ['aws-key-id', 'AKIA', UPPER_DIGIT, 16],
  ['aws-key-id', 'ASIA', UPPER_DIGIT, 16],
  ...'abceoprsd'.split('').map((letter) => ['slack-token', `xox${letter}-`, URL_SAFE, 8] as const),
  ['slack-token', 'xapp-', URL_SAFE, 16],
  ['google-key', 'AIza', URL_SAFE, 30],
  ['google-token', 'ya29.', URL_SAFE, 16],
  ['google-secret', 'GOCSPX-', URL_SAFE, 16],
  ['npm-token', 'npm_', WORD, 30],
  ['pypi-token', 'pypi-', URL_SAFE, 32],
  ['huggingface-token', 'hf_', WORD, 30],
  ['sendgrid-key', 'SG.', DOTTED, 32],
  ['digitalocean-token', 'dop_v1_', WORD, 32],
  ['shopify-token', 'shpat_', WORD, 24],
  ['age-key', 'AGE-SECRET-KEY-', WORD, 40],
];

export const TOKEN_SHAPES: readonly TokenShape[] = [
  ...SHAPES.map(([kind, prefix, body, min]) => ({ kind, prefix, body, min })),
  { kind: 'bearer-token', prefix: 'bearer ', body: BEARER, min: 8, keepPrefix: true },
];
