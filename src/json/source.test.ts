import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../test/fixtures/cases.ts';
import { NUMBERS, objectText, valueText } from '../../test/fixtures/json-text.ts';
import {
  canonicalJson,
  jsonText,
  keepSource,
  keepSourceAt,
  readJson,
  sourceOf,
  withFields,
  withTexts,
} from './source.ts';
import { ExactNumber, exactJson, parseExact, parsePrefix } from './exact.ts';
import { itemSpans, memberSpan, onOneLine, stringEnd } from './scan.ts';

const RUNS = { numRuns: cases(1000) };

function read(text: string): Record<string, unknown> {
  const result = readJson(text);
  if (!('value' in result)) throw new Error(result.fault);
  return result.value as Record<string, unknown>;
}

describe('readJson', () => {
  test('reads what JSON.parse reads, where no key stands twice', () => {
    fc.assert(
      fc.property(valueText, (text) => {
        expect(readJson(text)).toEqual({ value: JSON.parse(text) });
      }),
      RUNS,
    );
  });

  test('whatever the text is: a value as JSON.parse reads it, or a fault', () => {
    const noise = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'{}[]",:\\1 e-') }), objectText);
    fc.assert(
      fc.property(noise, fc.nat(), (text, at) => {
        const cut = text.slice(0, at % (text.length + 1));
        const result = readJson(cut);
        if ('value' in result) expect(result.value).toEqual(JSON.parse(cut));
        else if (result.fault === 'invalid') expect(() => JSON.parse(cut)).toThrow(SyntaxError);
        else expect(result.fault).toBe('repeated key');
      }),
      RUNS,
    );
  });

  test.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"x":[{"b":{"c":1}},{"b":1,"d":":","b":2}]}', 'b'],
    ['{"a":{"b":1},"a":{"c":1}}', 'a'],
    ['{"__proto__":1,"__proto__":{"x":1}}', '__proto__'],
    ['{"":1,"":2}', ''],
    ['{"1":1,"b":2,"1":3}', '1'],
  ])('%s has a key twice', (text, key) => {
    expect(readJson(text)).toEqual({ fault: 'repeated key', key });
  });

  test('the depth counts, however long the text', () => {
    expect(readJson('['.repeat(1_000_000))).toEqual({ fault: 'too deep' });
    // Refused before anything is read: what follows is no JSON.
    expect(readJson(`{${'"a":1,'.repeat(100_001)}`)).toEqual({ fault: 'too wide' });
    expect(readJson(`[${'1,'.repeat(1_000_001)}`)).toEqual({ fault: 'too wide' });
    expect(readJson(`[${'1,'.repeat(999_999)}1]`)).toHaveProperty('value');
    expect(readJson(`${'['.repeat(64)}${']'.repeat(64)}`)).toHaveProperty('value');
    expect(readJson('"[[["')).toEqual({ value: '[[[' });
  });

  test.each([
    ['backslashes without an end', `"${'\\'.repeat(2_000_001)}`, 2_000_002],
    ['escaped quotes without an end', `"${'\\"'.repeat(1_000_000)}`, 2_000_001],
    ['escaped backslashes', `"${'\\\\'.repeat(1_000_000)}"`, 2_000_001],
  ])('takes time in proportion to the length: %s', (_, text, end) => {
    expect(stringEnd(text, 0)).toBe(end);
  });
});

