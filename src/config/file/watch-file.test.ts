import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchFile } from './watch-file.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcpproxy-watch-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a file that was gone, came back just before it was read and went again is read again', async () => {
  const file = join(dir, 'config.json');
  writeFileSync(file, '1');
  const reads: string[] = [];
  await new Promise<void>((resolve) => {
    const unwatch = watchFile(
      file,
      () => {
        reads.push('read');
        if (reads.length === 1) {
          rmSync(file);
          return true;
        }
        if (reads.length === 2) {
          // As if another program had written it between the look and the read, and removed it right after the read.
          return true;
        }
        unwatch();
        resolve();
        return false;
      },
      20,
    );
  });
  expect(reads).toHaveLength(3);
});

test('a file that stays as it is, or stays away, is read once', async () => {
  const file = join(dir, 'config.json');
  const marker = join(dir, 'other.json');
  let reads = 0;
  const unwatch = watchFile(file, () => (reads++, false), 20);
  // The other file is looked at as often.
  let looks = 0;
  await new Promise<void>((resolve) => {
    const unwatchOther = watchFile(
      marker,
      () => {
        writeFileSync(marker, String(looks));
        if (++looks < 4) return true;
        unwatchOther();
        resolve();
        return true;
      },
      20,
    );
  });
  unwatch();
  expect(reads).toBe(1);
});
