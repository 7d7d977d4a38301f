import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachEngine } from '../../../test/fixtures/engines.ts';
import { testSeal } from '../../../test/fixtures/row-seal.ts';
import type { Database } from '../database.ts';
import type { TokensTable } from '../schema.ts';
import { openRowSeal } from './open-row-seal.ts';
import type { BrokenRow } from './row-seal.ts';
import { SEALED, SEALED_TABLES } from './sealed-columns.ts';
import { createSeenVersions, markRowsRestored, openSeenVersions } from './seen-versions.ts';

const TOKEN: TokensTable = {
  id: '01AAAAAAAAAAAAAAAAAAAAAAAA',
  name: 'agent',
  digest: 'd'.repeat(64),
  scope: '{"operations":["read"]}',
  user_id: 'local',
  created_at: '2026-01-01T00:00:00.000Z',
  created_by: 'operator',
  expires_at: null,
  revoked_at: null,
  revoked_by: null,
  last_used_at: null,
  seal: null,
};

describe('the seal of a row', () => {
  test('covers every column that decides, and not the time of the last use', () => {
    const seal = testSeal();
    const made = seal.seal('tokens', TOKEN);
    expect(seal.trouble('tokens', made)).toBeUndefined();
    expect(seal.trouble('tokens', { ...made, last_used_at: '2026-02-01T00:00:00.000Z' })).toBeUndefined();
    for (const column of Object.keys(TOKEN) as Array<keyof TokensTable>) {
      if (column === 'last_used_at' || column === 'seal') continue;
      expect([column, seal.trouble('tokens', { ...made, [column]: 'x' })]).toEqual([column, 'wrong']);
      expect([column, seal.trouble('tokens', { ...made, [column]: `${made[column]}` })]).toEqual([
        column,
        made[column] === null ? 'wrong' : undefined,
      ]);
    }
  });

  test('is good for one row, one table and one key', () => {
    const seal = testSeal();
    const made = seal.seal('tokens', TOKEN);
    const other = seal.seal('tokens', { ...TOKEN, id: '01B', name: 'b' });
    expect(seal.trouble('tokens', { ...made, seal: other.seal })).toBe('wrong');
    expect(seal.trouble('tokens', { ...made, seal: null })).toBe('missing');
    for (const text of ['', 'x', '1.1.x', made.seal!.replace('1.1.', '1.2.'), `${made.seal}A`])
      expect(seal.trouble('tokens', { ...made, seal: text })).toBe('wrong');
    expect(testSeal(undefined, Buffer.alloc(32, 8)).trouble('tokens', made)).toBe('wrong');
  });

  test('a value of another type is not taken for a missing one, and a text counts as the database keeps it', () => {
    const seal = testSeal();
    const made = seal.seal('tokens', { ...TOKEN, created_by: 'a\0\ud800😀' });
    for (const value of [Buffer.from('x'), true, 1n, undefined])
      expect(seal.trouble('tokens', { ...made, revoked_at: value as unknown as string })).toBe('wrong');
    expect(seal.trouble('tokens', { ...made, created_by: 'a\ufffd\ufffd😀' })).toBeUndefined();
    expect(seal.trouble('tokens', { ...made, created_by: 'a\ufffd😀' })).toBe('wrong');
  });

  test('a text cannot move from one column into the next', () => {
    const seal = testSeal();
    const made = seal.seal('tokens', { ...TOKEN, created_by: 'ab', user_id: 'c;s1:d' });
    expect(seal.trouble('tokens', { ...made, created_by: 'a', user_id: 'bc;s1:d' })).toBe('wrong');
  });

  test('an older version of a row that was put back does not count, and is reported once', () => {
    const reports: BrokenRow[] = [];
    const seal = testSeal((broken) => reports.push(broken));
    const first = seal.seal('tokens', TOKEN);
    const revoked = seal.seal('tokens', { ...first, revoked_at: '2026-01-02T00:00:00.000Z' }, first);
    seal.stored('tokens', revoked);
    expect([seal.trouble('tokens', revoked), seal.trouble('tokens', first)]).toEqual([undefined, 'older']);
    seal.trouble('tokens', first);
    expect(reports).toEqual([{ table: 'tokens', row: TOKEN.id, trouble: 'older' }]);
  });
});

