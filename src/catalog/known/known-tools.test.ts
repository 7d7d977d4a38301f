import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eachEngine, newPostgres } from '../../../test/fixtures/engines.ts';
import { openDatabase, type Database } from '../../db/database.ts';
import { openRowSeal } from '../../db/seal/open-row-seal.ts';
import { createLog } from '../../lib/log.ts';
import { createKnownTools } from './known-tools.ts';
import type { KnownTool, ToolKey } from './known-tool.ts';
import { testSeal } from '../../../test/fixtures/row-seal.ts';
import { distrustOf } from './known-tools-row.ts';

const log = createLog('silent');
const isDistrusted = (tool: KnownTool) => distrustOf(tool) !== undefined;
const known = (hash: string): KnownTool => ({
  hash,
  identity: 'here',
  hints: {},
  held: { destructiveHint: true },
  firstSeen: 'then',
  changedAt: 'now',
});
const T = { server: 'a', tool: 't' };
const U = { server: 'a', tool: 'u' };
const definition = (text: string) => ({ json: () => text, accepts: 'first' as const });
const accepted = (hash: string, by = 'first use', at = 'then') => ({ hash, identity: 'here', by, at });

eachEngine('known tools', ({ shared }) => {
  const database = shared('known_tools', 'accepted_definitions');
  const open = () => createKnownTools(database(), { seal: testSeal(), log });

  test('come back as they were saved, by server', async () => {
    const store = await open();
    store.save(T, { ...known('1'), operator: { operation: 'write', by: 'ann', at: 'then' } });
    store.save({ server: 'b', tool: 't' }, known('2'));
    await store.flush();
    const again = await open();
    expect(again.ofServer('a').get('t')).toEqual({
      ...known('1'),
      operator: { operation: 'write', by: 'ann', at: 'then' },
    });
    expect([...again.ofServer('b')]).toEqual([['t', known('2')]]);
    expect(again.ofServer('c').size).toBe(0);
  });

  test('a verdict and an acceptance are signed: a row that was changed by SQL says nothing, and its tool waits for the operator', async () => {
    const reported: unknown[] = [];
    const openAgain = () =>
      createKnownTools(database(), { seal: testSeal((row) => reported.push(row)), log });
    const store = await open();
    store.save(T, { ...known('1'), accepted: accepted('1') });
    store.save(U, { ...known('1'), accepted: accepted('1') });
    await store.flush();
    const forged = { operator_operation: 'read', operator_by: 'operator', accepted_hash: 'evil' };
    await database().kysely.updateTable('known_tools').set(forged).where('tool', '=', 't').execute();
    const again = await openAgain();
    expect(reported).toEqual([{ table: 'known_tools', row: 'a:t', trouble: 'wrong' }]);
    const [changed, honest] = ['t', 'u'].map((tool) => again.ofServer('a').get(tool)!);
    expect(changed).not.toHaveProperty('operator');
    expect([isDistrusted(changed!), changed!.accepted?.hash, isDistrusted(honest!)]).toEqual([
      true,
      '*',
      false,
    ]);
    again.save(T, { ...changed!, hash: 'evil' });
    await again.flush();
    const later = (await openAgain()).ofServer('a').get('t')!;
    expect([isDistrusted(later), later.accepted?.hash, reported.length]).toEqual([true, '*', 1]);
  });

  test('a verdict is not weakened by deleting its row: the tool waits for the operator, also after a restart', async () => {
    const reported: unknown[] = [];
    const seal = testSeal((row) => reported.push(row));
    const restart = () => createKnownTools(database(), { seal, log });
    const store = await restart();
    const operator = { operation: 'destructive', by: 'ann', at: 'now' } as const;
    await store.update(T, { initial: known('1'), change: (before) => ({ ...before, operator }) });
    store.save(U, { ...known('1'), accepted: accepted('1') });
    await store.flush();
    await database().kysely.deleteFrom('known_tools').execute();
    for (const times of [1, 2]) {
      const again = await restart();
      const tools = ['t', 'u'].map((tool) => again.ofServer('a').get(tool)!);
      expect([times, tools.map(isDistrusted)]).toEqual([times, [true, true]]);
      await again.flush();
    }
    expect(reported).toEqual(
      ['a:t', 'a:u'].map((row) => ({ table: 'known_tools', row, trouble: 'deleted' })),
    );
  });

  test('a prompt, and a tool with a colon in its name, are missed under their own names alone', async () => {
    const reported: unknown[] = [];
    const seal = testSeal((row) => reported.push(row));
    const restart = () => createKnownTools(database(), { seal, log });
    const keys = [
      { server: 'a:prompts', tool: 'p' },
      { server: 'a', tool: 'prompts:p' },
      { server: 'a', tool: 'b:c' },
    ];
    const store = await restart();
    store.save(keys[0]!, { ...known('1'), accepted: accepted('1') });
    await store.flush();
    for (const hash of ['2', '3'])
      for (const key of keys.slice(1)) {
        store.save(key, { ...known(hash), accepted: accepted('1') });
        await store.flush();
      }
    for (const times of [1, 2]) {
      const again = await restart();
      const tools = keys.map(({ server, tool }) => again.ofServer(server).get(tool)!);
      expect([times, tools.map(isDistrusted), reported]).toEqual([times, [false, false, false], []]);
      await again.flush();
    }
    await database().kysely.deleteFrom('known_tools').where('tool', '!=', 'b:c').execute();
    const again = await restart();
    expect(keys.map(({ server, tool }) => isDistrusted(again.ofServer(server).get(tool)!))).toEqual([
      true,
      true,
      false,
    ]);
    expect(reported).toEqual(
      ['["a:prompts","p"]', '["a","prompts:p"]'].map((row) => ({
        table: 'known_tools',
        row,
        trouble: 'deleted',
      })),
    );
    await again.flush();
  });

  test('after a restore, tools with an older row or none wait for the operator, and nobody is blamed', async () => {
    const reported: Array<{ trouble: string }> = [];
    const seal = testSeal((row) => reported.push(row));
    const store = await createKnownTools(database(), { seal, log });
    const rows = () => database().kysely.selectFrom('known_tools').selectAll().execute();
    store.save(T, { ...known('1'), accepted: accepted('1') });
    await store.flush();
    const backedUp = await rows();
    store.save(T, { ...known('2'), accepted: accepted('2') });
    store.save(U, { ...known('1'), accepted: accepted('1') });
    await store.flush();
    await database().kysely.deleteFrom('known_tools').execute();
    await database().kysely.insertInto('known_tools').values(backedUp).execute();
    seal.markRestored();
    const again = await createKnownTools(database(), { seal, log });
    const why = { why: expect.stringContaining('a restore of the database') as string };
    for (const name of ['t', 'u']) expect(distrustOf(again.ofServer('a').get(name)!)).toMatchObject(why);
    expect(reported.map(({ trouble }) => trouble)).toEqual(['restored', 'restored']);
    // Once such a tool is decided, a row that is put back is somebody else’s doing again.
    await again.flush();
    await again.update(T, { initial: known('2'), change: (now) => ({ ...now, accepted: accepted('2') }) });
    await database().kysely.updateTable('known_tools').set(backedUp[0]!).where('tool', '=', 't').execute();
    await createKnownTools(database(), { seal, log });
    expect(reported.map(({ trouble }) => trouble)).toEqual(['restored', 'restored', 'older']);
  });

  test('hints that were weakened are not put back', async () => {
    const reported: unknown[] = [];
    const seal = testSeal((row) => reported.push(row));
    const store = await createKnownTools(database(), { seal, log });
    const row = () => database().kysely.selectFrom('known_tools').selectAll().executeTakeFirstOrThrow();
    store.save(T, { ...known('1'), held: {}, accepted: accepted('1') });
    await store.flush();
    const before = await row();
    store.save(T, { ...known('2'), accepted: accepted('1') });
    await store.flush();
    await database().kysely.updateTable('known_tools').set(before).execute();
    const again = await createKnownTools(database(), { seal, log });
    expect([reported, isDistrusted(again.ofServer('a').get('t')!)]).toEqual([
      [{ table: 'known_tools', row: 'a:t', trouble: 'older' }],
      true,
    ]);
  });

  test.each([
    [
      'weaker hints than those in force',
      { hints: { readOnlyHint: true }, held: { readOnlyHint: true }, accepted: accepted('1') },
      { hints: { destructiveHint: true }, held: { destructiveHint: true }, accepted: accepted('1') },
    ],
    [
      'an acceptance that another one has replaced',
      { held: {}, accepted: accepted('2', 'ann') },
      { held: {}, accepted: accepted('3', 'ann', 'later') },
    ],
  ])('not put back: %s', async (_name, first, second) => {
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-known-'));
    const reported: unknown[] = [];
    const start = async () => {
      const parts = { db: database(), dataDir: dir, now: Date.now };
      const { seal, close } = await openRowSeal({ ...parts, report: (row) => void reported.push(row) });
      return { store: await createKnownTools(database(), { seal, log }), close };
    };
    const row = () => database().kysely.selectFrom('known_tools').selectAll().executeTakeFirstOrThrow();
    const { store, close } = await start();
    store.save(T, { ...known('1'), ...first });
    await store.flush();
    expect(readFileSync(join(dir, 'row-versions.log'), 'utf8').trim().split('\n')).toHaveLength(1);
    const before = await row();
    await store.update(T, { initial: known('1'), change: (now) => ({ ...now, ...second }) });
    await database().kysely.updateTable('known_tools').set(before).execute();
    close();
    const again = await start();
    expect(reported).toEqual([{ table: 'known_tools', row: 'a:t', trouble: 'older' }]);
    expect(isDistrusted(again.store.ofServer('a').get('t')!)).toBe(true);
    again.close();
    await database().kysely.updateTable('row_key').set({ key_id: null }).execute();
    rmSync(dir, { recursive: true });
  });

  test('a verdict that was withdrawn is not put back', async () => {
    const reported: unknown[] = [];
    const seal = testSeal((row) => reported.push(row));
    const store = await createKnownTools(database(), { seal, log });
    const row = () => database().kysely.selectFrom('known_tools').selectAll().executeTakeFirstOrThrow();
    const operator = { operation: 'read', by: 'ann', at: 'now' } as const;
    await store.update(T, { initial: known('1'), change: (before) => ({ ...before, operator }) });
    const before = await row();
    await store.update(T, { initial: known('1'), change: ({ operator: _gone, ...rest }) => rest });
    await database().kysely.updateTable('known_tools').set(before).execute();
    const again = await createKnownTools(database(), { seal, log });
    expect(reported).toEqual([{ table: 'known_tools', row: 'a:t', trouble: 'older' }]);
    expect(again.ofServer('a').get('t')).not.toHaveProperty('operator');
  });

  test('ten thousand are on disk after one flush, the newest state of each', async () => {
    const store = await open();
    const named = (i: number) => ({ server: 'a', tool: `t${i}` });
    for (let i = 0; i < 10_000; i++) store.save(named(i), known('old'));
    for (let i = 0; i < 10_000; i += 2) store.save(named(i), known('new'));
    await store.flush();
    const again = (await open()).ofServer('a');
    expect(again.size).toBe(10_000);
    expect([again.get('t0')!.hash, again.get('t1')!.hash]).toEqual(['new', 'old']);
  });

  test('an update in the middle of pending saves is neither lost nor overwritten', async () => {
    const store = await open();
    store.save(T, known('1'), definition('{}'));
    const updated = store.update(T, {
      initial: known('unused'),
      change: (before) => ({ ...before, operator: { operation: 'read', by: 'ann', at: 'now' } }),
    });
    store.save(U, known('3'));
    expect((await updated).hash).toBe('1');
    await store.flush();
    const again = await open();
    expect(again.ofServer('a').get('t')).toMatchObject({ hash: '1', operator: { operation: 'read' } });
    expect(again.decisions()).toEqual([{ ...T, operation: 'read', by: 'ann', at: 'now' }]);
    expect(await again.acceptedDefinition(T)).toBe('{}');
  });

  test('the accepted definition is there at once and after a restart, unless it is too large', async () => {
    const store = await open();
    const both = async (from: typeof store) => [
      await from.acceptedDefinition(T),
      await from.acceptedDefinition(U),
    ];
    store.save(T, { ...known('1'), accepted: accepted('1') }, definition('{"name":"t"}'));
    store.save(U, { ...known('2'), accepted: accepted('2') }, definition('x'.repeat(70_000)));
    expect(await both(store)).toEqual(['{"name":"t"}', null]);
    store.save(T, { ...known('1'), accepted: accepted('1') });
    await store.flush();
    await store.update(T, { initial: known('1'), change: (before) => before });
    const again = await open();
    expect(await both(again)).toEqual(['{"name":"t"}', null]);
    await again.update(T, { initial: known('1'), change: (before) => before, accepted: () => '{}' });
    expect(await again.acceptedDefinition(T)).toBe('{}');
    expect(await again.acceptedDefinition({ server: 'b', tool: 't' })).toBeNull();
  });

  test('a change that is refused, or cannot be written, leaves everything as it was', async () => {
    const store = await open();
    store.save(T, known('1'));
    await store.flush();
    const refused = store.update(T, {
      initial: known('1'),
      change: () => {
        throw new Error('no');
      },
    });
    await expect(refused).rejects.toThrow('no');
    await sql`ALTER TABLE known_tools RENAME TO elsewhere`.execute(database().kysely);
    await expect(
      store.update(T, { initial: known('1'), change: (before) => ({ ...before, held: {} }) }),
    ).rejects.toThrow();
    await sql`ALTER TABLE elsewhere RENAME TO known_tools`.execute(database().kysely);
    expect(store.ofServer('a').get('t')).toEqual(known('1'));
  });

  test('what could not be written is written by the next save', async () => {
    const store = await open();
    await sql`ALTER TABLE known_tools RENAME TO elsewhere`.execute(database().kysely);
    store.save(T, known('1'));
    await expect(store.flush()).rejects.toThrow(/known_tools/);
    await sql`ALTER TABLE elsewhere RENAME TO known_tools`.execute(database().kysely);
    store.save(U, known('2'));
    await store.flush();
    expect([...(await open()).ofServer('a').keys()]).toEqual(['t', 'u']);
  });

  test('a definition accepted at first use stays accepted when another proxy lists the tool differently later', async () => {
    const [one, two] = [await open(), await open()];
    one.save(T, { ...known('1'), accepted: accepted('1', 'first use', 'earlier') }, definition('{"v":1}'));
    await one.flush();
    // The other one started before and does not know the tool.
    const told: Array<[ToolKey, KnownTool]> = [];
    two.onChanged((key, value) => told.push([key, value]));
    two.save(T, { ...known('2'), accepted: accepted('2', 'first use', 'later') }, definition('{"v":2}'));
    await two.flush();
    expect(two.ofServer('a').get('t')).toMatchObject({ hash: '2', accepted: { hash: '1', at: 'earlier' } });
    expect(told).toMatchObject([[T, { accepted: { hash: '1' } }]]);
    expect(await two.acceptedDefinition(T)).toBe('{"v":1}');
  });

  test('what is part of the program is accepted as it comes', async () => {
    const store = await open();
    store.save(T, { ...known('1'), accepted: accepted('1') }, { json: () => '1', accepts: 'always' });
    await store.flush();
    const next = { ...known('2'), held: {}, accepted: accepted('2', 'first use', 'later') };
    store.save(T, next, { json: () => '2', accepts: 'always' });
    await store.flush();
    expect((await open()).ofServer('a').get('t')).toEqual(next);
    expect(await store.acceptedDefinition(T)).toBe('2');
  });
});

