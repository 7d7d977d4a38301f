import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { newPostgres } from '../../../test/fixtures/engines.ts';
import { createLog } from '../../lib/log.ts';
import { openDatabase } from '../database.ts';
import type { PostgresDatabase } from './database.ts';

const log = createLog('silent');
const closing: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function place(): Promise<string> {
  const { url, remove } = await newPostgres('empty');
  closing.push(remove);
  return url;
}
async function open(url: string): Promise<PostgresDatabase> {
  const db = await openDatabase({ url, log });
  closing.push(() => db.close());
  return db;
}

describe('PostgreSQL', () => {
  test('is migrated once by proxies that start together', async () => {
    const url = await place();
    const all = await Promise.all([1, 2, 3, 4].map(() => open(url)));
    const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration ORDER BY name`.execute(
      all[0]!.kysely,
    );
    expect(rows.map(({ name }) => name)).toContain('0003-tasks');
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });

  test('gives counts, large integers and sums as numbers', async () => {
    const db = await open(await place());
    const { rows } = await sql`SELECT count(*) AS n, 9007199254740991::bigint AS big, sum(x) AS total
      FROM (VALUES (1::bigint), (2::bigint)) AS v (x)`.execute(db.kysely);
    expect(rows).toEqual([{ n: 1 + 1, big: Number.MAX_SAFE_INTEGER, total: 3 }]);
  });

  test('acknowledges a commit once it is on disk, whatever the server does by default', async () => {
    const url = await place();
    const first = await open(url);
    const name = new URL(url).pathname.slice(1);
    await sql.raw(`ALTER DATABASE ${name} SET synchronous_commit = off`).execute(first.kysely);
    await sql.raw(`ALTER DATABASE ${name} SET statement_timeout = 1`).execute(first.kysely);
    const db = await open(url); // migrating takes longer than a millisecond
    const { rows } = await sql`SELECT current_setting('synchronous_commit') AS sync`.execute(db.kysely);
    expect(rows).toEqual([{ sync: 'on' }]);
  });

  test('repeats a first select whose connection is ended, several times in a row too', async () => {
    const db = await open(await place());
    await sql`CREATE SEQUENCE tries`.execute(db.kysely);
    const { rows } =
      await sql`SELECT CASE WHEN nextval('tries') < 4 THEN pg_terminate_backend(pg_backend_pid()) END,
      pg_sleep(CASE WHEN currval('tries') < 4 THEN 1 ELSE 0 END), currval('tries') AS tries`.execute(
        db.kysely,
      );
    expect(rows).toMatchObject([{ tries: 4 }]);
  });

  test('is named without its password', async () => {
    const url = await place();
    const db = await open(url);
    const { password, port, pathname } = new URL(url);
    expect(db.place).toBe(`postgres://tester@127.0.0.1:${port}${pathname}`);
    expect(password.length).toBeGreaterThan(10);
  });

  test('tells every proxy, the one that speaks included', async () => {
    const url = await place();
    const [a, b] = [await open(url), await open(url)];
    const heard: string[] = [];
    a.onNotify('news', (payload) => heard.push(`a ${payload}`));
    b.onNotify('news', (payload) => heard.push(`b ${payload}`));
    b.onNotify('other', (payload) => heard.push(`other ${payload}`));
    // Each hears when it listens: what was said before must be looked up.
    await expect.poll(() => [...heard].sort()).toEqual(['a undefined', 'b undefined', 'other undefined']);
    await a.notify('news', 'x');
    await expect.poll(() => heard.slice(3).sort()).toEqual(['a x', 'b x']);
  });
});
