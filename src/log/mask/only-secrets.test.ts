import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../../test/fixtures/cases.ts';
import { READABLE_PAYLOADS } from '../../../test/fixtures/hidden-payloads.ts';
import { toJson } from '../record/to-json.ts';
import { maskText } from './mask-text.ts';

const LIMIT = 1_000_000;
const stored = (value: unknown) => JSON.parse(toJson(value, LIMIT)!.text) as unknown;
const written = (text: string) => JSON.stringify(text).slice(1, -1);

describe('masking never swallows more than the secret itself', () => {
  test.each(READABLE_PAYLOADS)('$what: the command beside it stays readable', ({ args, hidden }) => {
    expect(toJson(args, LIMIT)!.text).toContain(written(hidden));
    expect(toJson({ structuredContent: args }, LIMIT)!.text).toContain(written(hidden));
    const echoed = { content: [{ type: 'text', text: JSON.stringify(args) }] };
    expect(toJson(echoed, LIMIT)!.text).toContain(written(written(hidden)));
  });

  const token = fc
    .array(fc.constantFrom(...'abcdefghijKLMNOPQRSTUVWYZ0123456789'), { minLength: 34, maxLength: 60 })
    .map((letters) => `a1Bc${letters.join('')}`);
  const pem = token.map((body) => {
    const line = `${body}${body}`.slice(0, 64);
    return `-----BEGIN PRIVATE KEY-----\n${line}\n${line}\nabcd\n-----END PRIVATE KEY-----`;
  });
  const url = token.map((body) => body.slice(0, 20));
  /** How a secret stands in a text: what is in front of it, the secret, what is behind it. */
  const planted = fc.oneof(
    ...['sk-', 'ghp_', 'glpat-', 'npm_', 'xoxb-', 'github_pat_'].map((prefix) =>
      token.map((body) => ['', `${prefix}${body}`, ''] as const),
    ),
    token.map((body) => ['', `eyJhbGciOiJIUzI1NiJ9.${body}.${body}`, ''] as const),
    token.map((body) => ['Bearer ', body, ''] as const),
    token.map((body) => ['Authorization: Basic ', body, ''] as const),
    token.map((body) => ['Cookie: sid=', body, '; theme=on'] as const),
    token.map((body) => ['password=', body, ''] as const),
    token.map((body) => ['"api_key": "', body, '"'] as const),
    token.map((body) => ["DB_PASSWORD='", `${body} and words`, "'"] as const),
    token.map((body) => ['{\\"clientSecret\\":\\"', body, '\\"}'] as const),
    url.map((body) => ['postgres://app:', body, '@db:5432/x'] as const),
    pem.map((key) => ['', key, ''] as const),
  );
  /** Ordinary text, and what a shell would make of it. */
  const around = fc
    .array(
      fc.constantFrom(
        'rm -rf ~/x',
        ';',
        '|',
        '&&',
        '$(ls)',
        'é',
        '中文',
        '"',
        "'",
        '\n',
        '#',
        '(',
        '<',
        'A',
        '42',
        '***',
      ),
      { maxLength: 8 },
    )
    .map((pieces) => pieces.join(' '));

  test('everything outside of a secret survives unchanged, in any text', () => {
    fc.assert(
      fc.property(around, planted, around, (before, [open, secret, close], after) => {
        const masked = maskText(`${before} ${open}${secret}${close} ${after}`);
        expect(masked).not.toContain(secret);
        const [front, ...rest] = masked.split(/\*\*\*\[masked:[^\]]+\]/);
        expect(front).toBe(`${before} ${open}`);
        expect(rest.join('')).toBe(`${close} ${after}`);
      }),
      { numRuns: cases(3000) },
    );
  });

  const key = fc.constantFrom(
    'a',
    'list',
    'secret',
    'password',
    'credentials',
    'token',
    'cookie',
    'authorization',
    'x',
  );
  const leaf = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant('Bearer abcdefgh1234; rm -rf ~'),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ),
  }));

  /** Keys, lengths of lists and kinds of containers. */
  function shape(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(shape);
    if (typeof value !== 'object' || value === null) return 'leaf';
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shape(each)]));
  }

  test('the shape of any value survives: keys, lists and their lengths', () => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(shape(stored(value))).toEqual(shape(JSON.parse(JSON.stringify(value))));
      }),
      { numRuns: cases(1000) },
    );
  });

  test('under the name of a secret each text and number is masked, and nothing else', () => {
    expect(stored({ secret: { user: 'ann', list: ['a', 2, true, null, ''], deeper: { n: 1.5 } } })).toEqual({
      secret: {
        user: '***[masked:secret]',
        list: ['***[masked:secret]', '***[masked:secret]', true, null, ''],
        deeper: { n: '***[masked:secret]' },
      },
    });
  });

  test('text after a very long secret is kept, or the value is marked as truncated', () => {
    const value = { text: `password=${'a'.repeat(100_000)}; rm -rf ~/x` };
    expect(toJson(value, 65_536)).toMatchObject({ truncated: true });
    expect(toJson(value, 1_000_000)!.text).toContain('; rm -rf ~/x');
  });

  test('a secret in a key that is too long is masked', () => {
    const long = `${'k'.repeat(50)} password=hunter2hunter2 ${'k'.repeat(9000)}`;
    expect(toJson({ [long]: 1, token: 'x' }, LIMIT)!.text).not.toContain('hunter2');
  });
});