describe('a source', () => {
  test('is the text of the value, byte for byte, wherever it stands', () => {
    fc.assert(
      fc.property(objectText, objectText, valueText, (text, other, value) => {
        const outer = `\n{"params" : {"other":${other},"arguments":\t{"x":${value}, "args" :${text} ,"y":${other}}},"z":1} `;
        const message = JSON.parse(outer) as { params: { arguments: { args: object } } };
        keepSourceAt(message, { text: outer }, ['params', 'arguments', 'args']);
        expect(jsonText(message.params.arguments.args)).toBe(text);
        expect(jsonText({ jsonrpc: '2.0', params: { a: 1, b: message.params.arguments.args } }, 2)).toBe(
          `{"jsonrpc":"2.0","params":{"a":1,"b":${text}}}`,
        );
      }),
      RUNS,
    );
  });

  test('of items of a list, each its own', () => {
    fc.assert(
      fc.property(fc.array(valueText), (texts) => {
        const list = ` [ ${texts.join(' ,\n')}]`;
        expect(withTexts(JSON.parse(list) as unknown[], list).map(([, own]) => own)).toEqual(texts);
      }),
    );
    expect(itemSpans('[ ]', 0)).toEqual([]);
  });

  test('of equal keys the last counts, as for the parser; an escaped key is the same key', () => {
    const text = '{"result":{"a":1},"r\\u0065sult" : {"a":2} ,"result2":3}';
    const { start, end } = memberSpan({ text }, 0, 'result')!;
    expect(text.slice(start, end)).toBe('{"a":2}');
    expect(JSON.parse(text)).toMatchObject({ result: { a: 2 } });
    expect(memberSpan({ text }, 0, 'toString')).toBeUndefined();
  });

  test('belongs to the object it was kept for, not to a changed copy', () => {
    const value = { n: 1 };
    keepSource(value, '{"n":1.0}');
    expect(sourceOf({ ...value })).toBeUndefined();
    expect(jsonText({ ...value, n: 2 })).toBe('{"n":2}');
  });

  test('half a surrogate pair is escaped, as bytes cannot carry it', () => {
    const value = {};
    keepSource(value, '{"a":"\ud800x𝄞","\udc00":1}');
    expect(sourceOf(value)).toBe('{"a":"\\ud800x𝄞","\\udc00":1}');
  });

  test('fields are put in and replaced, all else stays as written', () => {
    fc.assert(
      fc.property(objectText, objectText, (text, put) => {
        const object = read(text);
        keepSource(object, text);
        const field = read(put);
        keepSource(field, put);
        const copy = withFields(object, { _meta: field, a: 'new' });
        expect(copy).toEqual({ ...object, _meta: field, a: 'new' });
        expect(JSON.parse(jsonText(copy))).toEqual(copy);
        expect(jsonText(copy)).toContain(put);
      }),
      RUNS,
    );
    const empty = {};
    keepSource(empty, ' { } ');
    expect(jsonText(withFields(empty, { a: 1, b: 2 }))).toBe(' {"a":1,"b":2 } ');
  });

  test('on one line it means the same', () => {
    fc.assert(
      fc.property(valueText, (text) => {
        expect(onOneLine(text)).not.toMatch(/[\r\n]/);
        expect(JSON.parse(onOneLine(text))).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('exact numbers', () => {
  test.each(NUMBERS)('%s is written as it was read', (number) => {
    const text = `{"a":[${number},{"b":${number}}],"c":"${number}"}`;
    const value = parseExact(text) as { a: unknown[] };
    expect(value.a[0]).toBeInstanceOf(ExactNumber);
    expect(exactJson(value)).toBe(text);
    expect(exactJson(value, 2)).toBe(
      JSON.stringify(JSON.parse(text.replaceAll(/-?\d[\w.+-]*/g, '7')), null, 2).replaceAll('7', number),
    );
    expect(canonicalJson(value)).toBe(text);
  });

  test('every other value is as JSON.parse gives it', () => {
    fc.assert(
      fc.property(valueText, (text) => {
        const exact = parsePrefix(text, Infinity);
        expect(exact.whole).toBe(true);
        // With exact numbers as numbers again, nothing is different.
        expect(JSON.parse(exactJson(exact.value)!)).toEqual(JSON.parse(text));
      }),
      RUNS,
    );
  });

  test('what lies beyond the budget is left out, and that is said', () => {
    const text = `{"a":[1,2,{"b":"${'x'.repeat(100_000)}"},12345678901234567890],"c":[${'0,'.repeat(9999)}0]}`;
    const { value, whole } = parsePrefix(text, 6000);
    expect(whole).toBe(false);
    expect(value).toMatchObject({
      a: [1, 2, { b: 'x'.repeat(100_000) }, new ExactNumber('12345678901234567890')],
    });
  });

  test('who does not know of them still gets the digits', () => {
    expect(JSON.stringify(parseExact('[12345678901234567890]'))).toBe('["12345678901234567890"]');
  });

  test('canonical text differs where numbers differ beyond what JavaScript can tell', () => {
    const sourced = (text: string) => {
      const value = read(text);
      keepSource(value, text);
      return canonicalJson({ args: value });
    };
    expect(sourced('{"id":9007199254740993,"a":1}')).not.toBe(sourced('{"a":1,"id":9007199254740992}'));
    expect(sourced('{"id": 9007199254740993, "a":1}')).toBe(sourced('{"a":1,"id":9007199254740993}'));
  });
});

describe('the beginning of a value', () => {
  test('long strings with escapes are cut between two characters', () => {
    const pieces = fc.constantFrom('\\n', '\\\\', '\\"', '\\u00e9', '\\ud83d\\ude00', 'a', 'bc', 'é');
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 200, maxLength: 400 }), fc.nat(20), (parts, budget) => {
        const text = `{"a":"${parts.join('')}","b":1}`;
        const whole = (JSON.parse(text) as { a: string }).a;
        const { value } = parsePrefix(text, budget + 10);
        const { a } = value as { a: string };
        expect(whole.startsWith(a)).toBe(true);
        expect(a.length).toBeGreaterThanOrEqual(budget);
      }),
      RUNS,
    );
  });
});