test('after a restore an older version still does not count, and is told from one that somebody put back', () => {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-seen-'));
  const first = openSeenVersions(dir, Date.now);
  first.note('tokens', 'gone back', { version: 3, until: null });
  first.note('tokens', 'seen again', { version: 3, until: null });
  first.close();
  markRowsRestored(dir, Date.now);
  const seen = openSeenVersions(dir, Date.now);
  const isBefore = () => ['gone back', 'seen again'].map((row) => seen.isBeforeRestore('tokens', row));
  expect([seen.newest('tokens', 'gone back'), isBefore()]).toEqual([3, [true, true]]);
  seen.note('tokens', 'seen again', { version: 3, until: null });
  expect(isBefore()).toEqual([true, false]);
  seen.close();
  rmSync(dir, { recursive: true });
});

test('versions are forgotten only when the row lets nothing pass any more, and a line that was cut off is left out', () => {
  const lines: string[] = [];
  const seen = createSeenVersions((line) => lines.push(line));
  seen.note('approvals', 'a "quoted" one', { version: 3, until: 1000 });
  seen.note('approvals', 'a "quoted" one', { version: 2, until: 1000 });
  seen.note('tokens', 'b', { version: 2, until: null });
  expect(lines).toHaveLength(2);
  const later = createSeenVersions();
  later.load(`${lines.join('')}9 - ["tokens","to`);
  later.text(2000);
  expect([later.newest('approvals', 'a "quoted" one'), later.newest('tokens', 'b')]).toEqual([3, 2]);
  const muchLater = createSeenVersions();
  muchLater.load(lines.join(''));
  expect(muchLater.text(86_400_000 * 2)).toBe(lines[1]);
  expect([muchLater.newest('approvals', 'a "quoted" one'), muchLater.newest('tokens', 'b')]).toEqual([0, 2]);
});

test('names with a colon of an earlier version are read as what they meant, or forgotten where that is not clear', () => {
  const seen = createSeenVersions();
  const names = ['a:t', 'a:b:c', 'a:prompts:p', '["a:prompts","p"]'];
  for (const table of ['known_tools', 'known_tools in x', 'tokens'])
    seen.load(names.map((name) => `2 - ${JSON.stringify([table, name])}\n`).join(''));
  const present = ['a:t', '["a","b:c"]', '["a:prompts","p"]'];
  expect(['known_tools', 'known_tools in x', 'tokens'].map(seen.rowsOf)).toEqual([present, present, names]);
});

test('however many versions are noted, none is forgotten that still matters', () => {
  const seen = createSeenVersions();
  seen.note('tokens', 'revoked', { version: 2, until: null });
  for (let i = 0; i < 250_000; i++) seen.note('approvals', `${i}`, { version: 2, until: 1000 });
  expect(seen.newest('tokens', 'revoked')).toBe(2);
});

