import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cli } from '../../../../../test/fixtures/fake-cli.ts';
import type { ActivityVerification } from '../../../../contract/activity.ts';
import { ProxyError } from '../../../../contract/errors.ts';

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-verify-'));
afterAll(() => rmSync(dir, { recursive: true }));

const intact: ActivityVerification = {
  verdict: 'intact',
  intact: true,
  entries: 12,
  records: 10,
  head: 'aGVhZA',
  checkpoint: { log: 'L1', n: 11, head: 'aGVhZA', time: '2026-03-01T12:00:00.000Z' },
  unsigned_entries: 0,
  logs: [],
  proves: 'what it proves',
  does_not_prove: 'what it does not',
};
const problem = {
  log: 'L1',
  entry: 5,
  record: '01JHMWQ4M0AAAAAAAAAAAAAAAA',
  reason: 'row differs',
  message: 'record 01JHMWQ4M0AAAAAAAAAAAAAAAA is not what was recorded',
} as const;

describe('activity verify', () => {
  test('exit code 0, 1 and 2; it says where, why, and what that proves', async () => {
    const good = await cli(['activity', 'verify'], { answers: { verifyActivity: intact } });
    expect([good.code, good.stdout]).toEqual([
      0,
      expect.stringMatching(/intact[\s\S]*what it proves[\s\S]*what it does not/),
    ]);
    const answer = { ...intact, verdict: 'broken', intact: false, problem };
    const bad = await cli(['activity', 'verify'], { answers: { verifyActivity: answer } });
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(
      /broken[\s\S]*row differs[\s\S]*First bad entry\s+5[\s\S]*01JHMWQ4M0AAAAAAAAAAAAAAAA/,
    );
    expect(bad.stdout).not.toContain('what it proves');
    const unknown = { ...intact, verdict: 'unknown', intact: false, why: 'no key' };
    const untold = await cli(['activity', 'verify'], { answers: { verifyActivity: unknown } });
    expect([untold.code, untold.stdout]).toEqual([
      2,
      expect.stringMatching(/cannot be verified[\s\S]*no key/),
    ]);
    expect(untold.stdout).not.toContain('what it proves');
    expect(
      await cli(['activity', 'verify', '-o', 'json'], { answers: { verifyActivity: unknown } }),
    ).toMatchObject({ code: 2 });
  });

  test('a database that cannot be opened proves nothing', async () => {
    const connect = () => Promise.reject(new ProxyError('INTERNAL', 'The database is damaged'));
    const { code, stdout } = await cli(['activity', 'verify'], { runtime: { connect } });
    expect([code, stdout]).toEqual([2, expect.stringContaining('The database is damaged')]);
  });

  test('files are read here and sent along', async () => {
    const file = join(dir, 'checkpoints.log');
    writeFileSync(file, 'lines\n');
    const { requests, code } = await cli(['activity', 'verify', '--checkpoint', file, '--public-key', file], {
      answers: { verifyActivityAgainst: intact },
    });
    expect([code, requests]).toEqual([
      0,
      [['verifyActivityAgainst', { body: { checkpoints: 'lines\n', public_key: 'lines\n' } }]],
    ]);
    expect(await cli(['activity', 'verify', '--checkpoint', join(dir, 'none')])).toMatchObject({
      code: 2,
      requests: [],
    });
  });
});

describe('activity redact', () => {
  test('names the record and the reason', async () => {
    const id = '01JHMWQ4M0AAAAAAAAAAAAAAAA';
    const { code, requests, stderr } = await cli(['activity', 'redact', id, '--reason', 'asked for'], {
      answers: { redactActivity: { id } },
    });
    expect([code, requests]).toEqual([0, [['redactActivity', { id, body: { reason: 'asked for' } }]]]);
    expect(stderr).toContain('still contain the content');
  });
});
