import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cases } from '../../../test/fixtures/cases.ts';
import { verifyInPieces } from '../../../test/fixtures/verify-in-pieces.ts';
import {
  draft,
  eachLog,
  openTestLog,
  type RunSql,
  type TestLog,
} from '../../../test/fixtures/activity-log.ts';
import { WHO_COLUMNS } from '../../db/index.ts';
import type { SqliteDatabase } from '../../db/sqlite/database.ts';
import { nextHash } from '../chain/hash-chain.ts';
import { orUnknownVerdict, verifyInOneSnapshot, verifyLog } from './verify.ts';
import { createStopFlag } from './stop.ts';
import { keepShort, verifyInThreads, writeAheadLogOf } from './verify-threads.ts';

let log: TestLog;

/** Records of every kind: opened only, closed at once, closed later, failed, redacted, with names of their own. */
async function fill(into: TestLog = log): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) {
    const record = into.activity.open(
      draft({
        request_id: `r${i}`,
        tool_name: `tool_${i % 3}`,
        session_id: `s${i % 2}`,
        client: i % 2 ? 'client 1' : 'half \ud800 and \0',
        metadata: { intent: { operation_type: 'read', reason: `because ${i}` } },
      }),
    );
    ids.push(record.id);
    if (i % 4 === 0 || i === 11) await record.durable();
    const failed = { error_code: 'UPSTREAM_FAILED', error_message: `no ${i}` };
    if (i < 11)
      await record.close({
        status: i % 5 ? 'success' : 'error',
        response: { text: `answer ${i}` },
        ...(i % 5 ? {} : failed),
      });
  }
  await into.activity.redact(ids[2]!, { by: 'operator', reason: 'asked for' });
  await into.activity.checkpoint();
  return ids;
}

