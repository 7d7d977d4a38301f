import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { selectRows, type Selection } from './select-rows.ts';

const DOWN = '\u001b[B';
const UP = '\u001b[A';

async function choose(keys: string[], more: Partial<Selection> = {}) {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => raw.push(on) });
  let shown = '';
  let interrupted = 0;
  const rows = [{ label: 'a', isChosen: true }, { label: 'b\u001b[2J' }, { label: 'c'.repeat(100) }];
  const answer = selectRows(
    { question: 'Which?', rows, many: true, ...more },
    {
      input: input as unknown as NodeJS.ReadStream,
      output: { write: (text: string) => (shown += text), columns: 40 },
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
