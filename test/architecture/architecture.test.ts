import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { filesOfOneCall } from '../../scripts/structure/call-coverage.ts';
import { MOST_FILES_OF_A_CALL } from '../../scripts/structure/rooms.ts';
import { breaches } from '../../scripts/structure/rules.ts';
import { readTree } from '../../scripts/structure/source-tree.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('rooms, doors, layers and the one road hold, and there is no cycle, types included', () => {
  expect(breaches(readTree(ROOT))).toEqual([]);
});

test('one call_tool_write runs code in few files', async () => {
  const files = await filesOfOneCall(ROOT);
  expect(files).toContain('road/steps/dispatch.ts');
  expect(files.length, `files that run: ${files.join(', ')}`).toBeLessThanOrEqual(MOST_FILES_OF_A_CALL);
});
