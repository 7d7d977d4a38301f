import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { selectRows, type Selection } from './select-rows.ts';

const DOWN = '\u001b[B';
const UP = '\u001b[A';

async function choose(keys: string[], more: Partial<Selection> = {}, height?: number) {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => raw.push(on) });
  let shown = '';
  let interrupted = 0;
  const rows = [{ label: 'a', isChosen: true }, { label: 'b\u001b[2J' }, { label: 'c'.repeat(100) }];
  const answer = selectRows(
    { question: 'Which?', rows, many: true, ...more },
    {
      input: input as unknown as NodeJS.ReadStream,
      output: { write: (text: string) => (shown += text), columns: 40, ...(height && { rows: height }) },
      interrupted: () => interrupted++,
    },
  );
  for (const key of keys) input.write(key);
  const result = await answer;
  return { result, shown, interrupted, raw };
}

test('arrow keys move, space chooses, Enter answers', async () => {
  expect((await choose([DOWN, ' ', DOWN, DOWN, ' ', '\r'])).result).toEqual([1]);
  expect((await choose([UP, ' ', '\r'])).result).toEqual([0, 2]);
  expect((await choose(['a', '\r'])).result).toEqual([0, 1, 2]);
  expect((await choose(['a', 'a', '\r'])).result).toEqual([]);
  expect((await choose([DOWN, '\r'], { many: false })).result).toEqual([1]);
});

test('Ctrl-C interrupts; the terminal is as before', async () => {
  const { result, interrupted, raw } = await choose(['\u0003']);
  expect([result, interrupted, raw]).toEqual([undefined, 1, [true, false]]);
});

test('labels are shown harmlessly, and no line is wider than the terminal', async () => {
  const { shown } = await choose(['\r']);
  expect(shown).not.toContain('\u001b[2J');
  for (const line of shown.split('\n')) expect(line.length).toBeLessThan(40);
});

test('of more rows than the terminal has lines, those around the present one are shown', async () => {
  const labels = Array.from({ length: 30 }, (_, index) => `row ${index}`);
  const rows = labels.map((label) => ({ label }));
  const HEIGHT = 9;
  const { shown, result } = await choose(
    [...Array<string>(29).fill(DOWN), ' ', DOWN, '\r'],
    { rows },
    HEIGHT,
  );
  expect(result).toEqual([29]);
  // oxlint-disable-next-line no-control-regex -- what erases the frame before
  const frames = shown.split(/\u001b\[(\d+)A\u001b\[J/);
  const drawn = frames.filter((_, index) => index % 2 === 0).map((frame) => frame.trimEnd().split('\n'));
  for (const [index, lines] of drawn.entries()) {
    expect(lines.length).toBeLessThan(HEIGHT);
    expect(lines.filter((line) => line.startsWith('> '))).toHaveLength(1);
    if (index > 0) expect(frames[2 * index - 1]).toBe(String(drawn[index - 1]!.length));
  }
  expect(drawn[0]!.slice(0, 3)).toEqual(['Which?', '> [ ] row 0', '  [ ] row 1']);
  expect(drawn[0]!.at(-2)).toBe('  … 26 more');
  expect(drawn[15]).toEqual([
    'Which?',
    '  … 13 more',
    '  [ ] row 13',
    '  [ ] row 14',
    '> [ ] row 15',
    '  [ ] row 16',
    '  … 13 more',
    expect.any(String),
  ]);
  // The question is the first line of each, and the last row has no more below it.
  expect(drawn[29]!.at(-2)).toBe('> [ ] row 29');
});
