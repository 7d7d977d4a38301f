import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compiled } from '../../../test/fixtures/compiled.ts';
import { lockDataDir } from './data-dir.ts';
import { readDaemon } from './daemon-file.ts';
import { startOf } from './process-identity.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcpproxy-data-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('one holder, who says where it listens; free again after release', () => {
  const lock = lockDataDir(dir);
  lock.publish({ url: 'http://127.0.0.1:1', config: { file: '/c', digest: 'd' } });
  expect(readDaemon(dir)).toMatchObject({ pid: process.pid, url: 'http://127.0.0.1:1' });
  expect(() => lockDataDir(dir)).toThrow(
    expect.objectContaining({
      code: 'DATA_DIR_IN_USE',
      message: expect.stringContaining(`process ${process.pid} at http://127.0.0.1:1`),
    }),
  );
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, 'daemon.json')).mode & 0o777).toBe(0o600);
  lock.release();
  expect(readDaemon(dir)).toBeNull();
  expect(readdirSync(dir)).toEqual([]);
});

test('a lock left by a killed process is taken over', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  writeFileSync(join(dir, 'daemon.json'), JSON.stringify({ pid: child.pid, ...startOf(child.pid!) }), {
    mode: 0o600,
  });
  expect(() => lockDataDir(dir)).toThrow(/uses the data directory/);
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockDataDir(dir).release();
});

test('a directory that cannot be written says so, and what to do', () => {
  writeFileSync(join(dir, 'file'), '');
  expect(() => lockDataDir(join(dir, 'file', 'data'))).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/file\/data cannot be written \(ENOTDIR.*--data-dir/),
    }),
  );
});

test.each(['', '{"pid":', 'null', '[]'])('a lock that says nothing is taken over: %j', (text) => {
  writeFileSync(join(dir, 'daemon.json'), text, { mode: 0o600 });
  lockDataDir(dir).release();
  expect(readdirSync(dir)).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'a process id that another program has now does not hold the lock',
  () => {
    writeFileSync(join(dir, 'daemon.json'), JSON.stringify({ pid: process.pid, started: '1' }), {
      mode: 0o600,
    });
    expect(readDaemon(dir)).toBeNull();
    lockDataDir(dir).release();
  },
);

test('of many simultaneous starters exactly one gets the directory, over a dead lock', async () => {
  writeFileSync(join(dir, 'daemon.json'), JSON.stringify({ pid: 2 ** 30 }), { mode: 0o600 });
  const program = await compiled(`import { lockDataDir } from './src/config/daemon/data-dir.ts';
    try { lockDataDir(process.argv[2]!); console.log('got'); setInterval(() => {}, 1000); }
    catch (error) { console.log(error.code); }`);
  const starters = Array.from({ length: 6 }, () =>
    spawn(process.execPath, [program, dir], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const said = await Promise.all(
    starters.map(async (child) => String((await once(child.stdout, 'data'))[0]).trim()),
  );
  for (const child of starters) child.kill('SIGKILL');
  expect(said.filter((word) => word === 'got')).toHaveLength(1);
  expect(said.filter((word) => word === 'DATA_DIR_IN_USE')).toHaveLength(5);
});

test('a directory that was open to others is closed to them', () => {
  chmodSync(dir, 0o777);
  writeFileSync(join(dir, 'own'), '');
  lockDataDir(dir).release();
  expect(statSync(dir).mode & 0o777).toBe(0o700);
});

test.runIf(process.platform !== 'win32')('a pipe in the place of the lock does not block', () => {
  execFileSync('mkfifo', [join(dir, 'daemon.json')]);
  expect(readDaemon(dir)).toBeNull();
});

// Only the system administrator can give a file to somebody else.
test.runIf(process.getuid?.() === 0)(
  'a directory of another user is refused, and one with files of another user',
  () => {
    const message = expect.stringMatching(/belongs to another user.*--data-dir.*chown -R 0/);
    chmodSync(dir, 0o777);
    writeFileSync(join(dir, 'api_key'), 'known to its owner');
    chownSync(join(dir, 'api_key'), 12_345, 12_345);
    expect(() => lockDataDir(dir)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message }));
    chmodSync(dir, 0o700);
    lockDataDir(dir);
    chownSync(join(dir, 'daemon.json'), 12_345, 12_345);
    expect(readDaemon(dir)).toBeNull();
    chownSync(dir, 12_345, 12_345);
    expect(() => lockDataDir(dir)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message }));
  },
);
