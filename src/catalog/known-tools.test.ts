import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../db/database.ts';
import type { SqliteDatabase } from '../db/sqlite-database.ts';
import { createLog } from '../lib/log.ts';
import { createKnownTools, type KnownTool } from './known-tools.ts';

const log = createLog('silent');
const known = (hash: string): KnownTool => ({
  hash,
  identity: 'here',
  hints: {},
  held: { destructiveHint: true },
  firstSeen: 'then',
  changedAt: 'now',
});
let dir: string;
let db: SqliteDatabase;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'known-tools-'));
  db = await openDatabase({ file: join(dir, 'test.db'), log });
});

afterEach(async () => {
  await db.close();
  await rm(dir, { recursive: true, force: true });
});

describe('known tools', () => {
  test('come back as they were saved, by server', async () => {
    const store = createKnownTools(db, log);
    store.save('a', 't', { ...known('1'), operator: { operation: 'write', by: 'ann', at: 'then' } });
    store.save('b', 't', known('2'));
    await store.flush();
    const again = createKnownTools(db, log);
    expect(again.ofServer('a').get('t')).toEqual({
      ...known('1'),
      operator: { operation: 'write', by: 'ann', at: 'then' },
    });
    expect([...again.ofServer('b')]).toEqual([['t', known('2')]]);
    expect(again.ofServer('c').size).toBe(0);
  });

  test('ten thousand are on disk after one flush, the newest state of each', async () => {
    const store = createKnownTools(db, log);
    for (let i = 0; i < 10_000; i++) store.save('a', `t${i}`, known('old'));
    for (let i = 0; i < 10_000; i += 2) store.save('a', `t${i}`, known('new'));
    await store.flush();
    const again = createKnownTools(db, log).ofServer('a');
    expect(again.size).toBe(10_000);
    expect([again.get('t0')!.hash, again.get('t1')!.hash]).toEqual(['new', 'old']);
  });

  test('an update in the middle of pending saves is neither lost nor overwritten', async () => {
    const store = createKnownTools(db, log);
    store.save('a', 't', known('1'));
    const updated = store.update({ server: 'a', tool: 't' }, known('unused'), (before) => ({
      ...before,
      held: {},
    }));
    store.save('a', 'u', known('3'));
    expect((await updated).hash).toBe('1');
    await store.flush();
    expect(createKnownTools(db, log).ofServer('a').get('t')).toMatchObject({ hash: '1', held: {} });
  });

  test('the accepted definition is there at once and after a restart, unless it is too large', async () => {
    const store = createKnownTools(db, log);
    const [small, large] = [
      { server: 'a', tool: 't' },
      { server: 'a', tool: 'u' },
    ];
    store.save('a', 't', known('1'), () => '{"name":"t"}');
    store.save('a', 'u', known('2'), () => 'x'.repeat(70_000));
    expect([store.acceptedDefinition(small), store.acceptedDefinition(large)]).toEqual([
      '{"name":"t"}',
      null,
    ]);
    store.save('a', 't', known('1'));
    await store.flush();
    await store.update(small, known('1'), (before) => before);
    const again = createKnownTools(db, log);
    expect([again.acceptedDefinition(small), again.acceptedDefinition(large)]).toEqual([
      '{"name":"t"}',
      null,
    ]);
    await again.update(
      small,
      known('1'),
      (before) => before,
      () => '{}',
    );
    expect([again.acceptedDefinition(small), again.acceptedDefinition({ server: 'b', tool: 't' })]).toEqual([
      '{}',
      null,
    ]);
  });

  test('what could not be written is written by the next save', async () => {
    const store = createKnownTools(db, log);
    store.ofServer('a');
    db.sqlite.exec('ALTER TABLE known_tools RENAME TO elsewhere');
    store.save('a', 't', known('1'));
    await expect(store.flush()).rejects.toThrow(/cannot be written/);
    db.sqlite.exec('ALTER TABLE elsewhere RENAME TO known_tools');
    store.save('a', 'u', known('2'));
    await store.flush();
    expect([...createKnownTools(db, log).ofServer('a').keys()]).toEqual(['t', 'u']);
  });
});
