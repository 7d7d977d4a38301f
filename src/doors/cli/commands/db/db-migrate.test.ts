import { describe, expect, test } from 'vitest';
import { cli } from '../../../../../test/fixtures/fake-cli.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import type { MigrationReport, Runtime } from '../../runtime.ts';

const report: MigrationReport = {
  from: '/data/mcpproxy.db',
  to: 'postgres://me@db.example.org:5432/proxy',
  tables: [
    { table: 'tasks', rows: 3, moved: 2, conflicts: 0 },
    { table: 'grants', rows: 0, moved: 0, conflicts: 0 },
  ],
  logs: [{ log: '01LOG', entries: 12, records: 10, head: 'abc' }],
  entries: 12,
  moved: 5,
  verdict: 'intact',
  warnings: ['1 row of tokens not moved: the destination already has the same keys'],
  config_file: '/data/mcp_config.json',
};
const unused = () => Promise.reject(new Error('not used here'));
type Migrate = Runtime['db']['migrate'];
const run = (args: string[], migrate: Migrate, given: Parameters<typeof cli>[1] = {}) =>
  cli(['db', 'migrate', ...args], {
    ...given,
    runtime: { db: { migrate, backup: unused, restore: unused } },
  });

describe('db migrate', () => {
  test('hands on where from and where to, and says what was moved and what to do next, with no place for a password', async () => {
    const seen: unknown[] = [];
    const { code, stdout, stderr } = await run(
      ['--to-file', 'url', '--from', 'x.db', '--allow-broken', '--data-dir', '/data'],
      async (place, options) => {
        seen.push(place, options);
        return report;
      },
    );
    expect(code).toBe(0);
    expect(seen).toEqual([{ dataDir: '/data' }, { toFile: 'url', from: 'x.db', allowBroken: true }]);
    expect(stdout).toContain('intact');
    expect(stdout).toContain('12 (5 moved by this run)');
    expect(stdout).toContain('3 (2 moved by this run)');
    expect(stdout).not.toContain('grants');
    expect(stderr).toContain('warning: 1 row of tokens');
    expect(stderr).toContain('postgres://me:${env:PGPASSWORD}@db.example.org:5432/proxy');
  });

  test('gives programs the whole report', async () => {
    const { stdout } = await run(['-o', 'json'], async () => report);
    expect(JSON.parse(stdout)).toEqual(report);
  });

  test('shows how far it is: a bar that moves on a terminal, a line for each tenth elsewhere', async () => {
    const migrate: Migrate = async (_place, _options, { onProgress }) => {
      onProgress({ step: 'check', done: 0, total: 1 });
      for (let done = 0; done <= 1000; done += 5) onProgress({ step: 'log', done, total: 1000 });
      onProgress({ step: 'verify', done: 0, total: 1 });
      return report;
    };
    const lines = (await run([], migrate)).stderr
      .split('\n')
      .filter((line) => line.startsWith('Moving the log'));
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('Moving the log 100 % 1,000 of 1,000');
    const { stderr } = await run([], migrate, { terminal: { err: true } });
    expect(stderr).toContain('\r');
    expect(stderr).toContain('100 % 1,000 of 1,000');
    expect(stderr).toContain('Verifying the moved log\n');
  });

  test('stopped by Ctrl-C it says that it can go on, and ends as Ctrl-C does', async () => {
    let interrupt!: (exitCode: number) => void;
    const { code, stderr, stdout } = await run(
      [],
      async (_place, _options, { signal }) => {
        interrupt(130);
        signal.throwIfAborted();
        return report;
      },
      { onStart: (each) => void (interrupt = each) },
    );
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toContain('Run the same command again to continue');
  });

  test('a log that does not verify is an error with its reason', async () => {
    const { code, stderr } = await run([], () =>
      Promise.reject(new ProxyError('LOG_BROKEN', 'The activity log does not verify (hash)')),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('LOG_BROKEN');
  });
});
