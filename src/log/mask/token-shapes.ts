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

export function isIn(set: Uint8Array, code: number): boolean {
  return code < 128 && set[code] === 1;
}

/** Well-known tokens: a fixed beginning and at least `min` characters of a class after it. */
export interface TokenShape {
  kind: string;
  prefix: string;
  body: Uint8Array;
  min: number;
  /** The beginning itself is public and stays readable. */
  keepPrefix?: boolean;
}

const shape = (kind: string, prefix: string, body: Uint8Array, min: number): TokenShape => ({
  kind,
  prefix,
  body,
  min,
});

/** Longer beginnings before the shorter ones that they start with. */
export const TOKEN_SHAPES: readonly TokenShape[] = [
  shape('mcpproxy-token', 'mcpp_', WORD, 30),
  shape('anthropic-key', 'sk-ant-', URL_SAFE, 16),
  shape('openai-key', 'sk-', URL_SAFE, 16),
  ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'].map((prefix) => shape('stripe-key', prefix, WORD, 10)),
  shape('webhook-secret', 'whsec_', BEARER, 16),
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => shape('github-token', prefix, WORD, 16)),
  shape('github-token', 'github_pat_', WORD, 16),
  shape('gitlab-token', 'glpat-', DOTTED, 16),
  shape('aws-key-id', 'AKIA', UPPER_DIGIT, 16),
  shape('aws-key-id', 'ASIA', UPPER_DIGIT, 16),
  ...'abceoprsd'.split('').map((letter) => shape('slack-token', `xox${letter}-`, URL_SAFE, 8)),
  shape('slack-token', 'xapp-', URL_SAFE, 16),
  shape('google-key', 'AIza', URL_SAFE, 30),
  shape('google-token', 'ya29.', URL_SAFE, 16),
  shape('google-secret', 'GOCSPX-', URL_SAFE, 16),
  shape('npm-token', 'npm_', WORD, 30),
  shape('pypi-token', 'pypi-', URL_SAFE, 32),
  shape('huggingface-token', 'hf_', WORD, 30),
  shape('sendgrid-key', 'SG.', DOTTED, 32),
  shape('digitalocean-token', 'dop_v1_', WORD, 32),
  shape('shopify-token', 'shpat_', WORD, 24),
  shape('age-key', 'AGE-SECRET-KEY-', WORD, 40),
  { ...shape('bearer-token', 'bearer ', BEARER, 8), keepPrefix: true },
];
