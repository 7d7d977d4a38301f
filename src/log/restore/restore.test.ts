import {
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { draft, eachLog, openTestLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import type { SqliteDatabase } from '../../db/sqlite/database.ts';
import { createLog } from '../../lib/log.ts';
import { nextHash } from '../chain/hash-chain.ts';
import { recordRestore, RESTORE_NOTE, type RestoreNote } from './restore-note.ts';
import { readCheckpoints } from '../chain/checkpoint-file.ts';

const { verifySealed } = (await import(
  new URL('../../../tools/verify-sealed.mjs', import.meta.url).href
)) as { verifySealed: (args: string[]) => Promise<{ code: number; said: string }> };

let log: TestLog;
const linesOf = (name: string) => readFileSync(join(log.dir, name), 'utf8').trim().split('\n');
const rollback = () => log.activity.state().rollback;

async function add(records: number): Promise<void> {
  for (let i = 0; i < records; i++) await log.activity.open(draft()).close({ status: 'success' });
  await log.activity.checkpoint();
}

/** The number of the last entry, on either engine. */
async function lastEntry(): Promise<number> {
  const key = log.engine === 'sqlite' ? 'pos' : 'n';
  const [end] = await log.sql<{ at: number }>(`SELECT max(${key}) AS at FROM activity_journal`);
  return end!.at;
}

/** Takes out what came after an entry, as a person does who puts an older state back, or a server that fails over. */
async function loseAfter(at: number): Promise<void> {
  const key = log.engine === 'sqlite' ? 'pos' : 'n';
  await log.sql(`DELETE FROM activity_journal WHERE ${key} > ?`, at);
  await log.sql(
    'DELETE FROM activity WHERE seq NOT IN (SELECT seq FROM activity_journal WHERE seq IS NOT NULL)',
  );
}

/** The same without the note of what was acknowledged, which was put back too, or which an earlier version did not write. */
async function cutAfter(at: number): Promise<void> {
  await loseAfter(at);
  rmSync(join(log.dir, 'acknowledged.log'));
}

/** The record of the operator's acceptance, as the door for it writes it. */
async function acceptance() {
  const { missing, logs } = rollback()!;
  const log_heads = Object.fromEntries(logs.map(({ log: id, head }) => [id, head]));
  const metadata = { action: 'accept_restore', missing_entries: missing, log_heads, principal: 'operator' };
  const record = log.activity.open(draft({ type: 'config_change', metadata, arguments: rollback() }));
  await record.durable();
  return record;
}

/** Verify says for ever that entries are missing, however it reads the log. */
async function expectNamed(record: string): Promise<void> {
  const copied = await log.verifyChanged(async () => {});
  for (const result of [await log.activity.verify(), copied]) {
    expect(result).toMatchObject({ verdict: 'intact', restored: [{ record, by: 'operator', missing: 3 }] });
    expect(result.proves).toContain('Records are missing');
    expect(result.proves).not.toContain('none is missing');
  }
}

eachLog('the end of the log', (open) => {
  beforeEach(async () => {
    log = await open();
    await add(4);
  });
  afterEach(() => log.remove());

  /** As between two starts: the files and the database change while no proxy runs. */
  async function whileStopped(change: () => Promise<void> | void): Promise<void> {
    await log.activity.close();
    await change();
    await log.restart();
  }

  test('a tail cut together with the newer lines of checkpoints.log is named by verify, from the head file', async () => {
    const end = await lastEntry();
    const kept = linesOf('checkpoints.log');
    await add(4);
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact' });
    await whileStopped(async () => {
      await cutAfter(end);
      writeFileSync(join(log.dir, 'checkpoints.log'), `${kept.join('\n')}\n`);
    });
    const result = await log.activity.verify();
    expect(result).toMatchObject({ verdict: 'broken', problem: { reason: 'truncated' } });
    expect(rollback()).toMatchObject({
      missing: 4,
      reason: expect.stringContaining('fewer entries than its last checkpoint names') as string,
    });
  });

  test('newer lines cut off checkpoints.log alone are named by verify', async () => {
    const kept = linesOf('checkpoints.log');
    await add(2);
    await log.activity.close();
    writeFileSync(join(log.dir, 'checkpoints.log'), `${kept.join('\n')}\n`);
    expect(await log.activity.verify()).toMatchObject({
      verdict: 'unknown',
      why: expect.stringContaining('checkpoints.log lacks its newest lines') as string,
    });
    await log.restart();
  });

  test('a log with fewer entries than its last checkpoint says so from the start on until the restore is accepted', async () => {
    const end = await lastEntry();
    await add(3);
    const before = linesOf('checkpoints.log');
    await whileStopped(() => cutAfter(end));
    expect(rollback()).toMatchObject({ missing: 3, logs: [{ missing: 3 }] });
    await add(1);
    await whileStopped(() => {});
    expect(rollback()).toMatchObject({ missing: 3 });
    expect(await log.activity.verify()).toMatchObject({
      verdict: 'broken',
      problem: { reason: 'truncated' },
    });

    const refused = await acceptance();
    await refused.close({ status: 'error', error_code: 'INTERNAL' });
    const record = await acceptance();
    const accepted = await log.activity.acceptRestore();
    expect(accepted).toMatchObject({ missing: 3 });
    await record.close({ status: 'success' });
    await log.activity.checkpoint();
    expect(rollback()).toBeUndefined();
    await expectNamed(record.id);
    // The evidence is kept.
    expect(linesOf(accepted.kept_as)).toEqual(expect.arrayContaining(before));
    await expect(log.activity.acceptRestore()).rejects.toMatchObject({ code: 'CONFLICT' });
    await add(2);
    await whileStopped(() => {});
    expect(rollback()).toBeUndefined();
    await expectNamed(record.id);
    // Also where the content of the record was removed.
    await log.activity.redact(record.id, { by: 'operator', reason: 'test' });
    await expectNamed(record.id);
  });

  test('the record of the acceptance covers the end of the older log: the sealed export is signed, and names the restore', async () => {
    for (let i = 0; i < 2; i++) await log.activity.open(draft()).close({ status: 'success' });
    const end = await lastEntry();
    await add(2);
    await whileStopped(() => cutAfter(end));
    const record = await acceptance();
    await log.activity.acceptRestore();
    await record.close({ status: 'success' });
    await log.activity.checkpoint();
    const { logs } = await log.activity.verify();
    expect(logs.map(({ unsigned_entries: n }) => n)).toEqual([0, 0]);

    const file = join(log.dir, 'sealed.jsonl');
    const lines: string[] = [];
    for await (const line of log.activity.sealed()) lines.push(line);
    const verdictOf = async (changed: readonly string[]) => {
      writeFileSync(file, changed.map((line) => `${line}\n`).join(''));
      return verifySealed([file, '--public-key', join(log.dir, 'activity-key.pub')]);
    };
    const { code, said } = await verdictOf(lines);
    expect([code, said]).toEqual([0, expect.stringContaining('intact, but entries are missing')]);
    expect(said).toMatch(
      /RESTORED: \d+ entries were missing when the restore was accepted at .* by operator \(record /,
    );
    // What somebody adds to the older log later is not covered.
    const last = lines.findIndex((line, i) => i > 1 && line.startsWith('{"log":')) - 1;
    const { n, hash } = JSON.parse(lines[last]!) as { n: number; hash: string };
    const entry = JSON.stringify({ n: n + 1, t: 0, k: 'opened', id: '0', digest: 'x' });
    const added = JSON.stringify({ n: n + 1, entry, hash: nextHash(hash, entry) });
    const forged = await verdictOf([...lines.slice(0, last + 1), added, ...lines.slice(last + 1)]);
    expect(forged.code).not.toBe(0);
  });

  test('the restore of a back-up is recorded at the next start, once', async () => {
    const [end] = (await log.activity.verify()).logs;
    const note = {
      file: '/backups/monday.backup',
      sha256: 'ab'.repeat(32),
      made_at: '2026-01-02T03:04:05.000Z',
      version: '0.1.0',
      restored_at: '2026-01-03T03:04:05.000Z',
      user: 'ada',
      records: 4,
      entries: 9,
      replaced: null,
      log_heads: { [end!.log]: end!.head },
    } satisfies RestoreNote;
    writeFileSync(join(log.dir, RESTORE_NOTE), JSON.stringify(note));
    const parts = { dataDir: log.dir, log: createLog('silent') };
    await recordRestore(log.activity, parts);
    await recordRestore(log.activity, parts);
    const { records } = await log.activity.list({ type: 'config_change' }, { limit: 10 });
    const { log_heads, ...facts } = note;
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      principal: 'operator',
      status: 'success',
      arguments: facts,
      response: { says: 'restored from /backups/monday.backup' },
      metadata: { action: 'restore_backup', log_heads },
    });
    expect(existsSync(join(log.dir, RESTORE_NOTE))).toBe(false);
  });

  test('no number is signed twice: after a cut the proxy begins a new log', async () => {
    const end = await lastEntry();
    await add(3);
    await whileStopped(() => cutAfter(end));
    await add(6);
    const heads = new Map<string, string>();
    for (const line of linesOf('checkpoints.log')) {
      const { log: id, n, head } = JSON.parse(line) as { log: string; n: number; head: string };
      expect(heads.get(`${id} ${n}`) ?? head).toBe(head);
      heads.set(`${id} ${n}`, head);
    }
    expect(readCheckpoints(readFileSync(join(log.dir, 'checkpoints.log'), 'utf8')).size).toBe(2);
  });

  test('an emptied database beside its checkpoints is named at the start', async () => {
    await whileStopped(async () => {
      for (const table of ['activity', 'activity_journal', 'activity_log'])
        await log.sql(`DELETE FROM ${table}`);
    });
    expect(rollback()).toMatchObject({
      missing: 5,
      reason: expect.stringContaining('the database was deleted, emptied or replaced') as string,
    });
    expect(await log.activity.verify()).toMatchObject({ verdict: 'unknown' });
  });

  test('a deleted checkpoints.log is named at every start until it is accepted, with and without the head file', async () => {
    await add(1);
    for (const names of [['checkpoints.log'], ['checkpoints.log', 'activity-head.log']]) {
      await whileStopped(() => {
        for (const name of names) rmSync(join(log.dir, name));
      });
      expect(rollback()?.reason).toContain('checkpoints.log has no line of the activity log');
      // Nor is it created again by itself: it stays named, over checkpoints and starts, until it is accepted.
      await add(2);
      expect(await log.activity.verify()).toMatchObject({
        verdict: 'unknown',
        why: expect.stringContaining('checkpoints.log') as string,
      });
      await whileStopped(() => {});
      expect(rollback()?.reason).toContain('checkpoints.log has no line of the activity log');
      await log.activity.acceptRestore();
      expect(await log.activity.verify()).toMatchObject({ verdict: 'intact' });
    }
  });

  test('a line that the key did not sign, and a file that cannot be read, are named at the start', async () => {
    const file = join(log.dir, 'checkpoints.log');
    await whileStopped(() => {
      const { n, ...rest } = JSON.parse(linesOf('checkpoints.log').at(-1)!) as { n: number };
      writeFileSync(file, `${JSON.stringify({ ...rest, n: n + 1000 })}\n`, { flag: 'a' });
    });
    expect(rollback()?.reason).toContain('is not signed by a key of the data directory');
    await whileStopped(() => writeFileSync(file, 'nonsense\nnonsense\n'));
    expect(rollback()?.reason).toContain('cannot be read');
  });

  test('an honest data directory of an earlier version, without a head file, starts and verifies as before', async () => {
    await add(2);
    await whileStopped(() => rmSync(join(log.dir, 'activity-head.log')));
    expect(rollback()).toBeUndefined();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact' });
    await add(1);
    expect(existsSync(join(log.dir, 'activity-head.log'))).toBe(true);
  });

  test('entries that no checkpoint covers yet are missed too, and the log goes on after what it says is lost', async () => {
    const end = await lastEntry();
    for (let i = 0; i < 3; i++) await log.activity.open(draft()).close({ status: 'success' });
    const lines = linesOf('checkpoints.log');
    await whileStopped(async () => {
      await loseAfter(end);
      // As after a crash: the checkpoint of an orderly stop is not there.
      for (const name of ['checkpoints.log', 'activity-head.log'])
        writeFileSync(join(log.dir, name), `${lines.join('\n')}\n`);
      expect(await log.activity.verify()).toMatchObject({
        verdict: 'broken',
        problem: { reason: 'truncated', message: expect.stringContaining('acknowledged.log') as string },
      });
    });
    expect(rollback()).toMatchObject({ missing: 4, logs: [{ missing: 4 }] });
    await add(2);
    expect(await log.activity.verify()).toMatchObject({ verdict: 'broken', problem: { reason: 'gap' } });
    await whileStopped(() => {});
    expect(rollback()).toMatchObject({ missing: 4 });
    const record = await acceptance();
    await log.activity.acceptRestore();
    await record.close({ status: 'success' });
    await add(1);
    const copied = await log.verifyChanged(async () => {});
    for (const result of [await log.activity.verify(), copied])
      expect(result).toMatchObject({
        verdict: 'intact',
        logs: [{ unsigned_entries: 0 }],
        restored: [{ record: record.id, missing: 4 }],
      });
    // Nobody without the key can say that more was lost.
    const key = log.engine === 'sqlite' ? 'pos' : 'n';
    const [stated] = await log.sql<{ at: number; entry: string }>(
      `SELECT ${key} AS at, entry FROM activity_journal WHERE entry LIKE '%"k":"lost"%'`,
    );
    const forged = await log.verifyChanged(async (sql) => {
      const { lost, ...rest } = JSON.parse(stated!.entry) as { lost: { from: number } };
      const entry = JSON.stringify({ ...rest, lost: { ...lost, from: lost.from - 1 } });
      await sql(`DELETE FROM activity_journal WHERE ${key} = ?`, end);
      await sql(`UPDATE activity_journal SET entry = ? WHERE ${key} = ?`, entry, stated!.at);
    });
    expect(forged).toMatchObject({ verdict: 'broken', problem: { reason: 'gap' } });
    await whileStopped(() => {});
    expect(rollback()).toBeUndefined();
  });

  test('what cannot be noticed: the tail, the lines and the head file put back together', async () => {
    const end = await lastEntry();
    for (const name of ['checkpoints.log', 'activity-head.log', 'acknowledged.log'])
      copyFileSync(join(log.dir, name), join(log.dir, `${name}.old`));
    await add(3);
    await whileStopped(async () => {
      await loseAfter(end);
      for (const name of readdirSync(log.dir).filter((each) => each.endsWith('.old')))
        copyFileSync(join(log.dir, name), join(log.dir, name.slice(0, -4)));
    });
    expect(rollback()).toBeUndefined();
    expect(await log.activity.verify()).toMatchObject({
      verdict: 'intact',
      does_not_prove: expect.stringContaining('activity.witness') as string,
    });
  });
});

test('an SQLite file that is replaced by an older copy while the proxy runs: what is in memory is written again, and it is named', async () => {
  log = await openTestLog();
  try {
    await add(4);
    const { file, sqlite } = log.db as SqliteDatabase;
    sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    copyFileSync(file, `${file}.old`);
    for (let i = 0; i < 20; i++)
      await log.activity.open(draft({ tool_name: 'late_tool' })).close({ status: 'success' });
    const running = log.activity.open(draft({ tool_name: 'late_tool' }));
    await running.durable();
    for (const name of [`${file}-wal`, `${file}-shm`]) rmSync(name);
    renameSync(`${file}.old`, file);
    await expect.poll(() => rollback()?.logs[0]?.restored).toBe(20);
    await running.close({ status: 'success' });
    expect(await log.activity.stats()).toMatchObject({ records: 25 });
    expect(await log.activity.verify()).toMatchObject({ verdict: 'broken', problem: { reason: 'gap' } });
    const record = await acceptance();
    await log.activity.acceptRestore();
    await record.close({ status: 'success' });
    await log.activity.checkpoint();
    expect(rollback()).toBeUndefined();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', counts: 'agree', records: 26 });
  } finally {
    await log.remove();
  }
});