describe('what belongs to a secret is masked with it', () => {
  test.each([
    ['"password":"x7;K(2|p&Q<9"', '"password":"***[masked:password]"'],
    [`"password":"a\\"b"`, `"password":"***[masked:password]"`],
    ["PASSWORD='correct horse battery staple'", "PASSWORD='***[masked:password]'"],
    ['password: `hunter2`', 'password: `***[masked:password]`'],
    ['Authorization: SSWS 00abcdef123', 'Authorization: SSWS ***[masked:authorization]'],
    [
      'Authorization: Digest username="ann", nonce="abcdef", response="6629fae4"',
      'Authorization: Digest username="ann", nonce="***[masked:authorization]", response="***[masked:authorization]"',
    ],
    ['Set-Cookie: sid=abcdef; Path=/; HttpOnly', 'Set-Cookie: sid=***[masked:cookie]; Path=/; HttpOnly'],
    ['"cookie": "sid=abcdef; b=ghijkl"', '"cookie": "sid=***[masked:cookie]; b=***[masked:cookie]"'],
    ['Server=db;Password=hunter2;Database=x', 'Server=db;Password=***[masked:password];Database=x'],
    ['eyJhbGciOiJI..iviviv.ciphertext.tag and more.', '***[masked:jwt] and more.'],
    ['glpat-abcdefghijklmnop1234.', '***[masked:gitlab-token].'],
    ['the bearer authentication of it', 'the bearer authentication of it'],
  ])('%s', (text, expected) => {
    expect(maskText(text)).toBe(expected);
  });

  test('a private key as files, environment variables and JSON hold it', () => {
    const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
    const key = (by: string, fields = '') =>
      `-----BEGIN RSA PRIVATE KEY-----${by}${fields}${line}${by}${line}${by}ab4=${by}-----END RSA PRIVATE KEY-----`;
    for (const by of ['\n', '\r\n', '\\n', '\\\\n', ' '])
      expect(maskText(`a ${key(by)} b`)).toBe('a ***[masked:private-key] b');
    const fields = 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011\n\n';
    expect(maskText(key('\n', fields))).toBe(
      `-----BEGIN RSA PRIVATE KEY-----\n${fields}***[masked:private-key]\n-----END RSA PRIVATE KEY-----`,
    );
    const cut = key('\n').slice(0, 32 + 65 + 30);
    expect(maskText(cut)).toBe('-----BEGIN RSA PRIVATE KEY-----\n***[masked:private-key]');
  });
});
