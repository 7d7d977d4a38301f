import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { draft, openTestLog, type TestLog } from '../../test/fixtures/activity-log.ts';
import type { ActivityVerification } from '../contract/activity.ts';
import { nextHash } from './seal.ts';
import { verifyLog } from './verify.ts';

let log: TestLog;
beforeEach(async () => {
  log = await openTestLog();
});
afterEach(() => log.remove());

/** Records of every kind: opened only, closed at once, closed later, failed, redacted, with names of their own. */
async function fill(): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) {
    const record = log.activity.open(
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
  await log.activity.redact(ids[2]!, { by: 'operator', reason: 'asked for' });
  await log.activity.checkpoint();
  return ids;
}

let copies = 0;
/** A copy of the database, changed by somebody else's hand. */
async function verifyCopy(change: (sqlite: DatabaseSync) => void): Promise<ActivityVerification> {
  const file = join(log.dir, `copy-${copies++}.db`);
  log.db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  copyFileSync(log.db.file, file);
  const sqlite = new DatabaseSync(file);
  sqlite.exec('PRAGMA journal_mode = DELETE');
  change(sqlite);
  sqlite.close();
  return verifyLog({ file, dataDir: log.dir });
}

type DatabaseSync = InstanceType<typeof DatabaseSync>;

describe('verify', () => {
  test('what was written is intact, also after a crash, a restart and a redaction', async () => {
    await fill();
    expect(await log.activity.verify()).toMatchObject({
      verdict: 'intact',
      records: 12,
      unsigned_entries: 0,
    });
    await log.restart();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 12 });
    expect(statSync(join(log.dir, 'activity-key.pem')).mode & 0o777).toBe(0o600);
    expect(statSync(join(log.dir, 'checkpoints.log')).mode & 0o777).toBe(0o600);
  });

  test('every change of any column of any row is found', async () => {
    await fill();
    const columns = (table: string) =>
      (log.db.sqlite.prepare(`PRAGMA table_info(${table})`).all() as Array<{ name: string }>).map(
        ({ name }) => name,
      );
    const visible = {
      activity: columns('activity').filter((name) => !['server_name', 'tool_name'].includes(name)),
      activity_journal: columns('activity_journal'),
      activity_facet: columns('activity_facet').filter((name) => name !== 'id'),
      activity_log: ['log_id', 'public_key'],
    };
    const places = Object.entries(visible).flatMap(([table, names]) =>
      names.map((name) => ({ table, name })),
    );
    const change = (sqlite: DatabaseSync, { table, name }: (typeof places)[number], at: number) => {
      // A facet that no record points at is seen by nobody.
      const used = table === 'activity_facet' ? 'WHERE id IN (SELECT facet_id FROM activity)' : '';
      const rows = sqlite.prepare(`SELECT rowid AS rid, ${name} AS v FROM ${table} ${used}`).all() as Array<{
        rid: number;
        v: unknown;
      }>;
      const { rid, v } = rows[at % rows.length]!;
      const next =
        name === 'unlisted'
          ? 1
          : typeof v === 'number'
            ? v + 1_000_000
            : `${v === null ? '' : (v as string)}x`;
      sqlite.prepare(`UPDATE ${table} SET ${name} = ? WHERE rowid = ?`).run(next, rid);
    };
    for (const place of places)
      for (const at of [0, 1]) {
        const { verdict } = await verifyCopy((sqlite) => change(sqlite, place, at));
        expect({ ...place, at, verdict }).not.toEqual({ ...place, at, verdict: 'intact' });
      }
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), fc.nat(20), async (place, at) => {
        const { verdict } = await verifyCopy((sqlite) => change(sqlite, place, at));
        expect(verdict).not.toBe('intact');
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  test('entries and rows that are deleted, swapped, doubled, added or put back are found, with place and reason', async () => {
    const ids = await fill();
    const [first, last] = [ids[0]!, ids[10]!];
    const expectBroken = async (reason: string, sql: string) => {
      const result = await verifyCopy((sqlite) => sqlite.exec(sql));
      expect([sql, result.problem?.reason]).toEqual([sql, reason]);
      expect(result).toMatchObject({ verdict: 'broken', intact: false });
      return result.problem!;
    };
    expect(
      (await expectBroken('gap', 'DELETE FROM activity_journal WHERE pos % 1099511627776 = 5')).entry,
    ).toBe(5);
    await expectBroken('gap', 'DELETE FROM activity_journal WHERE pos % 1099511627776 = 1');
    await expectBroken(
      'truncated',
      'DELETE FROM activity_journal WHERE pos = (SELECT max(pos) FROM activity_journal); DELETE FROM activity_journal WHERE pos = (SELECT max(pos) FROM activity_journal)',
    );
    await expectBroken(
      'hash',
      'UPDATE activity_journal SET entry = (SELECT entry FROM activity_journal WHERE pos % 1099511627776 = 4), hash = (SELECT hash FROM activity_journal WHERE pos % 1099511627776 = 4) WHERE pos % 1099511627776 = 3',
    );
    await expectBroken(
      'hash',
      'INSERT INTO activity_journal SELECT max(pos) + 1, seq, entry, hash FROM activity_journal',
    );
    expect((await expectBroken('row missing', `DELETE FROM activity WHERE id = '${first}'`)).record).toBe(
      first,
    );
    await expectBroken('row missing', `DELETE FROM activity WHERE id = '${last}'`);
    await expectBroken(
      'row without entry',
      `INSERT INTO activity SELECT seq + 7000, facet_id, ts, id, request_id, session_id, conversation_id, client, server_name, tool_name, duration_ms, error_code, error_message, response_truncated, metadata, arguments, response, salt FROM activity WHERE id = '${first}'`,
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
  }, 60_000);

  test('a chain that was computed anew stops at the signature', async () => {
    await fill();
    const result = await verifyCopy((sqlite) => {
      const rows = sqlite.prepare('SELECT pos, entry FROM activity_journal ORDER BY pos').all() as Array<{
        pos: number;
        entry: string;
      }>;
      const known = sqlite.prepare('SELECT hash FROM activity_journal ORDER BY pos').get() as {
        hash: string;
      };
      let head = known.hash;
      for (const { pos, entry } of rows.slice(1)) {
        const forged = entry.replace(/"t":\d+/, '"t":1');
        head = nextHash(head, forged);
        sqlite
          .prepare('UPDATE activity_journal SET entry = ?, hash = ? WHERE pos = ?')
          .run(forged, head, pos);
      }
    });
    expect(result.problem?.reason).toBe('bad signature');
  });

  test('yesterday’s file is found against a checkpoint, here and elsewhere', async () => {
    await fill();
    const old = join(log.dir, 'yesterday.db');
    log.db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    copyFileSync(log.db.file, old);
    await log.activity.open(draft()).close({ status: 'success' });
    await log.activity.checkpoint();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact' });
    const checkpoints = readFileSync(join(log.dir, 'checkpoints.log'), 'utf8');
    for (const given of [undefined, checkpoints])
      expect((await verifyLog({ file: old, dataDir: log.dir, checkpoints: given })).problem?.reason).toBe(
        'truncated',
      );
    const forged = checkpoints
      .trim()
      .split('\n')
      .at(-1)!
      .replace(/"head":"./, '"head":"_');
    expect((await log.activity.verify({ checkpoints: forged })).problem?.reason).toBe('bad signature');
  });

  test('what one writer opened and the next one closed after a crash is intact, and not when it is put back by hand', async () => {
    await fill();
    const lost = log.activity.open(draft({ request_id: 'lost' }));
    await lost.durable();
    rmSync(join(log.dir, 'activity-key.pem'));
    await log.restart();
    expect(await log.activity.get(lost.id)).toMatchObject({ status: 'unknown' });
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 13 });

    log.db.sqlite.exec(`UPDATE activity SET facet_id = (
      SELECT id FROM activity_facet WHERE status = 'pending') WHERE id = '${lost.id}'`);
    expect((await log.activity.verify()).problem).toMatchObject({ reason: 'row differs', record: lost.id });
  });

  test('without the key, or with another, nothing can be told', async () => {
    await fill();
    expect(await verifyLog({ file: log.db.file, dataDir: join(log.dir, 'nowhere') })).toMatchObject({
      verdict: 'unknown',
    });
    expect(await verifyLog({ file: join(log.dir, 'no.db'), dataDir: log.dir })).toMatchObject({
      verdict: 'unknown',
    });
  });

  test('any flipped byte of the file: never “intact” unless the records are the same', async () => {
    await fill();
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
            .all(),
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
        const { verdict } = await verifyLog({ file, dataDir: log.dir });
        if (verdict === 'intact') expect(contentOf(file)).toBe(before);
        else found++;
      }),
      { numRuns: 400 },
    );
    expect(found).toBeGreaterThan(10);
  }, 120_000);
});