eachEngine('rows from before there were seals', (engine) => {
  let dir: string;
  let db: Database;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'mcpproxy-rows-'));
    db = await engine.open();
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const reports: BrokenRow[] = [];
  const open = (dataDir = dir) =>
    openRowSeal({ db, dataDir, now: () => 0, report: (row) => void reports.push(row) });
  const insert = (more: Partial<TokensTable> = {}) =>
    db.kysely
      .insertInto('tokens')
      .values({ ...TOKEN, ...more })
      .execute();
  const rows = () => db.kysely.selectFrom('tokens').selectAll().orderBy('id').execute();

  test('every column of a sealed table is covered, but those that let nothing pass', async () => {
    const tables = await db.kysely.introspection.getTables();
    const uncovered = SEALED_TABLES.flatMap((table) => {
      const covered = new Set<string>([...SEALED[table].key, ...SEALED[table].columns, 'seal']);
      const { columns } = tables.find(({ name }) => name === table)!;
      return columns.filter(({ name }) => !covered.has(name)).map(({ name }) => `${table}.${name}`);
    });
    expect(uncovered.sort()).toEqual(['approvals.lease_ms', 'approvals.told', 'tokens.last_used_at']);
  });

  test('existing rows are sealed once, at the first start, and never again', async () => {
    await insert();
    const first = await open();
    expect(first.sealedNow).toEqual({ tokens: 1 });
    expect(first.seal.trouble('tokens', (await rows())[0]!)).toBeUndefined();
    first.close();
    expect(statSync(join(dir, 'row-key')).mode & 0o777).toBe(0o600);

    await insert({ id: '01B', name: 'b', digest: 'e'.repeat(64) });
    await db.kysely.updateTable('tokens').set({ seal: null }).execute();
    const second = await open();
    expect(second.sealedNow).toEqual({});
    for (const row of await rows()) expect(second.seal.trouble('tokens', row)).toBe('missing');
    second.close();
  });

  test('neither a database that says "not sealed yet" nor a lost marker has rows sealed again', async () => {
    (await open()).close();
    await insert();
    await db.kysely.updateTable('row_key').set({ key_id: null }).execute();
    const reset = await open();
    expect([reset.sealedNow, reset.seal.trouble('tokens', (await rows())[0]!)]).toEqual([{}, 'missing']);
    reset.close();
    await db.kysely.deleteFrom('row_key').execute();
    const removed = await open();
    expect([removed.sealedNow, removed.seal.trouble('tokens', (await rows())[0]!)]).toEqual([{}, 'missing']);
    removed.close();
    rmSync(join(dir, 'row-key-used'));
    const marked = await open();
    expect([marked.sealedNow, marked.seal.trouble('tokens', (await rows())[0]!)]).toEqual([{}, 'missing']);
    marked.close();
  });

  test('by another name too, a database that says "not sealed yet" has its rows sealed once only', async () => {
    (await open()).close();
    await insert();
    await db.kysely.updateTable('row_key').set({ key_id: null }).execute();
    const { kysely, engine: kind } = db;
    const named = { kysely, engine: kind, place: 'another name of it' };
    const moved = await openRowSeal({ db: named, dataDir: dir, now: () => 0, report: () => {} });
    expect([moved.sealedNow, moved.seal.trouble('tokens', (await rows())[0]!)]).toEqual([{}, 'missing']);
    moved.close();
  });

  test('without the key of the rows there is no start, and no new key: the error says what to do', async () => {
    (await open()).close();
    const other = mkdtempSync(join(tmpdir(), 'mcpproxy-rows-'));
    await expect(open(other)).rejects.toThrow(/Copy the file row-key from the data directory of a proxy/);
    expect(existsSync(join(other, 'row-key'))).toBe(false);
    writeFileSync(join(other, 'row-key'), `${'0'.repeat(64)}\n`);
    await expect(open(other)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    writeFileSync(join(other, 'row-key'), 'nonsense');
    await expect(open(other)).rejects.toThrow(/is damaged/);
    writeFileSync(join(other, 'row-key'), readFileSync(join(dir, 'row-key')));
    (await open(other)).close();
    rmSync(other, { recursive: true });
  });

  test('a key is changed by a new first line: old rows stay good, and an older key alone no longer starts', async () => {
    const first = await open();
    const made = first.seal.seal('tokens', TOKEN);
    first.close();
    const file = join(dir, 'row-key');
    const old = readFileSync(file, 'utf8');
    writeFileSync(file, `${'ab'.repeat(32)}\n${old}`);
    const second = await open();
    expect(second.seal.trouble('tokens', made)).toBeUndefined();
    expect(second.seal.seal('tokens', TOKEN).seal).not.toBe(made.seal);
    second.close();
    writeFileSync(file, old);
    await expect(open()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('what was seen of a row is known after a restart', async () => {
    const first = await open();
    const made = first.seal.seal('tokens', TOKEN);
    const revoked = first.seal.seal('tokens', { ...made, revoked_at: 'now' }, made);
    first.seal.stored('tokens', revoked);
    first.close();
    const second = await open();
    expect(second.seal.trouble('tokens', made)).toBe('older');
    second.close();
  });

  test('a row keeps its seal through the database', async () => {
    const { seal, close } = await open();
    await db.kysely
      .insertInto('grants')
      .values(
        seal.seal('grants', {
          id: 'g',
          server: 's',
          tool: 'ä\n"',
          server_identity: '',
          definition_hash: '',
          principal: 'token:a',
          token_id: null,
          user_id: 'local',
          client: null,
          created_ms: 1_790_000_000_000,
          created_by: 'operator',
          created_from: 'cli',
          expires_ms: 1_790_000_000_001,
          max_calls: 5,
          used: 0,
          reason: '',
          approval_id: null,
          revoked_ms: null,
          revoked_by: null,
          seal: null,
        }),
      )
      .execute();
    const row = await db.kysely.selectFrom('grants').selectAll().executeTakeFirstOrThrow();
    expect(seal.trouble('grants', row)).toBeUndefined();
    await sql`UPDATE grants SET max_calls = NULL`.execute(db.kysely);
    const changed = await db.kysely.selectFrom('grants').selectAll().executeTakeFirstOrThrow();
    expect(seal.trouble('grants', changed)).toBe('wrong');
    close();
  });
});
