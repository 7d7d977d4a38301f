import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cli } from '../../../../../test/fixtures/fake-cli.ts';
import type { ActivityVerification } from '../../../../contract/activity.ts';
import type { ActivityAudit, AuditedCall } from '../../../../contract/audit.ts';
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
  removed: [],
  restored: [],
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
      8,
      expect.stringMatching(/cannot be verified[\s\S]*no key/),
    ]);
    expect(untold.stdout).not.toContain('what it proves');
    expect(
      await cli(['activity', 'verify', '-o', 'json'], { answers: { verifyActivity: unknown } }),
    ).toMatchObject({ code: 8 });
  });

  test('an accepted restore is named beside the verdict', async () => {
    const gap = { record: problem.record, at: '2026-03-01T12:00:00.000Z', by: 'operator', missing: 10 };
    const restored = { ...intact, restored: [gap] };
    const { code, stdout } = await cli(['activity', 'verify'], { answers: { verifyActivity: restored } });
    expect([code, stdout.replaceAll(/\s+/g, ' ')]).toEqual([
      0,
      expect.stringMatching(
        /intact, except for 10 entries that were missing when the restore was accepted at .* by operator/,
      ),
    ]);
  });

  test('--checkpoint keeps the newest lines of each log, also where the lines of several proxies follow each other', async () => {
    const line = (log: string, n: number) => JSON.stringify({ log, n, head: 'h', time: 1, signature: 's' });
    const lines = ['A', 'B'].flatMap((log) => Array.from({ length: 700 }, (_, n) => line(log, n)));
    const file = join(dir, 'both.log');
    writeFileSync(file, `${lines.join('\n')}\n`);
    const { requests } = await cli(['activity', 'verify', '--checkpoint', file], {
      answers: { verifyActivityAgainst: intact },
    });
    const sent = (requests[0]![1] as { body: { checkpoints: string } }).body.checkpoints;
    expect(sent).toContain(line('A', 699));
    expect(sent).toContain(line('B', 699));
    expect(sent.split('\n').length).toBeLessThan(1100);
  });

  test('a database that cannot be opened proves nothing', async () => {
    const connect = () => Promise.reject(new ProxyError('INTERNAL', 'The database is damaged'));
    const { code, stdout } = await cli(['activity', 'verify'], { runtime: { connect } });
    expect([code, stdout]).toEqual([8, expect.stringContaining('The database is damaged')]);
  });

  test('files are read here and sent along', async () => {
    const [file, key] = [join(dir, 'checkpoints.log'), join(dir, 'activity-key.pub')];
    // A crash has cut the last line.
    const [lines, pem] = ['{"log":"a"}\n{"lo', '-----BEGIN PUBLIC KEY-----\n'];
    writeFileSync(file, lines);
    writeFileSync(key, pem);
    const { requests, code } = await cli(['activity', 'verify', '--checkpoint', file, '--public-key', key], {
      answers: { verifyActivityAgainst: intact },
    });
    expect([code, requests]).toEqual([
      0,
      [['verifyActivityAgainst', { body: { checkpoints: lines, public_key: pem } }]],
    ]);
    expect(await cli(['activity', 'verify', '--checkpoint', join(dir, 'none')])).toMatchObject({
      code: 2,
      requests: [],
    });
  });
});

