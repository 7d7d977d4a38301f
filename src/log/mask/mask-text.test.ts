import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayHoldSecret } from './beginnings.ts';
import { secretKindOfKey } from './secret-words.ts';
import { maskText } from './mask-text.ts';
import { cases } from '../../../test/fixtures/cases.ts';
import { maskPlainly } from '../../../test/fixtures/mask-plainly.ts';
import { toJson } from '../record/to-json.ts';

const letters = (length: number) =>
  'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z'.repeat(Math.ceil(length / 31)).slice(0, length);

const TOKENS: Array<[kind: string, token: string]> = [
  ['openai-key', `sk-proj-${letters(40)}`],
  ['anthropic-key', `sk-ant-api03-${letters(60)}`],
  ['stripe-key', `sk_live_${letters(24)}`],
  ['github-token', `ghp_${letters(36)}`],
  ['github-token', `gho_${letters(36)}`],
  ['github-token', `github_pat_${letters(60)}`],
  ['gitlab-token', `glpat-${letters(20)}`],
  ['aws-key-id', 'AKIAIOSFODNN7EXAMPQX'],
  ['slack-token', 'xoxb-123456789012-abcdefABCDEF'],
  ['google-key', `AIza${letters(35)}`],
  ['google-token', `ya29.${letters(60)}`],
  ['npm-token', `npm_${letters(36)}`],
  ['pypi-token', `pypi-AgEI${letters(60)}`],
  ['huggingface-token', `hf_${letters(34)}`],
  ['sendgrid-key', `SG.${letters(22)}.${letters(43)}`],
  ['jwt', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${letters(43)}`],
  ['private-key', `-----BEGIN RSA PRIVATE KEY-----\n${letters(300)}\n-----END RSA PRIVATE KEY-----`],
];

describe('masking text', () => {
  test.each(TOKENS)('%s', (kind, token) => {
    const text = `before ${token}, after`;
    expect(maskText(text)).toBe(`before ***[masked:${kind}], after`);
    expect(maskText(JSON.stringify({ note: token }))).not.toContain(token.slice(-20));
  });

  test.each([
    ['Authorization: Bearer abc.def-ghi_123', 'Authorization: Bearer ***[masked:authorization]'],
    ['use Bearer abcdefgh12345678 now', 'use Bearer ***[masked:bearer-token] now'],
    ['Cookie: sid=abc; theme=dark\nnext', 'Cookie: sid=***[masked:cookie]; theme=***[masked:cookie]\nnext'],
    ['postgres://app:s3cret@db:5432/x', 'postgres://app:***[masked:url-password]@db:5432/x'],
    ['https://x.test/a?api_key=abc123&page=2', 'https://x.test/a?api_key=***[masked:api-key]&page=2'],
    ['{"password": "hunter2", "user": "ann"}', '{"password": "***[masked:password]", "user": "ann"}'],
    ['{\\"clientSecret\\":\\"hunter2\\"}', '{\\"clientSecret\\":\\"***[masked:secret]\\"}'],
    ["DB_PASSWORD='hunter2'", "DB_PASSWORD='***[masked:password]'"],
    ['export GITHUB_TOKEN=abcdef123', 'export GITHUB_TOKEN=***[masked:token]'],
    ['token := abcdef', 'token := ***[masked:token]'],
  ])('%s', (text, expected) => {
    expect(maskText(text)).toBe(expected);
  });

  test.each([
    'the quick brown fox reads /home/ann/notes.txt with 42 lines',
    'max_tokens=100, tokenizer: bpe, nextPageToken: abcdef',
    'ask-list, risk-free, desk_top, hf_short, sk-8',
    'https://example.test:8443/path?x=1@2',
    'password: null, secret: true, token: none',
    "Invalid intent.data_sensitivity 'secret': must be public, internal, private, or unknown",
    'token: expired, password: invalid',
    'A secret is a secret; the cookie jar is empty.',
    'SELECT primary_key FROM keys WHERE author = 1',
  ])('leaves alone: %s', (text) => {
    expect(maskText(text)).toBe(text);
  });

  test('never keeps a known token wherever it stands', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...TOKENS), fc.string(), (before, [, token], after) => {
        // A token is recognised where it stands on its own.
        const text = `${before} ${token} ${after}`;
        expect(maskText(text)).not.toContain(token);
      }),
    );
  });

  test('the cheap look never misses what the scanner would mask', () => {
    const pieces = fc.constantFrom(
      'sk-',
      'ghp_',
      'eyJ',
      'passWORD',
      'Token',
      ' = ',
      '"',
      ':',
      '://',
      '@',
      'abcdefghijklmnopqrstuvwxyz',
      'é',
      'Bearer ',
      'api key',
      '.',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        if (maskText(text) !== text) expect(mayHoldSecret(text)).toBe(true);
      }),
    );
  });

  test('hostile text of 200 KB is done in one go', () => {
    const pieces = [
      '://a:',
      'eyJaaaaaaaaaaaa',
      'cookie=***',
      'cookie: ',
      'token=',
      'token:"',
      '"password":"\\"',
      '-----BEGIN PRIVATE',
      'sk-',
      'bearer ',
      'xoxb-1',
      'eyJ.',
      'password',
      ' password ',
      'api_key',
      'key ',
      'key.',
      'key: ',
      'token a1B2c3D4e5F6g7H8 ',
      ' -u a:',
      '1234567:A',
      'aB1~Q~',
      '.atlasv1.',
      'A',
      '\\',
    ];
    for (const piece of pieces) {
      const text = piece.repeat(Math.ceil(200_000 / piece.length));
      expect(typeof maskText(text)).toBe('string');
      expect(typeof maskText(`${text}\n${text.slice(0, 1000)}`)).toBe('string');
    }
  });
});

describe('names of secrets', () => {
  test.each([
    'password',
    'Password',
    'DB_PASSWORD',
    'userPassword',
    'x-api-key',
    'apiKey',
    'API KEY',
    'access_token',
    'accessToken',
    'token',
    'client-secret',
    'Authorization',
    'Set-Cookie',
    'private_key',
    'aws_secret_access_key',
    'credentials',
    'pwd',
    'jwt',
    'refresh_tokens',
  ])('%s', (name) => {
    expect(secretKindOfKey(name)).not.toBeNull();
  });
  test.each([
    'path',
    'tokens',
    'max_tokens',
    'token_count',
    'nextPageToken',
    'progressToken',
    'author',
    'secretary',
    'key',
    'public_key',
    'passenger',
    'constructor',
    '__proto__',
    '',
  ])('not %s', (name) => {
    expect(secretKindOfKey(name)).toBeNull();
  });
});

describe('short cuts change nothing', () => {
  const assigned = ['password=hunter2hunter2', '"api_key": "hunter2hunter2"', 'secret : hunter2hunter2'];
  const planted = fc.constantFrom(
    ...TOKENS.map(([, token]) => token),
    ...assigned,
    'https://ann:hunter2@host/',
  );
  const pieces =
    'secret token = : " \n - ----- BEGIN bearer api key . / a aGk0 中 \ud83d secretoken eyJ sk-'.split(' ');
  const filler = fc.oneof(
    fc.constantFrom(...pieces, ' ').chain((piece) => fc.nat(80).map((times) => piece.repeat(times))),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
  const text = fc.array(fc.oneof(filler, planted), { maxLength: 12 }).map((parts) => parts.join(''));

  test('any text comes out as by the plain rules', () => {
    fc.assert(
      fc.property(text, (raw) => {
        expect(maskText(raw)).toBe(maskPlainly(raw));
      }),
      { numRuns: cases(2000), seed: 20 },
    );
  });

  test('a word at every distance from the end of a long piece', () => {
    for (const word of [
      'secret',
      'api_key',
      'token',
      'x-----BEGIN PRIVATE KEY-----',
      'bearer hunter2hunter2',
    ])
      for (let distance = 0; distance < 140; distance++)
        for (const start of ['', 'secret', 'secre', 'a.']) {
          const raw = `${'secret'.repeat(20)}${start}${word}${'n'.repeat(distance)}=hunter2hunter2 and ${word}: hunter2`;
          expect(maskText(raw)).toBe(maskPlainly(raw));
        }
  });

  test('nothing of a secret is kept, wherever the rest is cut off', () => {
    for (const [, token] of TOKENS)
      for (let before = 300; before < 420; before += 3) {
        const value = { text: `${' x'.repeat(before)} ${token} ${'y '.repeat(20_000)}` };
        const kept = toJson(value, 800)!.text;
        expect(kept).not.toContain(token.slice(0, 12));
      }
  });
});
