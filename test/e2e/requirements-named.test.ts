import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LAST = 42;

function testFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join(ROOT, folder, path));
}

/** Titles of tests that run: a skipped or planned one has a suffix and does not count. */
function titlesIn(file: string): string[] {
  const pattern = /(?:^|[^.\w])(?:test|it)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;
  return [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, , title]) => title!);
}

test('every requirement is named by the title of a test, and no other', () => {
  const titles = [...testFiles('src'), ...testFiles('test')].flatMap(titlesIn);
  expect(titles.length).toBeGreaterThan(100);
  const named = new Set(titles.flatMap((title) => title.match(/FR-\d+/g) ?? []));
  const wanted = Array.from({ length: LAST }, (_, index) => `FR-${String(index + 1).padStart(3, '0')}`);
  expect([...named].sort()).toEqual(wanted);
});
