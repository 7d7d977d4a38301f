import { describe, expect, test } from 'vitest';
import { cli } from '../../../../../test/fixtures/fake-cli.ts';
import type { BackupReport, RestoreReport, Runtime } from '../../runtime.ts';

const logs = [{ log: '01LOG', entries: 12, records: 10, head: 'abc' }];
const made: BackupReport = {
  file: '/backups/a.backup',
  created_at: '2026-01-02T03:04:05.000Z',
  engine: 'sqlite',
  source: '/data/mcpproxy.db',
  bytes: 4096,
  sha256: 'f00d',
  records: 10,
  entries: 12,
  verdict: 'intact',
  logs,
  files: ['activity-key.pub', 'checkpoints.log'],
  keys: [{ kind: 'signing', fingerprint: 'abcd' }],
  with_keys: false,
  warnings: [],
};
const restored: RestoreReport = {
  file: '/backups/a.backup',
  created_at: made.created_at,
  version: '1.2.3',
  engine: 'sqlite',
  to: '/data/mcpproxy.db',
  data_dir: '/data',
  replaced: '/data/mcpproxy.db.replaced-20260102T030405Z',
  records: 10,
  entries: 12,
  verdict: 'intact',
  logs,
  files: [],
  keys: [{ kind: 'signing', fingerprint: 'abcd', known: true }],
  behind: [],
  warnings: [],
};
const unused = () => Promise.reject(new Error('not used here'));
const run = (args: string[], db: Partial<Runtime['db']>, given: Parameters<typeof cli>[1] = {}) =>
  cli(['db', ...args], {
    ...given,
    runtime: { db: { migrate: unused, backup: unused, restore: unused, ...db } },
  });

describe('db backup', () => {
  test('shows progress on a terminal, what was written, and what is not in it', async () => {
    const seen: unknown[] = [];
    const { code, stdout, stderr } = await run(
      ['backup', 'a.backup', '--data-dir', '/data'],
      {
        async backup(place, file, { watch, ...options }) {
          seen.push(place, file, options);
          for (let done = 0; done <= 500; done += 100) watch.onProgress({ step: 'copy', done, total: 500 });
          watch.onProgress({ step: 'verify', done: 0, total: 1 });
          return made;
        },
      },
      { terminal: { err: true } },
    );
    expect([code, seen]).toEqual([0, [{ dataDir: '/data' }, 'a.backup', {}]]);
    expect(stderr).toContain('Copying the database');
    expect(stderr).toContain('100 % 500 of 500');
    expect(stderr).toContain('Verifying the back-up');
    expect(stdout).toMatch(/Log +intact/);
    expect(stdout).toContain('f00d');
    expect(stderr).toMatch(/Also copy the configuration file .* and the folder secrets\//);
    expect(stderr).toContain('Not included: the private signing key and the API key');
  });

  test('--with-keys prints a warning; -o json prints the complete report', async () => {
    const backup: Runtime['db']['backup'] = async (_place, _file, { withKeys }) => ({
      ...made,
      with_keys: withKeys === true,
    });
    expect((await run(['backup', 'a', '--with-keys'], { backup })).stderr).toContain(
      'contains the private signing key and the API key',
    );
    expect(JSON.parse((await run(['backup', 'a', '-o', 'json'], { backup })).stdout)).toEqual(made);
  });

  test('stopped by Ctrl-C it says that nothing was written', async () => {
    let interrupt!: (exitCode: number) => void;
    const { code, stderr, stdout } = await run(
      ['backup', 'a'],
      {
        async backup(_place, _file, { watch }) {
          interrupt(130);
          watch.signal.throwIfAborted();
          return made;
        },
      },
      { onStart: (each) => void (interrupt = each) },
    );
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toContain('No back-up was written');
  });
});

describe('db restore', () => {
  test('says what was replaced, where it is kept, and the next step', async () => {
    const { code, stdout, stderr } = await run(['restore', 'a.backup', '--data-dir', '/data'], {
      restore: async () => restored,
    });
    expect(code).toBe(0);
    expect(stdout).toContain('kept as /data/mcpproxy.db.replaced-20260102T030405Z');
    expect(stderr).toContain(
      'Next: start it with "mcpproxy --data-dir /data serve", then run "mcpproxy --data-dir /data activity verify"',
    );
  });

  test('names the keys that it took from the back-up, and no known one', async () => {
    const keys = [...restored.keys, { kind: 'row' as const, fingerprint: 'ef01', known: false }];
    const { stderr } = await run(['restore', 'a.backup', '--trust-keys'], {
      restore: async (_place, _file, { trustKeys }) => ({ ...restored, keys: trustKeys ? keys : [] }),
    });
    expect(stderr).toContain('these keys of the back-up count from now on: row ef01.');
  });

  test('does not hide that the log went back to an older state', async () => {
    const behind = [{ log: '01LOG', entries: 12, checkpoint: 20 }];
    const { stderr } = await run(['restore', 'a.backup'], { restore: async () => ({ ...restored, behind }) });
    expect(stderr).toContain('restored with 12 entries, but a checkpoint of this data directory names 20');
    expect(stderr).toContain('accept-restore');
  });
});
