import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bad, good } from '../../scripts/clients/cell.ts';
import { STEPS, type Cells } from '../../scripts/clients/drive-client.ts';
import { PROGRAMS } from '../../scripts/clients/programs.ts';
import { titlesIn, withRows } from '../../scripts/clients/table.ts';
import { RECIPES } from '../../src/clients/connect/recipes/recipes.ts';

const PAGE = readFileSync(new URL('../../docs/reference/clients-tested.md', import.meta.url), 'utf8');
const EMPTY = 'before\n\n<!-- clients: made by `npm run clients` -->\n\n<!-- end of clients -->\n\nafter\n';
const cells = Object.fromEntries(STEPS.map((step) => [step, good('fine')])) as Cells;
const [first, second] = [PROGRAMS[0]!, PROGRAMS[1]!];

test('the page in the docs has a row for every client that is driven', () => {
  expect(titlesIn(PAGE)).toEqual(PROGRAMS.map(({ title }) => title));
});

test('every client is pinned to one exact version', () => {
  expect(PROGRAMS.filter(({ version }) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(new Set(PROGRAMS.map(({ id }) => id)).size).toBe(PROGRAMS.length);
});

describe('the table', () => {
  const row = { program: first, date: '2026-01-02', outcome: cells };

  test('has one column per step, and leaves the text around it alone', () => {
    const page = withRows(EMPTY, [row], PROGRAMS);
    const line = page.split('\n').find((text) => text.startsWith(`| ${first.title} |`))!;
    expect(line).toContain(`| ${first.version} | 2026-01-02 | fine |`);
    expect(line.split('|')).toHaveLength(STEPS.length + 5);
    expect(page.startsWith('before\n') && page.endsWith('\nafter\n')).toBe(true);
  });
  test('marks what failed, and text of a program cannot add columns', () => {
    const outcome = { ...cells, held: bad('a | b\nc', 'the whole screen') };
    const page = withRows(EMPTY, [{ ...row, outcome }], PROGRAMS);
    expect(page).toContain('| **no**: a b c |');
    expect(page).not.toContain('the whole screen');
  });
  test('names a client that was skipped', () => {
    const page = withRows(EMPTY, [{ ...row, outcome: { skipped: 'no network' } }], PROGRAMS);
    expect(page).toContain(`| 2026-01-02 | SKIPPED: no network | –`);
  });
  test('keeps the rows of clients that did not run, in the order of the programs', () => {
    const page = withRows(EMPTY, [{ ...row, program: second }], PROGRAMS);
    expect(titlesIn(withRows(page, [row], PROGRAMS))).toEqual([first.title, second.title]);
  });
  test('is not written into a page without its markers', () => {
    expect(() => withRows('no markers', [row], PROGRAMS)).toThrow(/needs the lines/);
  });
});

test('`connect` calls a client verified in exactly the version that is driven', () => {
  const verified = RECIPES.filter((recipe) => recipe.verified !== undefined).map(({ id, verified }) => [
    id,
    verified,
  ]);
  expect(Object.fromEntries(verified)).toEqual(
    Object.fromEntries(PROGRAMS.map(({ id, version }) => [id, version])),
  );
});
