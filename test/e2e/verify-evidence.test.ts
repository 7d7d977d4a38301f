import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SqliteDatabase } from '../../src/db/sqlite/database.ts';
import { newPostgres } from '../fixtures/engines.ts';
import { draft, openTestLog, type TestLog } from '../fixtures/activity-log.ts';
import { finished, runCli, spawnCli } from './run-cli.ts';
import { startProxy } from './start-proxy.ts';

let home: string;
let log: TestLog<SqliteDatabase>;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'mcpproxy-evidence-'));
  log = await openTestLog();
});
afterAll(async () => {
  await log.remove();
  rmSync(home, { recursive: true, force: true });
});

async function fill(records: number): Promise<void> {
  for (let i = 0; i < records; i += 1000) {
    const some = Array.from({ length: Math.min(1000, records - i) }, (_, k) =>
      log.activity.open(draft({ request_id: `r${i + k}` })).close({ status: 'success' }),
    );
    await Promise.all(some);
  }
  await log.activity.checkpoint();
}

/** A data directory as somebody finds it: with the files of a running or crashed proxy, or without. */
function evidence(name: string, files: readonly string[]): string {
  const dir = join(home, name);
  cpSync(log.dir, dir, { recursive: true, filter: (file) => !file.includes('activity.db') });
  for (const suffix of files) copyFileSync(`${log.db.file}${suffix}`, join(dir, `mcpproxy.db${suffix}`));
  return dir;
}

/** Names, bytes and times of everything in a directory, and the time of the directory itself. */
const stateOf = (dir: string) => [
  statSync(dir).mtimeMs,
  ...readdirSync(dir)
    .sort()
    .map((name) => [
      name,
      statSync(join(dir, name)).mtimeMs,
      readFileSync(join(dir, name)).toString('base64'),
    ]),
];

const verify = (dir: string, ...more: string[]) =>
  runCli(['activity', 'verify', '--data-dir', dir, '-o', 'json', ...more], { home });

describe('verify without a daemon', () => {
  test('changes, adds and touches nothing: after a clean end, after a crash, without a database, in an empty place', async () => {
    await fill(50);
    const crashed = evidence('crashed', ['', '-wal', '-shm']);
    expect(statSync(join(crashed, 'mcpproxy.db-wal')).size).toBeGreaterThan(0);
    log.db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const clean = evidence('clean', ['']);
    const gone = evidence('gone', []);
    const verdicts: unknown[] = [];
    for (const dir of [clean, crashed, gone]) {
      const before = stateOf(dir);
      const { code, stdout } = await verify(dir);
      verdicts.push([code, (JSON.parse(stdout) as { verdict: string }).verdict]);
      expect(stateOf(dir)).toEqual(before);
    }
    expect(verdicts).toEqual([
      [0, 'intact'],
      [0, 'intact'],
      [2, 'unknown'],
    ]);
    const nowhere = join(home, 'nowhere');
    expect((await verify(nowhere)).code).toBe(2);
    expect(readdirSync(home)).not.toContain('nowhere');
  });

  test('names what is missing beside the log', async () => {
    const lost = evidence('lost', ['']);
    rmSync(join(lost, 'checkpoints.log'));
    const { code, stdout } = await verify(lost);
    expect(code).toBe(2);
    expect((JSON.parse(stdout) as { why: string }).why).toContain('checkpoints.log is missing');
    const copy = join(log.dir, 'checkpoints.log');
    expect((await verify(lost, '--checkpoint', copy)).code).toBe(0);
    const { stdout: emptied } = await verify(join(home, 'gone'));
    expect((JSON.parse(emptied) as { why: string }).why).toMatch(
      /is missing: .*names log \w+ with \d+ entries/,
    );
  });

  test('on PostgreSQL it only reads', async () => {
    const { url, remove } = await newPostgres();
    const env = { MCPPROXY_DATABASE_URL: url };
    const proxy = await startProxy({ env });
    try {
      await proxy.rest.request('callTool', {
        body: {
          tool_variant: 'call_tool_read',
          name: 'tasks:list_tasks',
          intent: { operation_type: 'read' },
        },
      });
      const files = () => readdirSync(proxy.dataDir).sort();
      const whileRunning = files();
      expect(await proxy.rest.request('verifyActivity', {})).toMatchObject({ verdict: 'intact' });
      expect(files()).toEqual(whileRunning);
      await proxy.stop();
      const before = stateOf(proxy.dataDir);
      const { place } = proxy;
      const { code, stdout } = await runCli(['activity', 'verify', ...place], { home: proxy.home, env });
      expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining('intact')]);
      expect(stateOf(proxy.dataDir)).toEqual(before);
    } finally {
      await proxy.dispose();
      await remove();
    }
  });
});

describe('a verification that is stopped', () => {
  /** How often a process has opened a file. */
  const opened = (pid: number, name: string): number => {
    try {
      return readdirSync(`/proc/${pid}/fd`).filter((fd) => linkOf(`/proc/${pid}/fd/${fd}`).endsWith(name))
        .length;
    } catch {
      return 0;
    }
  };
  const linkOf = (file: string) => {
    try {
      return readlinkSync(file);
    } catch {
      return '';
    }
  };

  test('ends with the code of its signal while threads read a long log; nothing aborts', async () => {
    await fill(60_000);
    log.db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const dir = evidence('long', ['']);
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const child = spawnCli(['activity', 'verify', '--data-dir', dir], { home });
      child.stdin.end();
      const result = finished(child);
      const over = { yes: false };
      void result.then(() => (over.yes = true));
      // Both threads have opened the database by then, and are reading.
      while (!over.yes && opened(child.pid!, 'mcpproxy.db') < 2) await new Promise(setImmediate);
      child.kill(signal);
      const { code: ended, stderr } = await result;
      // On a machine that is busy enough it may be done before the signal arrives.
      expect([code, 0]).toContain(ended);
      expect(stderr).not.toContain('terminate');
    }
  });
});
