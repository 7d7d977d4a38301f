import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { breaches } from '../../scripts/structure/rules.ts';
import { readTree } from '../../scripts/structure/source-tree.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('rooms, doors, layers and the one road hold, and there is no cycle, types included', () => {
  expect(breaches(readTree(ROOT))).toEqual([]);
});
