import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { draft, eachLog, openTestLog, type TestLog } from '../../../test/fixtures/activity-log.ts';

const VERIFIER = fileURLToPath(new URL('../../../tools/verify-sealed.mjs', import.meta.url));
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
    expect(readFileSync(VERIFIER, 'utf8').split('\n').length).toBeLessThanOrEqual(260);
  });
});

/** The stand-alone verifier without a process of its own. */
const { verifySealed } = (await import(VERIFIER)) as {
  verifySealed: (args: string[]) => Promise<{ code: number; said: string }>;
};
const verdictOf = (...args: string[]) => verifySealed(args);

/** The value with each place that holds something changed, one after the other. */
function* edits(value: unknown): Generator {
  if (Array.isArray(value)) {
    for (const [i, each] of value.entries()) for (const next of edits(each)) yield value.with(i, next);
    yield [...(value as unknown[]), 'x'];
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value))
      for (const next of edits(each)) yield { ...value, [key]: next };
    yield { ...value, more: 'x' };
  } else if (typeof value === 'string') {
    yield `${value}x`;
    yield value.slice(0, -1);
  } else if (typeof value === 'number') yield value + 1;
  else yield 'x';
}

eachLog('an edited sealed export', (open) => {
  let whole: Buffer;
  let key: string;
  beforeEach(async () => {
    log = await open();
    const ids = await fill(5);
    await log.activity.redact(ids[1]!, { by: 'operator' });
    log.settings.max_records = 4;
    await log.activity.sweep();
    const stillOpen = log.activity.open(draft({ client: 'caf\u00e9 \u2028 \ufffd', session_id: 's' }));
    await stillOpen.durable();
    const lines: string[] = [];
    for await (const line of log.activity.sealed()) lines.push(`${line}\n`);
    whole = Buffer.from(lines.join(''));
    key = join(log.dir, 'activity-key.pub');
  });
  afterEach(() => log.remove());

  const verdict = async (bytes: Buffer | string) => {
    const file = join(log.dir, 'edited.jsonl');
    writeFileSync(file, bytes);
    return (await verdictOf(file, '--public-key', key)).code;
  };

  test('no value on any line can be changed, added or taken out', async () => {
    expect(await verdict(whole)).toBe(0);
    const lines = whole.toString().split('\n').slice(0, -1);
    const changed = lines.flatMap((line, at) =>
      [...edits(JSON.parse(line))].map((value) => lines.with(at, JSON.stringify(value)).join('\n')),
    );
    expect(changed.length).toBeGreaterThan(100);
    const intact: string[] = [];
    for (const text of changed) if ((await verdict(`${text}\n`)) === 0) intact.push(text);
    expect(intact).toEqual([]);
  });

  test('no byte can be changed, not even one that changes nothing to be seen', async () => {
    let seed = 42;
    const next = (below: number) => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 1) % below;
    const intact: unknown[] = [];
    for (let i = 0; i < 200; i++) {
      const [at, by] = [next(whole.length), 1 + next(255)];
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at]! + by) % 256;
      if ((await verdict(bytes)) === 0) intact.push({ at, by });
    }
    expect(intact).toEqual([]);
    const text = whole.toString();
    const notToBeSeen = [
      text.replace('":', '": '),
      text.replace('{"n"', '{ "n"'),
      text.replaceAll('\n', '\r\n'),
      `${text}\n`,
      text.slice(0, -1),
      `\ufeff${text}`,
      text.replace('"record":{"salt"', '"record":{"id":"x","salt"'),
      text.replace('caf\u00e9', 'caf\\u00e9'),
    ];
    for (const each of notToBeSeen) {
      expect(each).not.toBe(text);
      expect([each, await verdict(each)]).not.toEqual([each, 0]);
    }
  });

  test('the copy of a record on the line of its opening is gone: an edited name has no place to stand', () => {
    const lines = whole.toString().split('\n').slice(0, -1);
    const records = lines.flatMap((line) => (JSON.parse(line) as { record?: { id: string } }).record ?? []);
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
    expect(records.length).toBe((JSON.parse(lines[0]!) as { records: number }).records);
  });

  test('without --public-key the verifier says what that proves; --help says how to use it', async () => {
    const file = join(log.dir, 'whole.jsonl');
    writeFileSync(file, whole);
    const alone = await verdictOf(file);
    expect(alone.code).toBe(0);
    expect(alone.said).toMatch(/^intact: \d+ entries, \d+ records\nWARNING: no --public-key was given/);
    const given = await verdictOf(file, '--public-key', key);
    expect(given.said).not.toContain('WARNING');
    const help = await verdictOf('--help');
    expect(help).toMatchObject({ code: 0, said: expect.stringContaining('--public-key FILE') as string });
    expect(await verdictOf(file, '--public-key')).toMatchObject({ code: 2 });
    const older = whole.toString().replace('mcpproxy-sealed-2', 'mcpproxy-sealed-1');
    writeFileSync(file, older);
    expect((await verdictOf(file)).said).toContain('older form');
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
