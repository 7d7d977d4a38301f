import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { draft, eachLog, type TestLog } from '../../../test/fixtures/activity-log.ts';

let log: TestLog;

const mark = (kind: string, secret: string) =>
  `***[masked:${kind} ${secret.length} characters, digest ${log.activity.digest(secret)}]`;

/** Everything that is stored, whatever form it has there. */
async function stored(): Promise<Buffer> {
  if (log.db.engine === 'sqlite') {
    log.db.sqlite.exec('PRAGMA wal_checkpoint(PASSIVE)');
    return Buffer.concat(readdirSync(log.dir).map((name) => readFileSync(join(log.dir, name))));
  }
  const tables = ['activity', 'activity_journal', 'activity_facet', 'activity_text'];
  const rows = await Promise.all(
    tables.map((table) => log.sql<{ text: string }>(`SELECT t::text AS text FROM ${table} AS t`)),
  );
  return Buffer.from(JSON.stringify(rows));
}

eachLog('what a record keeps', (open) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('no secret of arguments, response, error or reason reaches the disk, and none is taken from the call itself', async () => {
    const secrets = [
      'hunter2-in-args',
      'ghp_0123456789abcdefghij0123456789abcdef',
      'sk-proj-abcdefghijklmnopqrstuvwx',
      'pw-in-url-77',
      'AKIAIOSFODNN7EXAMPQX',
    ];
    const args = { password: secrets[0], note: `use ${secrets[1]}` };
    const record = log.activity.open(
      draft({
        arguments: args,
        metadata: { intent: { operation_type: 'read', reason: `because ${secrets[2]}` } },
      }),
    );
    await record.durable();
    const response = { content: [{ type: 'text', text: `postgres://app:${secrets[3]}@db/x` }] };
    await record.close({
      status: 'error',
      response,
      error_code: 'UPSTREAM_FAILED',
      error_message: `denied for ${secrets[4]}`,
    });
    await log.activity.list({ q: 'because' }, { limit: 1 });

    const disk = await stored();
    expect(disk.includes('because')).toBe(true);
    for (const secret of secrets) expect(disk.includes(secret)).toBe(false);
    expect(args).toEqual({ password: secrets[0], note: `use ${secrets[1]}` });
    expect(response.content[0]!.text).toContain(secrets[3]);
    expect(await log.activity.get(record.id)).toMatchObject({
      arguments: {
        password: mark('password', secrets[0]!),
        note: `use ${mark('github-token', secrets[1]!)}`,
      },
      error_message: `denied for ${mark('aws-key-id', secrets[4]!)}`,
      metadata: { intent: { reason: `because ${mark('openai-key', secrets[2]!)}` }, masked: 5 },
    });
  });

  test('the name of a token is no secret where it says who it was, and only there', async () => {
    const kept = async (metadata: Record<string, unknown>) =>
      (await log.activity.get(log.activity.open(draft({ metadata })).id))?.metadata;
    expect(await kept({ principal: 'token:cursor' })).toEqual({ principal: 'token:cursor' });
    expect(await kept({ principal: 'token:cursor', token_id: '01J', note: 'token: abcdef' })).toEqual({
      principal: 'token:cursor',
      token_id: '01J',
      note: `token: ${mark('token', 'abcdef')}`,
      masked: 1,
    });
    expect(await kept({ principal: 'x token: "abcdef"' })).toEqual({
      principal: `x token: "${mark('token', 'abcdef')}"`,
      masked: 1,
    });
    expect(await kept({})).toEqual({});
  });

  test('a secret in the place of a name is masked too, also where the name is cut', async () => {
    const secret = `mcpp_${'aB3'.repeat(16)}z`;
    const record = log.activity.open(
      draft({
        server_name: 'up',
        tool_name: `${'x'.repeat(490)} ${secret}`,
        client: `tool ${secret}`,
        request_id: secret,
        arguments: { text: secret },
      }),
    );
    await record.close({ status: 'error', error_message: `no ${secret}` });
    await log.activity.list({ q: 'tool' }, { limit: 1 });
    expect((await stored()).includes(secret.slice(5, 20))).toBe(false);
    expect(await log.activity.get(record.id)).toMatchObject({
      client: `tool ${mark('mcpproxy-token', secret)}`,
    });
  });

  test('arguments that came as JSON text are stored as a value, so that their keys are masked too', async () => {
    const record = log.activity.open(draft({ arguments: '{"path": "/a", "api_key": "k-123"}' }));
    expect((await log.activity.get(record.id))?.arguments).toEqual({
      path: '/a',
      api_key: mark('api-key', 'k-123'),
    });
    const broken = log.activity.open(draft({ arguments: '{"password": "hunter2"' }));
    expect((await log.activity.get(broken.id))?.arguments).toBe(
      `{"password": "${mark('password', 'hunter2')}"`,
    );
  });

  test('a long response is cut to the limit of the settings as they are now, and says so', async () => {
    const response = { content: [{ type: 'text', text: 'word '.repeat(100_000) }] };
    const store = async (maxBytes: number) => {
      log.settings.max_response_bytes = maxBytes;
      const record = log.activity.open(draft());
      await record.close({ status: 'success', response });
      return (await log.activity.get(record.id))!;
    };
    const cut = await store(2000);
    expect(cut).toMatchObject({
      response_truncated: true,
      response: { truncated: true, text: expect.stringContaining('{"content":[{"type":"text"') },
    });
    expect(Buffer.byteLength(JSON.stringify(cut.response))).toBeLessThanOrEqual(2000);
    expect(await store(0)).toMatchObject({ response_truncated: true, status: 'success' });
    expect((await store(0)).response).toBeUndefined();
    expect(await store(1_000_000)).toMatchObject({ response_truncated: false, response });
  });

  test('arguments nested ten thousand deep, or ten megabytes long, are recorded within bounds', async () => {
    let deep: unknown = 'core';
    for (let i = 0; i < 10_000; i++) deep = { deep };
    const records = [deep, { text: 'x'.repeat(10_000_000) }].map((value) =>
      log.activity.open(draft({ arguments: value })),
    );
    for (const record of records) {
      await record.close({ status: 'refused', error_code: 'TOO_DEEP' });
      expect(JSON.stringify((await log.activity.get(record.id))!.arguments).length).toBeLessThanOrEqual(
        1_048_576,
      );
    }
  });

  test('a call that waits for a person is pending for everybody, and is not taken for a lost one after a restart', async () => {
    const held = log.activity.open(draft({ request_id: 'held' }));
    await held.close({ status: 'pending', error_code: 'APPROVAL_PENDING' });
    const lost = log.activity.open(draft({ request_id: 'lost' }));
    await lost.durable();
    await log.restart();
    expect(await log.activity.get(held.id)).toMatchObject({
      status: 'pending',
      error_code: 'APPROVAL_PENDING',
    });
    expect(await log.activity.get(lost.id)).toMatchObject({ status: 'unknown' });
    const found = await log.activity.list({ status: 'pending' }, { limit: 10 });
    expect(found.records.map(({ request_id }) => request_id)).toEqual(['held']);
    const worded = await log.activity.list({ status: 'pending', request_id: 'held' }, { limit: 10 });
    expect(worded.total).toBe(1);
    expect((await log.activity.summary('all')).by_status).toEqual({ pending: 1, unknown: 1 });
    expect(await log.activity.verify({})).toMatchObject({ intact: true });
  });

  test('an export holds what was there when it began, oldest first, whatever arrives meanwhile', async () => {
    for (let i = 0; i < 450; i++)
      void log.activity.open(draft({ request_id: `r${i}` })).close({ status: 'success' });
    await expect.poll(async () => (await log.activity.stats()).records).toBe(450);
    const seen: string[] = [];
    for await (const { request_id: id } of log.activity.export({})) {
      if (seen.length % 100 === 0)
        await log.activity.open(draft({ request_id: 'late' })).close({ status: 'success' });
      seen.push(id);
    }
    expect(seen).toEqual(Array.from({ length: 450 }, (_, index) => `r${index}`));
  });

  test('what was accepted before the log was closed is on disk', async () => {
    const record = log.activity.open(draft());
    void record.close({ status: 'success' });
    await log.restart();
    expect(await log.activity.get(record.id)).toMatchObject({ status: 'success' });
  });
});
