import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { draft, eachLog, openTestLog, type TestLog } from '../../test/fixtures/activity-log.ts';

const VERIFIER = fileURLToPath(new URL('../../tools/verify-sealed.mjs', import.meta.url));
let log: TestLog;

async function fill(n: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < n; i++) {
    const record = log.activity.open(
      draft({
        arguments: { secretly: `word${i}` },
        metadata: { intent: { operation_type: 'read', reason: `reason${i}` } },
      }),
    );
    ids.push(record.id);
    if (i % 3 === 0) await record.durable();
    await record.close({ status: 'error', response: { said: `answer${i}` }, error_message: `message${i}` });
  }
  return ids;
}

async function stored(): Promise<Buffer> {
  if (log.engine === 'postgres') {
    const rows = await Promise.all(
      ['activity', 'activity_text'].map((table) => log.sql(`SELECT t::text AS text FROM ${table} AS t`)),
    );
    return Buffer.from(JSON.stringify(rows));
  }
  const files = readdirSync(log.dir).filter((name) => name.startsWith('activity.db'));
  return Buffer.concat(files.map((name) => readFileSync(join(log.dir, name))));
}

const verifyFile = (file: string, ...options: string[]) => {
  const { status, stdout } = spawnSync(process.execPath, [VERIFIER, file, ...options], { encoding: 'utf8' });
  return [status, stdout.split(':').slice(0, 2).join(':')];
};

eachLog('sealed export', (open) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('is verified without mcpproxy; what was changed, taken out or put in is found', async () => {
    const ids = await fill(8);
    await log.activity.redact(ids[1]!, { by: 'operator' });
    log.settings.max_records = 5;
    await log.activity.sweep();
    const lines: string[] = [];
    for await (const line of log.activity.sealed()) lines.push(line);
    const file = join(log.dir, 'export.jsonl');
    const check = (text: string[], ...options: string[]) => {
      writeFileSync(file, `${text.join('\n')}\n`);
      return verifyFile(file, ...options);
    };
    const key = join(log.dir, 'activity-key.pub');
    expect(check(lines)[0]).toBe(0);
    expect(check(lines, '--public-key', key, '--checkpoint', join(log.dir, 'checkpoints.log'))[0]).toBe(0);
    const at = lines.findIndex((line) => line.includes('answer6'));
    expect(check(lines.map((line) => line.replace('answer6', 'answer9')))).toEqual([
      1,
      'broken: row differs',
    ]);
    expect(check(lines.toSpliced(at, 1))).toEqual([1, 'broken: gap']);
    expect(check([...lines, lines[at]!])).toEqual([1, 'broken: order']);
    expect(check(lines.with(at, lines[at]!.replace('"hash":"', '"hash":"x')))).toEqual([1, 'broken: hash']);
    expect(check(lines.slice(0, -3), '--checkpoint', join(log.dir, 'checkpoints.log'))[0]).toBe(1);
    expect(check(['{}'])[0]).toBe(2);
    expect(readFileSync(VERIFIER, 'utf8').split('\n').length).toBeLessThanOrEqual(200);
  });
});

eachLog('redaction', (open) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('removes what was said from the file, keeps that it happened, and is done once', async () => {
    const [id] = await fill(1);
    await log.activity.list({ q: 'word0' }, { limit: 1 });
    const left = await log.activity.redact(id!, { by: 'operator', reason: 'asked for' });
    expect(left).toMatchObject({
      id,
      status: 'error',
      tool_name: 'read_file',
      metadata: { intent: { operation_type: 'read' }, redacted: { by: 'operator', reason: 'asked for' } },
    });
    expect(left).not.toHaveProperty('arguments');
    expect(left).not.toHaveProperty('response');
    expect(left).not.toHaveProperty('error_message');
    expect(left!.metadata.intent).not.toHaveProperty('reason');
    const disk = await stored();
    for (const said of ['answer0', 'message0', '"word0"'])
      expect([said, disk.includes(said)]).toEqual([said, false]);
    expect(await log.activity.list({ q: 'word0' }, { limit: 1 })).toMatchObject({ total: 0 });
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 1 });
    await expect(log.activity.redact(id!, { by: 'operator' })).rejects.toMatchObject({ code: 'CONFLICT' });
    const open = log.activity.open(draft());
    await expect(log.activity.redact(open.id, { by: 'operator' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await log.activity.redact('01JHMWQ4M0AAAAAAAAAAAAAAAA', { by: 'operator' })).toBeUndefined();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact' });
  });
});

describe('the beginning of a chain', () => {
  test('records from before the chain are taken in when it begins, and only then', async () => {
    const sqlite = await openTestLog();
    log = sqlite;
    await fill(5);
    await log.activity.close();
    sqlite.db.sqlite.exec(
      'DELETE FROM activity_journal; DELETE FROM activity_log; UPDATE activity SET salt = NULL',
    );
    rmSync(join(log.dir, 'checkpoints.log'));
    await log.restart();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 5, entries: 5 });
    await log.activity.close();
    sqlite.db.sqlite.exec(
      `INSERT INTO activity SELECT seq + 9999, facet_id, ts, id, request_id, session_id, conversation_id, client, server_name, tool_name,
         duration_ms, error_code, error_message, response_truncated, metadata, arguments, response, NULL FROM activity LIMIT 1`,
    );
    await log.restart();
    expect((await log.activity.verify()).problem?.reason).toBe('row without entry');
    await log.remove();
  });
});

eachLog('a key that is lost', (open) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('with a new key a new log begins; the old one is still verified, and still shortened by retention', async () => {
    await fill(6);
    await log.activity.close();
    rmSync(join(log.dir, 'activity-key.pem'));
    await log.restart();
    await fill(4);
    await log.activity.checkpoint();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 10 });
    log.settings.max_records = 7;
    expect(await log.activity.sweep()).toBe(3);
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 7 });
    log.settings.max_records = 2;
    await log.activity.sweep();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 2 });
  });
});
