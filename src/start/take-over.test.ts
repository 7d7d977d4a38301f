import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { announceSuccessor, hasSuccessor, lockDataDir, readDaemon, rememberListen } from '../config/index.ts';
import { createLog } from '../lib/log.ts';
import { backgroundAddress } from './connect/background-address.ts';
import { holdOrFind } from './connect/hold-or-find.ts';
import { relayHeaders } from './connect/to-daemon.ts';
import { lockOrTakeOver } from './take-over.ts';

const URL_A = 'http://127.0.0.1:1';
const FOUND = { url: URL_A, config: { file: '/c', digest: 'd' } };
const log = createLog('silent');
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'mcpproxy-take-over-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('a daemon in the background is asked to end, and nobody else gets its place', async () => {
  const lock = lockDataDir(dataDir, { background: true });
  lock.publish(FOUND);
  const taken = lockOrTakeOver(dataDir, { log, signal: new AbortController().signal });
  await expect.poll(() => hasSuccessor(dataDir)).toBe(true);
  lock.withdraw();
  const other = holdOrFind(dataDir);
  lock.release();
  const mine = (await taken)!;
  expect(hasSuccessor(dataDir)).toBe(false);
  mine.publish({ ...FOUND, url: 'http://127.0.0.1:2' });
  expect(await other).toEqual({ url: 'http://127.0.0.1:2' });
  mine.release();
});

test('a daemon in the foreground is never asked', async () => {
  const lock = lockDataDir(dataDir);
  lock.publish(FOUND);
  const signal = new AbortController().signal;
  await expect(lockOrTakeOver(dataDir, { log, signal })).rejects.toMatchObject({ code: 'DATA_DIR_IN_USE' });
  expect(hasSuccessor(dataDir)).toBe(false);
  lock.release();
});

test('Ctrl-C ends the wait and withdraws the wish', async () => {
  const lock = lockDataDir(dataDir, { background: true });
  const asked = new AbortController();
  const taken = lockOrTakeOver(dataDir, { log, signal: asked.signal });
  expect(hasSuccessor(dataDir)).toBe(true);
  asked.abort();
  expect(await taken).toBeUndefined();
  expect(hasSuccessor(dataDir)).toBe(false);
  lock.release();
});

test('a daemon that ends is not found; who looks for one waits for the lock', async () => {
  const lock = lockDataDir(dataDir);
  lock.publish(FOUND);
  expect(await holdOrFind(dataDir)).toEqual({ url: URL_A });
  lock.withdraw();
  // A change of the configuration meanwhile does not announce it again.
  lock.publish(FOUND);
  expect(readDaemon(dataDir)).not.toHaveProperty('url');
  const next = holdOrFind(dataDir, { background: true });
  lock.release();
  expect(await next).toHaveProperty('lock');
  expect(readDaemon(dataDir)).toMatchObject({ background: true });
});

test('a successor that has died is not waited for', async () => {
  announceSuccessor(dataDir);
  writeFileSync(join(dataDir, 'successor.json'), JSON.stringify({ pid: 2 ** 30 }));
  expect(hasSuccessor(dataDir)).toBe(false);
  expect(await holdOrFind(dataDir)).toHaveProperty('lock');
});

test('in the background it listens where serve did, or where it is configured, and never for the network', () => {
  const address = (env = {}) => backgroundAddress(dataDir, '127.0.0.1:8080', env);
  expect(address()).toBe('127.0.0.1:8080');
  rememberListen(dataDir, 'http://127.0.0.1:18111');
  expect(address()).toBe('127.0.0.1:18111');
  expect(address({ MCPPROXY_LISTEN: '127.0.0.1:8080' })).toBe('127.0.0.1:8080');
  rememberListen(dataDir, 'http://0.0.0.0:9000');
  expect(address()).toBe('127.0.0.1:9000');
  writeFileSync(join(dataDir, 'last_listen'), 'nonsense');
  expect(address()).toBe('127.0.0.1:8080');
});

test('key, token and secret go to the address of the live daemon only', async () => {
  const at = (url: string) => ({ url, dataDir });
  expect(relayHeaders(at(URL_A), 'token')).toBeUndefined();
  const lock = lockDataDir(dataDir);
  expect(relayHeaders(at(URL_A), 'token')).toBeUndefined();
  lock.publish(FOUND);
  expect(relayHeaders(at(URL_A), 'token')).toEqual({ 'x-api-key': 'token' });
  expect(Object.values(relayHeaders(at(URL_A), undefined)!)).toEqual([lock.cliSecret]);
  // Another daemon runs by now, and any program may have taken the old address.
  expect(relayHeaders(at('http://127.0.0.1:2'), 'token')).toBeUndefined();
  expect(relayHeaders(at('http://127.0.0.1:2'), undefined)).toBeUndefined();
  lock.withdraw();
  expect(relayHeaders(at(URL_A), undefined)).toBeUndefined();
  lock.release();
});
