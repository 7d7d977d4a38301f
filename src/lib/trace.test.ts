import { describe, expect, test } from 'vitest';
import { passedOn, readContext } from './trace.ts';

const GOOD = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('a trace context', () => {
  test('is taken as it is', () => {
    expect(readContext({ traceparent: GOOD, tracestate: 'a=1,b=2', other: 'x' })).toEqual({
      traceparent: GOOD,
      tracestate: 'a=1,b=2',
    });
    expect(passedOn(readContext({ traceparent: GOOD }))).toEqual({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      context: { traceparent: GOOD },
    });
  });

  test.each([
    ['missing', undefined],
    ['no text', 7],
    ['several headers in one', `${GOOD}, ${GOOD}`],
    ['upper case', GOOD.toUpperCase()],
    ['version ff', `ff${GOOD.slice(2)}`],
    ['a trace of zeros', GOOD.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32))],
    ['a parent of zeros', GOOD.replace('b7ad6b7169203331', '0'.repeat(16))],
    ['a line break', `${GOOD}\n`],
    ['too short', GOOD.slice(0, -1)],
    ['something behind it', `${GOOD}-x`],
  ])('is none: %s', (_what, traceparent) => {
    expect(readContext({ traceparent, tracestate: 'a=1' })).toBeUndefined();
    expect(passedOn(readContext({ traceparent }))).toBeUndefined();
  });

  test.each([
    ['', 'empty'],
    ['a=1\r\nx-api-key: stolen', 'another header'],
    ['a=\u00e9', 'no plain text'],
    ['a'.repeat(513), 'too long'],
    [{ a: 1 }, 'no text'],
  ])('a state that is not good is left out: %j (%s)', (tracestate: unknown, _what: string) => {
    expect(readContext({ traceparent: GOOD, tracestate })).toEqual({ traceparent: GOOD });
  });
});
