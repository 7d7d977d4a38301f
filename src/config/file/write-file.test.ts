import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeFileAtomically } from './write-file.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'write-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a link stays, its target is replaced with its mode, and nothing else is left', () => {
  writeFileSync(join(dir, 'file'), 'old', { mode: 0o640 });
  symlinkSync('file', join(dir, 'link'));
  const text = 'é\n'.repeat(1_000_000);
  writeFileAtomically(join(dir, 'link'), text);
  expect(readFileSync(join(dir, 'file'), 'utf8')).toBe(text);
  expect(statSync(join(dir, 'file')).mode & 0o777).toBe(0o640);
  expect(readdirSync(dir)).toEqual(['file', 'link']);
});

// Only root can give a file to somebody else.
test.runIf(process.getuid?.() === 0)('the owner stays; a new file is for the owner of its folder', () => {
  const [uid, gid] = [12_345, 23_456];
  writeFileSync(join(dir, 'file'), 'old');
  chownSync(join(dir, 'file'), uid, gid);
  chmodSync(join(dir, 'file'), 0o664);
  writeFileAtomically(join(dir, 'file'), 'new');
  expect(statSync(join(dir, 'file'))).toMatchObject({ uid, gid, mode: 0o100664 });
  mkdirSync(join(dir, 'theirs'));
  chownSync(join(dir, 'theirs'), uid, gid);
  writeFileAtomically(join(dir, 'theirs', 'new'), 'new', 0o600);
  expect(statSync(join(dir, 'theirs', 'new'))).toMatchObject({ uid, gid, mode: 0o100600 });
});