eachLog('verify', (open, engine) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('what was written is intact, also after a crash, a restart and a redaction', async () => {
    await fill();
    expect(await log.activity.verify()).toMatchObject({
      verdict: 'intact',
      records: 12,
      unsigned_entries: 0,
      counts: 'agree',
      entries_by_kind: { opened: 4, closed: 11, redacted: 1, checkpoint: 1 },
    });
    await log.restart();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 12 });
    expect(statSync(join(log.dir, 'activity-key.pem')).mode & 0o777).toBe(0o600);
    expect(statSync(join(log.dir, 'checkpoints.log')).mode & 0o777).toBe(0o600);
  });

  test('counts that are not those of the records are named: of summaries, and of charts', async () => {
    await fill();
    const tables =
      engine === 'sqlite'
        ? ['activity_count', 'activity_hour', 'activity_minute']
        : [
            'activity_count_all',
            'activity_count_day',
            'activity_count_hour',
            'activity_hour',
            'activity_minute',
          ];
    for (const table of tables) {
      const column = table.startsWith('activity_count') ? 'n' : 'n_read';
      await log.sql(`UPDATE ${table} SET ${column} = ${column} + 1`);
      expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', counts: 'differ' });
      await log.sql(`UPDATE ${table} SET ${column} = ${column} - 1`);
    }
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', counts: 'agree' });
  });

  test('every change of any column of any row is found', async () => {
    await fill();
    const columns = async (table: string, ...hidden: string[]) => {
      const [row] = await log.sql<Record<string, unknown>>(`SELECT * FROM ${table} LIMIT 1`);
      return Object.keys(row!).filter((name) => !hidden.includes(name));
    };
    const visible = {
      // No statement changes those about who did what, unless it replaces the column: see who.test.ts.
      activity: await columns('activity', 'server_name', 'tool_name', ...WHO_COLUMNS),
      activity_journal: await columns('activity_journal'),
      activity_facet: await columns('activity_facet', 'id', 'key_hash'),
      activity_log: ['log_id', 'public_key'],
    };
    const places = Object.entries(visible).flatMap(([table, names]) =>
      names.map((name) => ({ table, name })),
    );
    const rowid = engine === 'sqlite' ? 'rowid' : 'ctid';
    const change = async (sql: RunSql, { table, name }: (typeof places)[number], at: number) => {
      // The check reads neither a facet without records nor the log of an entry without a record.
      const read: Record<string, string> = {
        activity_facet: 'WHERE id IN (SELECT facet_id FROM activity)',
        of_log: 'WHERE seq IS NOT NULL',
      };
      const used = read[table] ?? read[name] ?? '';
      const rows = await sql<{ rid: number | string; v: unknown }>(
        `SELECT ${rowid} AS rid, ${name} AS v FROM ${table} ${used}`,
      );
      const { rid, v } = rows[at % rows.length]!;
      const text = `${v === null ? '' : (v as string)}x`;
      const next = name === 'unlisted' ? 1 : typeof v === 'number' ? v + 1_000_000 : text;
      const numeric = v === null && ['seq', 'of_log', 'duration_ms'].includes(name);
      await sql(`UPDATE ${table} SET ${name} = ? WHERE ${rowid} = ?`, numeric ? 1_000_000 : next, rid);
    };
    for (const place of places)
      for (const at of engine === 'sqlite' ? [0, 1] : [1]) {
        const { verdict } = await log.verifyChanged((sql) => change(sql, place, at));
        expect({ ...place, at, verdict }).not.toEqual({ ...place, at, verdict: 'intact' });
      }
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), fc.nat(20), async (place, at) => {
        const { verdict } = await log.verifyChanged((sql) => change(sql, place, at));
        expect(verdict).not.toBe('intact');
      }),
      { numRuns: cases(engine === 'sqlite' ? 15 : 5) },
    );
  });

  test('entries and rows that are deleted, swapped, doubled, added or put back are found, with place and reason', async () => {
    const ids = await fill();
    const [first, last] = [ids[0]!, ids[10]!];
    const number = engine === 'sqlite' ? 'pos % 1099511627776' : 'n';
    const key = engine === 'sqlite' ? 'pos' : 'n';
    const expectBroken = async (reason: string, ...statements: string[]) => {
      const result = await log.verifyChanged(async (sql) => {
        for (const statement of statements) await sql(statement);
      });
      expect([statements, result.problem?.reason]).toEqual([statements, reason]);
      expect(result).toMatchObject({ verdict: 'broken', intact: false });
      return result.problem!;
    };
    expect((await expectBroken('gap', `DELETE FROM activity_journal WHERE ${number} = 5`)).entry).toBe(5);
    await expectBroken('gap', `DELETE FROM activity_journal WHERE ${number} = 1`);
    await expectBroken(
      'order',
      `INSERT INTO activity_journal SELECT ${engine === 'sqlite' ? 'pos - pos % 1099511627776, seq' : 'log, 0, seq, of_log'}, entry, hash FROM activity_journal ORDER BY ${key} LIMIT 1`,
    );
    await expectBroken(
      'truncated',
      `DELETE FROM activity_journal WHERE ${key} = (SELECT max(${key}) FROM activity_journal)`,
      `DELETE FROM activity_journal WHERE ${key} = (SELECT max(${key}) FROM activity_journal)`,
    );
    await expectBroken(
      'hash',
      `UPDATE activity_journal SET entry = (SELECT entry FROM activity_journal WHERE ${number} = 4), hash = (SELECT hash FROM activity_journal WHERE ${number} = 4) WHERE ${number} = 3`,
    );
    await expectBroken(
      'hash',
      `INSERT INTO activity_journal SELECT ${engine === 'sqlite' ? 'pos + 1, seq' : 'log, n + 1, seq, of_log'}, entry, hash FROM activity_journal ORDER BY ${key} DESC LIMIT 1`,
    );
    expect((await expectBroken('row missing', `DELETE FROM activity WHERE id = '${first}'`)).record).toBe(
      first,
    );
    await expectBroken('row missing', `DELETE FROM activity WHERE id = '${last}'`);
    await expectBroken(
      'row without entry',
      `INSERT INTO activity SELECT seq + 7000, ${engine === 'sqlite' ? '' : 'log,'} facet_id, ts, id, request_id, session_id, conversation_id, client, server_name, tool_name, duration_ms, error_code, error_message, response_truncated, metadata, arguments, response, salt FROM activity WHERE id = '${first}'`,
    );
    await expectBroken(
      'row differs',
      `UPDATE activity SET response = (SELECT response FROM activity WHERE id = '${last}') WHERE id = '${first}'`,
    );
    await expectBroken(
      'row differs',
      `UPDATE activity SET facet_id = (SELECT facet_id FROM activity WHERE id = '${ids[11]!}') WHERE id = '${first}'`,
    );
    await expectBroken('row differs', `UPDATE activity SET arguments = '{}' WHERE id = '${ids[2]!}'`);
  });

  test('a recomputed chain fails at the signature', async () => {
    await fill();
    const key = engine === 'sqlite' ? 'pos' : 'n';
    const result = await log.verifyChanged(async (sql) => {
      const rows = await sql<{ key: number; entry: string; hash: string }>(
        `SELECT ${key} AS key, entry, hash FROM activity_journal ORDER BY ${key}`,
      );
      let head = rows[0]!.hash;
      for (const { key: at, entry } of rows.slice(1)) {
        const forged = entry.replace(/"t":\d+/, '"t":1');
        head = nextHash(head, forged);
        await sql(`UPDATE activity_journal SET entry = ?, hash = ? WHERE ${key} = ?`, forged, head, at);
      }
    });
    expect(result.problem?.reason).toBe('bad signature');
  });

  test('what was put back to an older state is found against a checkpoint, here and elsewhere', async () => {
    await fill();
    const key = engine === 'sqlite' ? 'pos' : 'n';
    const [end] = await log.sql<{ at: number }>(`SELECT max(${key}) AS at FROM activity_journal`);
    const newer = log.activity.open(draft());
    await newer.close({ status: 'success' });
    await log.activity.checkpoint();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact' });
    const checkpoints = readFileSync(join(log.dir, 'checkpoints.log'), 'utf8');
    const goBack = async (sql: RunSql) => {
      await sql(`DELETE FROM activity_journal WHERE ${key} > ?`, end!.at);
      await sql('DELETE FROM activity WHERE id = ?', newer.id);
    };
    for (const given of [undefined, checkpoints])
      expect((await log.verifyChanged(goBack, { checkpoints: given })).problem).toMatchObject({
        reason: 'truncated',
        message: expect.stringContaining('older than this checkpoint, or its end was cut off') as string,
      });
    const forged = checkpoints
      .trim()
      .split('\n')
      .at(-1)!
      .replace(/"head":"(.)/, (_, first) => `"head":"${first === '0' ? '1' : '0'}`);
    expect((await log.activity.verify({ checkpoints: forged })).problem?.reason).toBe('bad signature');
  });

  test('a missing checkpoints.log beside a log that was signed is named; with a copy of it the log is intact', async () => {
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', entries: 0 });
    await log.activity.open(draft()).close({ status: 'success' });
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', unsigned_entries: 1 });
    await fill();
    const file = join(log.dir, 'checkpoints.log');
    const checkpoints = readFileSync(file, 'utf8');
    rmSync(file);
    expect(await log.activity.verify()).toMatchObject({
      verdict: 'unknown',
      intact: false,
      records: 13,
      why: expect.stringContaining('checkpoints.log is missing from the data directory') as string,
    });
    expect(await log.activity.verify({ checkpoints })).toMatchObject({ verdict: 'intact' });
    writeFileSync(file, '');
    expect(await log.activity.verify()).toMatchObject({
      verdict: 'unknown',
      why: expect.stringContaining('checkpoints.log has no line of log') as string,
    });
  });

  test('a database that was emptied beside its checkpoints is named', async () => {
    await fill();
    await log.activity.close();
    for (const table of ['activity', 'activity_journal', 'activity_log'])
      await log.sql(`DELETE FROM ${table}`);
    await log.restart();
    await log.activity.open(draft()).close({ status: 'success' });
    await log.activity.checkpoint();
    expect(await log.activity.verify()).toMatchObject({
      verdict: 'unknown',
      intact: false,
      why: expect.stringMatching(
        /checkpoints\.log names log \w+ with \d+ entries: the database was emptied/,
      ) as string,
    });
  });

  test('what one writer opened and the next one closed after a crash is intact, and not when it is put back by hand', async () => {
    await fill();
    const lost = log.activity.open(draft({ request_id: 'lost' }));
    await lost.durable();
    rmSync(join(log.dir, 'activity-key.pem'));
    await log.restart();
    // On PostgreSQL the old key might be another proxy that has lost its connection, so it takes a moment.
    await expect.poll(() => log.activity.get(lost.id)).toMatchObject({ status: 'unknown' });
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 13 });

    await log.sql(
      `UPDATE activity SET facet_id = (SELECT id FROM activity_facet WHERE status = 'pending' LIMIT 1) WHERE id = ?`,
      lost.id,
    );
    expect((await log.activity.verify()).problem).toMatchObject({ reason: 'row differs', record: lost.id });
  });

  test('payload that was taken out by hand is found at the entry of its record', async () => {
    const ids = await fill();
    const { problem } = await log.verifyChanged((sql) =>
      sql('UPDATE activity SET salt = NULL, arguments = NULL, response = NULL WHERE id = ?', ids[4]!),
    );
    expect(problem).toMatchObject({ reason: 'row differs', record: ids[4] });
  });

  test('without the key, or with another, nothing can be told', async () => {
    await fill();
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(await log.activity.verify({ publicKey: other })).toMatchObject({ verdict: 'unknown' });
    const own = readFileSync(join(log.dir, 'activity-key.pub'), 'utf8');
    expect(await log.activity.verify({ publicKey: own })).toMatchObject({ verdict: 'intact' });
    expect(await log.activity.verify({ publicKey: `${other}${own}` })).toMatchObject({ verdict: 'intact' });
  });
});

describe('verify of a file', () => {
  let log: TestLog<SqliteDatabase>;
  beforeEach(async () => {
    log = await openTestLog();
    await fill(log);
  });
  afterEach(() => log.remove());

  test('nothing can be told without its key, or where it is not there', async () => {
    expect(await verifyLog({ file: log.db.file, dataDir: join(log.dir, 'nowhere') })).toMatchObject({
      verdict: 'unknown',
    });
    expect(await verifyLog({ file: join(log.dir, 'no.db'), dataDir: log.dir })).toMatchObject({
      verdict: 'unknown',
    });
  });

  test('done a hundred times it leaves no descriptors behind', async () => {
    const descriptors = () => readdirSync('/proc/self/fd').length;
    const before = descriptors();
    for (let n = 0; n < 100; n++) {
      await verifyLog({ file: log.db.file, dataDir: log.dir });
      await new Promise(setImmediate);
    }
    // Each opens two connections, of two descriptors each.
    await expect.poll(() => descriptors() - before).toBeLessThan(100);
  });

  test('what is opened, closed, redacted and dropped while it is read piece by piece is no alarm', async () => {
    for (let round = 0; round < 3; round++) {
      const ids = await fill(log);
      const slow = log.activity.open(draft());
      await slow.durable();
      const options = { file: log.db.file, dataDir: log.dir };
      const result = await verifyInPieces(options, async () => {
        await slow.close({ status: 'success' });
        await log.activity.redact(ids[3]!, { by: 'operator' });
        await log.activity.redact(ids[9]!, { by: 'operator' });
        const quick = log.activity.open(draft({ tool_name: `new_${round}` }));
        await quick.close({ status: 'success' });
        await log.activity.redact(quick.id, { by: 'operator' });
        await log.activity.open(draft()).durable();
        if (round > 1) log.settings.max_records = 10;
        await log.activity.sweep();
      });
      expect(result).toMatchObject({ verdict: 'intact', records: (await log.activity.stats()).records });
      const forged = await verifyInPieces(options, async () =>
        log.db.sqlite.exec(`UPDATE activity SET client = 'x' WHERE id = '${slow.id}'`),
      );
      log.db.sqlite.exec(`UPDATE activity SET client = NULL WHERE id = '${slow.id}'`);
      expect(forged).toMatchObject({
        verdict: 'broken',
        problem: { record: slow.id, reason: 'row differs' },
      });
    }
  });

  test('in threads of its own it says the same', async () => {
    const options = { file: log.db.file, dataDir: log.dir };
    expect(await verifyInThreads(options)).toEqual(await verifyInOneSnapshot(options));
    log.db.sqlite.exec(`UPDATE activity SET response = '{}' WHERE request_id = 'r5'`);
    expect((await verifyInThreads(options)).problem).toEqual((await verifyInOneSnapshot(options)).problem);
    const nowhere = await orUnknownVerdict(() =>
      verifyInThreads({ ...options, file: join(log.dir, 'no.db') }),
    );
    expect(nowhere).toMatchObject({ verdict: 'unknown' });
    const stopped = new AbortController();
    const aborted = verifyInThreads({ ...options, signal: stopped.signal });
    stopped.abort();
    await expect(aborted).rejects.toThrow('aborted');
  });

  test('any flipped byte of the file: never “intact” unless the records are the same', async () => {
    log.db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const bytes = readFileSync(log.db.file);
    const file = join(log.dir, 'flipped.db');
    const contentOf = (name: string) => {
      const sqlite = new DatabaseSync(name, { readOnly: true });
      try {
        return JSON.stringify([
          sqlite
            .prepare(
              'SELECT a.*, f.type, f.source, f.status, f.operation_type, f.server_name AS fs, f.tool_name AS ft FROM activity a NOT INDEXED LEFT JOIN activity_facet f ON f.id = a.facet_id ORDER BY seq',
            )
            .all()
            // Read by nobody where the names stand with the facet, as they do here.
            .map(({ server_name: _server, tool_name: _tool, ...rest }: Record<string, unknown>) => rest),
          sqlite.prepare('SELECT * FROM activity_journal ORDER BY pos').all(),
        ]);
      } finally {
        sqlite.close();
      }
    };
    const before = contentOf(log.db.file);
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const changed = Buffer.from(bytes);
        changed[at]! ^= mask;
        writeFileSync(file, changed);
        for (const verify of [verifyInOneSnapshot, verifyInPieces]) {
          const { verdict } = await orUnknownVerdict(() => verify({ file, dataDir: log.dir }));
          if (verdict === 'intact') expect(contentOf(file)).toBe(before);
          else found++;
        }
      }),
      // Most of the file is free pages and indexes: fewer would hit too little.
      { numRuns: 120 },
    );
    expect(found).toBeGreaterThan(10);
  });
});

describe('a verification of a log that is written to and shortened', () => {
  let log: TestLog<SqliteDatabase>;
  beforeEach(async () => {
    log = await openTestLog();
  });
  afterEach(() => log.remove());
  const add = (text: string) =>
    log.activity.open(draft({ arguments: { text } })).close({ status: 'success' });

  test('leaves the write-ahead log short: its readers make way before it is long', async () => {
    const { file } = log.db;
    const readers = [0, 1].map(() => new DatabaseSync(file, { readOnly: true }));
    const flag = createStopFlag();
    const end = keepShort(writeAheadLogOf(log.db), flag);
    const text = 'y'.repeat(60_000);
    let longest = 0;
    /** One of them always reads, as threads do that take turns, unless they are asked to make way. */
    function read(turn: number): void {
      const [next, last] = turn % 2 === 0 ? [readers[0]!, readers[1]!] : [readers[1]!, readers[0]!];
      if (!flag.isHeld()) next.exec('BEGIN; SELECT count(*) FROM activity_log');
      else if (next.isTransaction) next.exec('COMMIT');
      if (last.isTransaction) last.exec('COMMIT');
    }
    for (let turn = 0; turn < 200; turn++) {
      read(turn);
      await Promise.all(Array.from({ length: 8 }, () => add(text)));
      longest = Math.max(longest, statSync(`${file}-wal`).size);
    }
    end();
    for (const reader of readers) reader.close();
    expect(longest).toBeLessThan(67_108_864);
  });

  test('is not disturbed by retention, which waits for it', async () => {
    for (let i = 0; i < 4000; i += 500) await Promise.all(Array.from({ length: 500 }, () => add('x')));
    const { settings, activity } = log;
    settings.max_records = 100;
    const verified = activity.verify().then(async (result) => [result, (await activity.stats()).records]);
    const swept = activity.sweep();
    expect(await verified).toMatchObject([{ verdict: 'intact', records: 4000 }, 4000]);
    expect(await swept).toBe(3900);
    expect(await activity.verify()).toMatchObject({ verdict: 'intact', records: 100 });
  });
});

eachLog('a log that nothing has signed yet', (open) => {
  test('says nothing of a last checkpoint', async () => {
    log = await open();
    try {
      await log.activity.open(draft()).close({ status: 'success' });
      const unsigned = await log.activity.verify();
      expect(unsigned).toMatchObject({ verdict: 'intact', checkpoint: null });
      expect(unsigned.proves + unsigned.does_not_prove).not.toContain('last checkpoint');
      await log.activity.checkpoint();
      expect((await log.activity.verify()).proves).toContain('up to the last checkpoint');
    } finally {
      await log.remove();
    }
  });
});