/** Two proxies, each with its own connections. */
async function pair(): Promise<{ dbs: Database[]; end: () => Promise<void> }> {
  const { url, remove } = await newPostgres();
  const dbs = [await openDatabase({ url, log }), await openDatabase({ url, log })];
  const end = async () => {
    for (const db of dbs) await db.close();
    await remove();
  };
  return { dbs, end };
}

test('several proxies on one PostgreSQL: a decision at one holds at the others, and none is lost in a race', async () => {
  const { dbs, end } = await pair();
  try {
    const [one, two] = await Promise.all(dbs.map((db) => createKnownTools(db, { seal: testSeal(), log })));
    one!.save(T, { ...known('1'), accepted: accepted('1') }, definition('{}'));
    two!.save(T, { ...known('2'), accepted: accepted('2') }, definition('{}'));
    await Promise.all([one!.flush(), two!.flush()]);

    const told: KnownTool[] = [];
    two!.onChanged((_key, value) => told.push(value));
    await one!.update(T, {
      initial: known('1'),
      change: (before) => ({ ...before, operator: { operation: 'destructive', by: 'ann', at: 'now' } }),
    });
    await expect.poll(() => two!.ofServer('a').get('t')?.operator?.by).toBe('ann');
    expect(told.at(-1)).toMatchObject({ hash: '2', operator: { operation: 'destructive' } });

    // Two operators at once, one deciding and one approving: both hold in the end, at both.
    await Promise.all([
      one!.update(T, {
        initial: known('1'),
        change: (before) => ({ ...before, operator: { operation: 'read', by: 'bob', at: 'n' } }),
      }),
      two!.update(T, {
        initial: known('2'),
        change: (before) => ({ ...before, held: {}, accepted: accepted('2', 'eve', 'n') }),
      }),
    ]);
    for (const store of [one!, two!])
      await expect
        .poll(() => store.ofServer('a').get('t'))
        .toMatchObject({ operator: { by: 'bob' }, accepted: { by: 'eve' } });
    for (const store of [one!, two!]) store.close();
  } finally {
    await end();
  }
});

test('several proxies on one PostgreSQL: the strictest hints that any of them has seen are held', async () => {
  const { dbs, end } = await pair();
  try {
    const [one, two] = await Promise.all(dbs.map((db) => createKnownTools(db, { seal: testSeal(), log })));
    const seen = (hints: KnownTool['hints'], hash: string): KnownTool => ({
      ...known(hash),
      hints,
      held: hints,
      accepted: accepted('1'),
    });
    one!.save(T, seen({ destructiveHint: true }, '1'), definition('{}'));
    await one!.flush();
    two!.save(T, seen({ readOnlyHint: true }, '2'));
    await two!.flush();
    expect(two!.ofServer('a').get('t')).toMatchObject({
      hints: { readOnlyHint: true },
      held: { destructiveHint: true },
    });
    for (const store of [one!, two!]) store.close();
  } finally {
    await end();
  }
});