describe('activity audit', () => {
  const at = '2026-03-01T12:00:00.000Z';
  const gap = { record: problem.record, at, by: 'operator', missing: 10 };
  const empty = {
    principal: 'token:nobody',
    start_time: null,
    end_time: at,
    records: 0,
    tokens: [],
    ran: 0,
    ran_by_status: {},
    calls: [],
    approved: 0,
    did_not_run: 0,
    did_not_run_by_status: {},
    attempts: [],
    known_principals: ['operator', 'token:cursor'],
    removed: [],
    restored: [],
    verification: intact,
  } satisfies ActivityAudit;
  const audit = (answer: ActivityAudit) =>
    cli(['activity', 'audit', '--principal', 'x'], { answers: { auditActivity: answer } });

  test('of a credential without records says so, names others, and fails', async () => {
    const { code, stdout } = await audit(empty);
    expect([code, stdout]).toEqual([
      2,
      expect.stringContaining(
        "No records of 'token:nobody' in this time; known principals: operator, token:cursor.",
      ),
    ]);
    expect(stdout).not.toContain('did not run');
  });

  test('of a token that was never used, or not in this time, says so and does not fail', async () => {
    const unused = await audit({ ...empty, credential: { created_at: at } });
    expect([unused.code, unused.stdout]).toEqual([
      0,
      expect.stringMatching(/was created at .* and never used/),
    ]);
    const earlier = await audit({ ...empty, credential: { last_record: at } });
    expect([earlier.code, earlier.stdout]).toEqual([0, expect.stringMatching(/Its newest record is of 20/)]);
    for (const { stdout } of [unused, earlier]) expect(stdout).not.toContain('known principals');
  });

  test('shows each call with its arguments, reasons and approval in a block, and an accepted restore on top', async () => {
    const call = {
      id: problem.record,
      time: at,
      tool: 'tasks:delete_task',
      status: 'success',
      because: ['declared'],
      arguments: '{"id":"\u001b[2J"}',
      reason: 'clean up',
      approval: { decided_by: 'anna', decided_at: at, decided_from: 'web', grant_id: 'G1', reason: 'agreed' },
    } satisfies AuditedCall;
    const { code, stdout } = await audit({
      ...empty,
      records: 1,
      ran: 1,
      ran_by_status: { success: 1 },
      calls: [call],
      restored: [gap],
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /This list is incomplete: the log lacks 10 entries[\s\S]*tasks:delete_task +success\n +Arguments[\s\S]*clean up[\s\S]*anna \(grant\), .*, from web\n[\s\S]*agreed[\s\S]*01JHMWQ4M0AAAAAAAAAAAAAAAA/,
    );
    expect(stdout).not.toContain('\u001b[2J');
  });
});

test('verify --checkpoint of a file that is not there says so in words', async () => {
  const { code, stderr } = await cli(['activity', 'verify', '--checkpoint', join(dir, 'nofile')]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('nofile: there is no such file')]);
});

describe('activity redact', () => {
  const id = '01JHMWQ4M0AAAAAAAAAAAAAAAA';
  const record = {
    id,
    type: 'tool_call' as const,
    source: 'mcp' as const,
    status: 'success' as const,
    timestamp: '2026-03-01T12:00:00.000Z',
    arguments: { note: 'CONTENT \u001b[2J' },
    response_truncated: false,
    metadata: {},
  };
  const answers = { getActivity: record, redactActivity: record };
  const terminal = { in: true, err: true, out: true, columns: 100 };
  const command = ['activity', 'redact', id, '--reason', 'asked for'];
  const sent = ['redactActivity', { id, body: { reason: 'asked for' } }];

  test('--yes names the record and the reason', async () => {
    const { code, requests, stderr, asked } = await cli([...command, '--yes'], { answers });
    expect([code, requests, asked]).toEqual([0, [sent], []]);
    expect(stderr).toContain('still contain the content');
  });

  test('on a terminal it shows the record and asks', async () => {
    const yes = await cli(command, { answers, terminal, reply: 'y' });
    expect([yes.code, yes.requests.at(-1), yes.asked]).toEqual([0, sent, [expect.stringContaining(id)]]);
    expect(yes.stderr).toContain('CONTENT');
    expect(yes.stderr).not.toContain('\u001b[2J');
    const no = await cli(command, { answers, terminal, reply: '' });
    expect([no.code, no.requests]).toEqual([0, [['getActivity', { id }]]]);
    expect(no.stderr).toContain('Nothing was removed');
  });

  test('without a terminal it removes nothing and names --yes', async () => {
    const { code, requests, stderr } = await cli(command, { answers, reply: 'y' });
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain(`mcpproxy activity redact ${id} --yes`);
  });
});
