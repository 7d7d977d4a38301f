import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEndedSessions } from './ended-sessions.ts';

const LIFE = 1_000;
let dir: string;
let now: number;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ended-'));
  now = 5_000;
});
afterEach(() => rmSync(dir, { recursive: true }));

const open = () =>
  createEndedSessions({
    file: join(dir, 'ended.json'),
    clock: { now: () => now },
    lifeMs: LIFE,
    maxStored: 5,
  });
const session = (id: string, expiresAt = now + LIFE) => ({ id, expiresAt });

test('a session that has ended stays so in the next run, and others are good', () => {
  open().add(session('a'));
  const later = open();
  expect([later.has(session('a')), later.has(session('b'))]).toEqual([true, false]);
  expect(statSync(join(dir, 'ended.json')).mode & 0o777).toBe(0o600);
});

test('nothing is written where nobody logs out, and what has expired is forgotten', () => {
  const ended = open();
  expect(existsSync(join(dir, 'ended.json'))).toBe(false);
  ended.add(session('a'));
  now += 2 * LIFE;
  ended.add(session('b'));
  expect(readFileSync(join(dir, 'ended.json'), 'utf8')).not.toContain('"a"');
});

test.each(['', '{', '{"ended":1}'])('a file that says %j ends every session there was', (text) => {
  writeFileSync(join(dir, 'ended.json'), text);
  const before = session('a');
  const ended = open();
  now += 1;
  expect([ended.has(before), ended.has(session('b'))]).toEqual([true, false]);
});

test('rather too many end than one comes back', () => {
  const ended = open();
  const all = Array.from({ length: 10 }, (_, n) => session(`s${n}`, now + LIFE + n));
  for (const each of all) ended.add(each);
  expect([ended, open()].every((one) => all.every((each) => one.has(each)))).toBe(true);
  expect(open().has(session('other', now + LIFE + 2_000))).toBe(false);
});

test('a log-out that cannot be stored says so, and holds meanwhile', () => {
  const file = join(dir, 'missing', 'ended.json');
  const ended = createEndedSessions({ file, clock: { now: () => now }, lifeMs: LIFE });
  expect(() => ended.add(session('a'))).toThrow(/could not be stored/);
  expect(ended.has(session('a'))).toBe(true);
});
