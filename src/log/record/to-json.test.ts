import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keepSource } from '../../json/source.ts';
import { toJson } from './to-json.ts';

const LIMIT = 65_536;
const stored = (value: unknown, limit = LIMIT) => JSON.parse(toJson(value, limit)!.text) as unknown;

describe('values for the log', () => {
  test('ordinary values are kept as they are', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!/pass|secret|token|key|auth|cookie|cred|:\/\/|jwt|otp|dsn|cv/i.test(text));
        expect(stored(value)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('values under the name of a secret are masked one by one; the value itself is not touched', () => {
    const value = {
      user: 'ann',
      password: 'hunter2',
      nested: [{ 'X-Api-Key': 'abc', tokens: 12, token: true, secret: null, cookie: '' }],
      credentials: { user: 'x', pin: 1 },
      authToken: 123456,
    };
    const copy = structuredClone(value);
    expect(stored(value)).toEqual({
      user: 'ann',
      password: '***[masked:password]',
      nested: [{ 'X-Api-Key': '***[masked:api-key]', tokens: 12, token: true, secret: null, cookie: '' }],
      credentials: { user: '***[masked:credential]', pin: '***[masked:credential]' },
      authToken: '***[masked:token]',
    });
    expect(value).toEqual(copy);
  });

  test('tokens in text are masked, also in text that holds JSON', () => {
    const text = JSON.stringify({ password: 'hunter2' });
    expect(
      stored({ content: [{ type: 'text', text: `${text} ghp_0123456789abcdefghij0123456789abcdef` }] }),
    ).toEqual({
      content: [{ type: 'text', text: '{"password":"***[masked:password]"} ***[masked:github-token]' }],
    });
  });

  test('a key called __proto__ is kept as a key', () => {
    const value = JSON.parse('{"__proto__": {"token": "abc"}, "constructor": 1}') as unknown;
    expect(toJson(value, LIMIT)!.text).toBe('{"__proto__":{"token":"***[masked:token]"},"constructor":1}');
  });

  test('what is too long is cut to valid JSON within the limit, and the rest is never written', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
        fc.integer({ min: 120, max: 5000 }),
        (piece, limit) => {
          const result = toJson({ content: [{ type: 'text', text: piece.repeat(10_000) }] }, limit);
          expect(result!.truncated).toBe(true);
          expect(Buffer.byteLength(result!.text)).toBeLessThanOrEqual(limit);
          expect(JSON.parse(result!.text)).toMatchObject({ truncated: true, text: expect.any(String) });
        },
      ),
    );
    const huge = 'x'.repeat(50_000_000);
    const [one, many] = [
      toJson({ text: huge }, LIMIT)!,
      toJson(
        Array.from({ length: 1_000_000 }, () => 1),
        LIMIT,
      )!,
    ];
    expect(JSON.parse(one.text)).toMatchObject({ truncated: true, bytes: expect.any(Number) });
    expect((JSON.parse(one.text) as { bytes: number }).bytes).toBeGreaterThan(50_000_000);
    expect(many.text.length).toBeLessThanOrEqual(LIMIT);
  });

  test('a secret at the cut is masked, not cut in half', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    for (let before = 100; before < 200; before++) {
      const result = toJson({ text: `${'x '.repeat(before)}${token} ${'y'.repeat(5000)}` }, 400)!;
      expect(result.text).not.toContain('ghp_');
    }
  });

  test('a limit of zero keeps nothing', () => {
    expect(toJson({ a: 1 }, 0)).toBeNull();
  });

  test('binary data is masked', () => {
    const data = Buffer.alloc(30_000, 7).toString('base64');
    expect(
      stored({
        content: [
          { type: 'image', data, mimeType: 'image/png' },
          { type: 'image', data: 'aGk=' },
        ],
      }),
    ).toEqual({
      content: [
        { type: 'image', data: '***[masked:binary-data]', mimeType: 'image/png' },
        { type: 'image', data: 'aGk=' },
      ],
    });
    expect(toJson({ blob: data }, LIMIT)!.truncated).toBe(true);
    expect(toJson({ blob: `${data.repeat(40)}; rm -rf ~/x` }, 4_000_000)!.text).toContain('; rm -rf ~/x');
    expect(stored({ uri: `data:image/png;base64,${data}` })).toMatchObject({
      uri: '***[masked:binary-data]',
    });
  });

  test('nesting, cycles and odd values end', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 10_000; i++) deep = [deep];
    expect(toJson(deep, LIMIT)!.text).toContain('nested deeper than');
    const cycle: Record<string, unknown> = { a: 1 };
    cycle.self = [cycle, cycle];
    expect(() => JSON.parse(toJson(cycle, LIMIT)!.text)).not.toThrow();
    expect(stored({ a: undefined, b: 10n, c: () => 1, d: [undefined] })).toEqual({ b: '10', d: [null] });
    expect(toJson(undefined, LIMIT)).toBeNull();
  });
});

describe('numbers as they were written', () => {
  const sourced = (text: string): unknown => {
    const value: unknown = JSON.parse(text);
    keepSource(value as object, text);
    return value;
  };

  test('are kept, in plain values and beside what is masked', () => {
    const numbers = '"a":12345678901234567890,"b":[1.0,-0,1e400]';
    expect(toJson(sourced(`{${numbers}}`), LIMIT)).toEqual({ text: `{${numbers}}`, truncated: false });
    expect(toJson(sourced(`{${numbers},"password":12345678901234567890}`), LIMIT)?.text).toBe(
      `{${numbers},"password":"***[masked:password]"}`,
    );
  });

  test('a secret is no less one for being written with escapes', () => {
    const text = '{"p\\u0061ssword":"hunter2","n":1.0,"url":"https:\\/\\/ann:hunter2@host"}';
    expect(toJson(sourced(text), LIMIT)?.text).not.toContain('hunter2');
  });

  test('of a large value as much is kept as there is room for, whatever is in front of it', () => {
    const blob = 'A'.repeat(400_000);
    const long = toJson(sourced(`{"data":"${blob}","n":12345678901234567890}`), 4096)!;
    expect(JSON.parse(long.text)).toMatchObject({ data: '***[masked:binary-data]' });
    expect(long.text).toContain('"n":12345678901234567890');
    const many = toJson(sourced(`{"list":[${'12345678901234567890,'.repeat(50_000)}1]}`), 4096)!;
    expect(many.truncated).toBe(true);
    expect(JSON.parse(many.text)).toMatchObject({
      truncated: true,
      text: expect.stringMatching(/^\{"list":\[12345678901234567890,/),
    });
  });
});
