import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clientConnect } from './client-connect.ts';

const { alone } = clientConnect;
const { signal } = new AbortController();

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'mcpproxy-alone-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('commands that change connections take turns, also after one that failed', async () => {
  const steps: string[] = [];
  let end!: (error: Error) => void;
  const first = alone({ dataDir }, signal, () => {
    steps.push('first');
    return new Promise<void>((_, reject) => (end = reject));
  });
  await expect.poll(() => steps).toEqual(['first']);
  const second = alone({ dataDir }, signal, async () => void steps.push('second'));
  // Long enough for the second one to try several times.
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(steps).toEqual(['first']);
  end(new Error('no'));
  await expect(first).rejects.toThrow('no');
  await second;
  expect(steps).toEqual(['first', 'second']);
  expect(readdirSync(join(dataDir, 'clients'))).toEqual([]);
});

test('a command that was killed holds up nobody, and what it has left is removed', async () => {
  await alone({ dataDir }, signal, async () => {});
  const folder = join(dataDir, 'clients');
  writeFileSync(join(folder, 'daemon.json'), JSON.stringify({ pid: 2 ** 22 + 1 }));
  writeFileSync(join(folder, '.01M7V140TQJ4KY9CRB8PZ9RXPS.tmp'), 'a token');
  expect(await alone({ dataDir }, signal, async () => 1)).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('a command that is ended does not wait for its turn', async () => {
  const stop = new AbortController();
  let end!: () => void;
  const first = alone({ dataDir }, signal, () => new Promise<void>((resolve) => (end = resolve)));
  await expect.poll(() => end).toBeDefined();
  const second = alone({ dataDir }, stop.signal, async () => 1);
  stop.abort();
  await expect(second).rejects.toThrow(/Another mcpproxy command/);
  end();
  await first;
});
