import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { draft, eachLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import { createDigest, createMarker } from './marker.ts';
import { maskText } from './mask-text.ts';

const KEY = Buffer.alloc(32, 7);
let log: TestLog;

const mark = (kind: string, secret: string) =>
  `***[masked:${kind} ${secret.length} characters, digest ${log.activity.digest(secret)}]`;

eachLog('every masked piece keeps kind, length and a keyed digest', (open) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('in arguments, keys, results and errors, and the record says how many there are', async () => {
    const record = log.activity.open(
      draft({
        arguments: {
          password: 'hunter2',
          pin: { otp: 123_456 },
          'token=abcdef': { secret: ['hunter2', true] },
        },
      }),
    );
    await record.close({
      status: 'error',
      response: { content: [{ type: 'text', text: 'DB_PASSWORD=hunter2; rm -rf ~/x' }] },
      error_message: 'refused for password=hunter2, says the server',
    });
    const password = mark('password', 'hunter2');
    expect(await log.activity.get(record.id)).toMatchObject({
      arguments: {
        password,
        pin: { otp: mark('password', '123456') },
        [`token=${mark('token', 'abcdef')}`]: { secret: [mark('secret', 'hunter2'), true] },
      },
      response: { content: [{ text: `DB_PASSWORD=${password}; rm -rf ~/x` }] },
      error_message: `refused for password=${password}, says the server`,
      metadata: { masked: 6 },
    });
    expect(password).toMatch(/^\*\*\*\[masked:password 7 characters, digest [0-9a-f]{16}\]$/);
  });

  test('equal secrets are found by their digest, also after a restart', async () => {
    const first = log.activity.open(draft({ arguments: { password: 'hunter2' } }));
    await first.close({ status: 'success' });
    const digest = log.activity.digest('hunter2');
    await log.restart();
    expect(log.activity.digest('hunter2')).toBe(digest);
    expect(log.activity.digest('hunter3')).not.toBe(digest);
    await log.activity.open(draft({ arguments: { text: 'password=hunter2' } })).close({ status: 'success' });
    await log.activity.open(draft({ arguments: { text: 'password=hunter3' } })).close({ status: 'success' });
    const { records } = await log.activity.list({ q: digest }, { limit: 10 });
    expect(records).toHaveLength(2);
  });

  test('a changed digest is found by verify, and a written one is not counted', async () => {
    const imitated = '***[masked:password 7 characters, digest 0123456789abcdef]';
    const record = log.activity.open(draft({ arguments: { password: 'hunter2', text: imitated } }));
    await record.close({ status: 'success' });
    expect(await log.activity.get(record.id)).toMatchObject({
      arguments: { text: imitated },
      metadata: { masked: 1 },
    });
    const digest = log.activity.digest('hunter2');
    const changed = await log.verifyChanged((sql) =>
      sql(`UPDATE activity SET arguments = replace(arguments, '${digest}', '0123456789abcdef')`),
    );
    expect(changed.intact).toBe(false);
  });

  test('once the record is redacted, nothing is left to count', async () => {
    const record = log.activity.open(draft({ arguments: { password: 'hunter2' } }));
    await record.close({ status: 'success' });
    const redacted = await log.activity.redact(record.id, { by: 'operator', reason: 'password=hunter2' });
    expect(redacted?.metadata.masked).toBeUndefined();
    expect(redacted?.metadata).toMatchObject({
      redacted: { reason: `password=${mark('password', 'hunter2')}` },
    });
  });

  test('the key is not in the database', async () => {
    const stored =
      log.db.engine === 'sqlite' ? readdirSync(log.dir).filter((name) => /\.(db|sqlite)/.test(name)) : [];
    const pem = readFileSync(join(log.dir, 'activity-key.pem'), 'utf8').split('\n')[1]!;
    for (const name of stored) expect(readFileSync(join(log.dir, name)).includes(pem)).toBe(false);
    expect(log.activity.digest('hunter2')).not.toBe(createDigest(KEY)('hunter2'));
  });
});

test('binary data keeps its digest too', async () => {
  const { toJson } = await import('../record/to-json.ts');
  const digest = createDigest(KEY);
  const data = Buffer.alloc(30_000, 7).toString('base64');
  expect(toJson({ data }, 65_536, createMarker(digest))!.text).toBe(
    `{"data":"[binary data, 30000 bytes, digest ${digest(data)}]"}`,
  );
});

test('masked twice, a text is the same, and nothing is digested where nothing is masked or kept', () => {
  let digests = 0;
  const marker = createMarker((text) => {
    digests++;
    return createDigest(KEY)(text);
  });
  expect(maskText('ls -l ~/notes', marker)).toBe('ls -l ~/notes');
  expect(digests).toBe(0);
  const once = maskText(
    'password=hunter2; Cookie: sid=abcdef; b=ghijkl\nAuthorization: Bearer abcdef',
    marker,
  );
  expect(maskText(once, marker)).toBe(once);
  expect(digests).toBe(4);
  expect(maskText('pwd=abc&'.repeat(100_000), marker, 1000).length).toBeLessThan(1200);
  expect(digests).toBeLessThan(30);
});
