import { expect, test, describe } from 'vitest';
import { inTurn, type Steps, parseLong, scanLong } from './long-text.ts';
import { atOnce } from './source.ts';
import fc from 'fast-check';
import { cases } from '../../test/fixtures/cases.ts';
import { objectText, valueText } from '../../test/fixtures/json-text.ts';
import { countWrittenKeys, stringEnd } from './scan.ts';
import { readJson } from './source.ts';

const busy = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end;);
};

test('a turn of the event loop holds one step of one text, and others go in between', async () => {
  const order: string[] = [];
  function* work(name: string): Steps<string> {
    for (let step = 0; step < 3; step++) {
      order.push(name);
      busy(2);
      yield;
    }
    return name;
  }
  let turns = 0;
  let over = false;
  const count = () => {
    turns++;
    if (order.at(-1) !== '-') order.push('-');
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const names = await Promise.all([inTurn(work('a')), inTurn(work('b'))]);
  over = true;
  expect(names).toEqual(['a', 'b']);
  // In turn, and never two of them without a turn of everybody else.
  expect(order.filter((name) => name !== '-').join('')).toBe('ababab');
  expect(order.join('')).not.toMatch(/[ab]{2}/);
  expect(turns).toBeGreaterThan(6);
});

test('a failure rejects its caller, and the next one runs', async () => {
  // oxlint-disable-next-line require-yield
  function* fails(): Steps<never> {
    throw new Error('no');
  }
  function* works(): Steps<number> {
    yield;
    return 1;
  }
  const [failed, worked] = await Promise.allSettled([inTurn(fails()), inTurn(works())]);
  expect(failed).toMatchObject({ status: 'rejected', reason: new Error('no') });
  expect(worked).toEqual({ status: 'fulfilled', value: 1 });
  expect(atOnce(works())).toBe(1);
});

test('after a step, and after what it set off, everybody else has twice as long', async () => {
  const ends: number[] = [];
  const begins: number[] = [];
  // oxlint-disable-next-line require-yield
  function* work(): Steps<void> {
    begins.push(performance.now());
    busy(5);
  }
  const act = async () => {
    await inTurn(work());
    busy(5);
    ends.push(performance.now());
  };
  await Promise.all([act(), act()]);
  // Twice ten; the clock of timers goes in steps of a millisecond, and may be one behind.
  expect(begins[1]! - ends[0]!).toBeGreaterThan(17);
});

const DEPTH = 64;
const LIMITS = { depth: DEPTH, keys: 1_000_000, items: 1_000_000 };

/** With every size of a step and of what counts as long, so that each edge falls on each place. */
function parsed(text: string, stretch: number, longString: number): unknown {
  const sizes = { stretch, longString };
  const { ends } = atOnce(scanLong(text, LIMITS, sizes));
  return atOnce(parseLong(text, ends, sizes));
}

function plainly(text: string): { value: unknown } | 'no JSON' {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return 'no JSON';
  }
}

function inSteps(text: string, stretch: number, longString: number): { value: unknown } | 'no JSON' {
  try {
    return { value: parsed(text, stretch, longString) };
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return 'no JSON';
  }
}

const pieces = fc.constantFrom('\\n', '\\\\', '\\"', '\\u00e9', '\\ud83d\\ude00', '\\/', 'a', 'é', '😀', ' ');
const written = fc.array(pieces, { maxLength: 60 }).map((all) => `"${all.join('')}"`);
const texts = fc.oneof(
  valueText,
  objectText,
  fc.array(written).map((all) => `[${all.join(' , ')}]`),
  fc.tuple(written, written, written).map(([a, b, c]) => `{${a}: ${b}, "__proto__" :{"x":${c}},"l":[${b}]}`),
);

describe('long texts in steps', () => {
  test('are read as JSON.parse reads them, wherever the steps end', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 8, max: 40 }), fc.nat(12), (text, stretch, longString) => {
        expect(inSteps(text, stretch, longString)).toEqual(plainly(text));
      }),
      { numRuns: cases(1500), seed: 20 },
    );
  });

  test('or refused where it refuses them', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]",:\\1 e\u0001'), maxLength: 3 });
    fc.assert(
      fc.property(
        texts,
        fc.nat(),
        fc.nat(3),
        noise,
        fc.integer({ min: 8, max: 40 }),
        (...[text, at, gone, what, stretch]) => {
          const place = at % (text.length + 1);
          const changed = text.slice(0, place) + what + text.slice(place + gone);
          expect(inSteps(changed, stretch, 2)).toEqual(plainly(changed));
        },
      ),
      { numRuns: cases(3000), seed: 20 },
    );
  });

  test('keys and ends are those that are found in one go', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 8, max: 40 }), (text, stretch) => {
        const { keys, ends } = atOnce(scanLong(text, LIMITS, { stretch, longString: 3 }));
        expect(keys).toBe(countWrittenKeys(text, DEPTH));
        for (const [start, end] of ends) expect(end).toBe(stringEnd(text, start));
      }),
      { numRuns: cases(500), seed: 20 },
    );
    expect(atOnce(scanLong('[[1]]', { ...LIMITS, depth: 1 })).fault).toBe('too deep');
  });

  test('a step is bounded, however long a string is', () => {
    const text = JSON.stringify({
      a: '"'.repeat(2_000_000),
      b: ['\n'.repeat(1_000_000), 'x'.repeat(1_000_000)],
    });
    const { ends } = atOnce(scanLong(text, LIMITS));
    const steps = parseLong(text, ends);
    let count = 1;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    expect(step.value).toEqual(JSON.parse(text));
    expect(count).toBeGreaterThan(text.length / (256 * 1024));
    expect(readJson(text)).toMatchObject({ value: JSON.parse(text) as unknown });
  });
});

test('a fault names no place: it would be one in a part of the text', () => {
  for (const text of [`{"a":"${'x'.repeat(300)}",]`, `{"a":"${'x'.repeat(300)}\\q${'x'.repeat(300)}"}`]) {
    const sizes = { stretch: 64, longString: 32 };
    const { ends } = atOnce(scanLong(text, { ...LIMITS, depth: 10 }, sizes));
    expect(ends.size).toBe(1);
    let message = '';
    try {
      atOnce(parseLong(text, ends, sizes));
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toBe('no JSON');
  }
});
