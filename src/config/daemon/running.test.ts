import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { lockDataDir, type DataDirLock } from './data-dir.ts';
import { findRunning, textDigest } from './running.ts';

const ADDRESS = 'http://127.0.0.1:1';
const KEY = 'k'.repeat(43);
let dataDir: string;
let file: string;
let lock: DataDirLock;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'running-'));
  file = join(dataDir, 'mcp_config.json');
  writeFileSync(file, '{}', { mode: 0o600 });
  lock = lockDataDir(dataDir);
  lock.publish({ url: ADDRESS, config: { file, digest: textDigest('{}') } });
  return () => lock.release();
});

test('the daemon of the data directory is found by flag and by environment, with the key that was named', () => {
  expect(findRunning({ dataDir }, {})).toEqual({ url: ADDRESS, dataDir });
  expect(findRunning({}, { MCPPROXY_DATA_DIR: dataDir, MCPPROXY_API_KEY: KEY })).toEqual({
    url: ADDRESS,
    dataDir,
    key: KEY,
  });
});

test('a file that the daemon has not read, or whose permissions changed, needs the whole check', () => {
  writeFileSync(file, '{"listen": 1}');
  expect(findRunning({ dataDir }, {})).toBeUndefined();
  writeFileSync(file, '{}');
  expect(findRunning({ dataDir, config: join(dataDir, 'other.json') }, {})).toBeUndefined();
  expect(findRunning({ dataDir }, {})).toBeDefined();
});

test.each([
  [{ MCPPROXY_LISTEN: '127.0.0.1:9' }],
  [{ MCPPROXY_DATABASE_URL: 'sqlite:x' }],
  [{ MCPPROXY_TOKEN: 'mcpp_x' }],
  [{ MCPPROXY_TOKEN_FILE: '/missing' }],
  [{ MCPPROXY_API_KEY: 'short' }],
  [{ MCPPROXY_API_KEY: '${env:KEY_OF_A_LENGTH_THAT_WOULD_DO}' }],
])('so do other settings of the environment: %j', (env) => {
  expect(findRunning({ dataDir }, env)).toBeUndefined();
});

test('a file that names a data directory counts only where the directory was chosen', () => {
  const home = process.env.HOME;
  process.env.HOME = join(dataDir, 'home');
  const mine = join(process.env.HOME, '.mcpproxy');
  const own = lockDataDir(mine);
  try {
    for (const [text, found] of [
      ['{}', true],
      ['{"data_dir": "/elsewhere"}', false],
      ['{"\\u0064ata_dir": "/elsewhere"}', false],
    ] as const) {
      writeFileSync(join(mine, 'mcp_config.json'), text, { mode: 0o600 });
      own.publish({
        url: ADDRESS,
        config: { file: join(mine, 'mcp_config.json'), digest: textDigest(text) },
      });
      expect(findRunning({}, {}) !== undefined, text).toBe(found);
    }
  } finally {
    own.release();
    process.env.HOME = home;
  }
});

test('no daemon, no answer', () => {
  lock.release();
  expect(findRunning({ dataDir }, {})).toBeUndefined();
});
