import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startOf } from '../config/daemon/process-identity.ts';
import { stopDaemon } from './stop-daemon.ts';

let dataDir: string;
let child: ChildProcess;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'stop-'));
  child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(dataDir, { recursive: true, force: true });
});

const name = (daemon: object) =>
  writeFileSync(join(dataDir, 'daemon.json'), JSON.stringify(daemon), { mode: 0o600 });

test.runIf(process.platform === 'linux')('the process that the file names is stopped', async () => {
  const pid = child.pid!;
  name({ pid, ...startOf(pid), url: 'http://127.0.0.1:1' });
  expect(await stopDaemon({ dataDir })).toEqual({ pid, url: 'http://127.0.0.1:1' });
  expect(child.signalCode ?? (await once(child, 'exit'))[1]).toBe('SIGTERM');
});

test.runIf(process.platform === 'linux').each([
  ['does not say when it was started', () => ({ pid: child.pid })],
  ['names the start of another process', () => ({ pid: child.pid, started: '1' })],
  ['names a group', () => ({ pid: -child.pid! })],
  ['names the own group', () => ({ pid: 0 })],
  ['names a part of a process', () => ({ pid: child.pid! + 0.5 })],
  ['names an address that is none', () => ({ pid: child.pid, ...startOf(child.pid!), url: 'x' })],
  ['names an address of another kind', () => ({ pid: child.pid, ...startOf(child.pid!), url: 7 })],
  ['has a secret with a line break', () => ({ pid: child.pid, ...startOf(child.pid!), cli_secret: 'a\nb' })],
  ['is a list', () => [child.pid]],
])('nothing is stopped by a file that %s', async (_, daemon) => {
  name(daemon());
  expect(await stopDaemon({ dataDir })).toBeUndefined();
  expect(child.signalCode).toBeNull();
});

test.runIf(process.platform === 'linux')('the first process of the system is not stopped', async () => {
  name({ pid: 1, ...startOf(1) });
  await expect(stopDaemon({ dataDir })).rejects.toThrow(/Process 1 was not stopped: .*container/);
});
