import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { draft, eachLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import { keepSource } from '../../json/index.ts';
import { toJson } from '../record/to-json.ts';
import { createDigest, createMarker, maskText } from './mask-text.ts';

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

  test('a changed digest is found by verify', async () => {
    const record = log.activity.open(draft({ arguments: { password: 'hunter2' } }));
    await record.close({ status: 'success' });
    const digest = log.activity.digest('hunter2');
    const changed = await log.verifyChanged((sql) =>
      sql(`UPDATE activity SET arguments = replace(arguments, '${digest}', '0123456789abcdef')`),
    );
    expect(changed.intact).toBe(false);
  });

  test('a mark that a caller or a server writes cannot be taken for one, and is kept to the last character', async () => {
    const imitated = mark('password', 'hunter2');
    const record = log.activity.open(
      draft({ arguments: { password: 'hunter2', text: imitated, [imitated]: true }, tool_name: imitated }),
    );
    await record.close({
      status: 'error',
      response: { content: [{ type: 'text', text: imitated }] },
      error_message: `***[literal:x] ${imitated}`,
    });
    const literal = imitated.replace('***[', '***[literal:');
    const stored = await log.activity.get(record.id);
    expect(stored).toMatchObject({
      arguments: { password: imitated, text: literal, [literal]: true },
      tool_name: literal,
      response: { content: [{ text: literal }] },
      error_message: `***[literal:literal:x] ${literal}`,
      metadata: { masked: 1 },
    });
    expect(JSON.stringify(stored).split('***[masked:')).toHaveLength(2);
  });

  test('of a secret that is longer than the log keeps, the length and the digest are those of all of it', async () => {
    const secret = 'a1'.repeat(100_000);
    const escaped = `"\n${secret}`;
    const args = `{"n":1.0,"text":"token=${secret} ${'x '.repeat(50_000)}","password":${JSON.stringify(escaped)}}`;
    const sent = JSON.parse(args) as Record<string, unknown>;
    keepSource(sent, args);
    const record = log.activity.open(draft({ arguments: sent }));
    await record.close({
      status: 'error',
      response: { content: [{ type: 'text', text: `Authorization: Bearer ${secret}` }] },
      error_message: `${'x '.repeat(1990)} password=${secret} and more`,
    });
    const stored = (await log.activity.get(record.id))!;
    expect(JSON.stringify(stored.arguments)).toContain(`token=${mark('token', secret)}`);
    expect(JSON.stringify(stored.response)).toContain(mark('authorization', secret));
    expect(stored.error_message).toMatch(/digest [0-9a-f]{16}\]/);
    expect(stored.error_message).toContain(mark('password', secret));
    const other = { n: 1, password: escaped };
    const text = `{"n":1.0,"password":${JSON.stringify(escaped)}}`;
    keepSource(other, text);
    const second = log.activity.open(draft({ arguments: other }));
    await second.close({ status: 'success' });
    const kept = await log.activity.get(second.id);
    expect(JSON.stringify(kept!.arguments)).toContain(mark('password', escaped));
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

test('binary data keeps its digest too, however long it is', () => {
  const digest = createDigest(KEY);
  for (const bytes of [30_000, 3_000_000]) {
    const data = Buffer.alloc(bytes, 7).toString('base64');
    expect(toJson({ data }, 65_536, createMarker(digest))!.text).toBe(
      `{"data":"***[masked:binary-data ${data.length} characters, digest ${digest(data)}]"}`,
    );
  }
});

test('no mark is cut, wherever the rest is cut off', () => {
  const whole = /^\*\*\*\[masked:[a-z-]+ \d+ characters?, digest [0-9a-f]{16}\]/;
  const marker = createMarker(createDigest(KEY));
  const sent = {
    list: Array.from({ length: 40 }, (_, i) => ({ secret: `hunter${i}`, text: 'password=abcdef' })),
  };
  for (let room = 60; room < 2000; room += 7) {
    const { text } = JSON.parse(toJson(sent, room, marker)!.text) as { text: string };
    for (let at = text.indexOf('***'); at >= 0; at = text.indexOf('***', at + 3))
      expect(text.slice(at)).toMatch(whole);
    expect(text).not.toMatch(/\*{1,2}$/);
  }
});

test('nothing is digested where nothing is masked or kept', () => {
  let digests = 0;
  const marker = createMarker((text) => {
    digests++;
    return createDigest(KEY)(text);
  });
  expect(maskText('ls -l ~/notes', marker)).toBe('ls -l ~/notes');
  expect(digests).toBe(0);
  expect(maskText('pwd=abc&'.repeat(100_000), marker, 1000).length).toBeLessThan(1200);
  expect(digests).toBeLessThan(30);
});
