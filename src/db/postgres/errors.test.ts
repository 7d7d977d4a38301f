import { createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres, type PostgresServer } from '../../../test/fixtures/postgres-server.ts';
import { createLog } from '../../lib/log.ts';
import { openDatabase } from '../database.ts';
import type { PostgresDatabase } from './database.ts';

const log = createLog('silent');
const closing: Array<() => unknown> = [];
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(url: string): Promise<PostgresDatabase> {
  const db = await openDatabase({ url, log });
  closing.push(() => db.close());
  return db;
}

async function asOwner(database: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client(server.url(database));
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const nameOf = (url: string) => new URL(url).pathname.slice(1);
const ask = (db: PostgresDatabase) => sql<{ one: number }>`SELECT 1 AS one`.execute(db.kysely);

describe('a server that stops and starts again', () => {
  test('is told as unavailable, then used again without a restart, and listened to', async () => {
    const db = await open(await server.createDatabase());
    const heard: Array<string | undefined> = [];
    db.onNotify('news', (payload) => heard.push(payload));
    await expect.poll(() => heard).toEqual([undefined]);
    const under = sql`SELECT pg_sleep(60)`.execute(db.kysely).catch((error: unknown) => error);
    await server.stop('hard');
    expect(await under).toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    await expect.poll(() => db.health().ok).toBe(false);
    const failed = await ask(db).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      message: expect.stringContaining(db.place),
    });
    expect(db.health()).toMatchObject({
      reason: expect.stringMatching(/refused|reset|terminated|closed|shutting down/i),
    });

    await server.start();
    await expect.poll(() => db.health()).toEqual({ ok: true });
    expect((await ask(db)).rows).toEqual([{ one: 1 }]);
    // Something may have been said meanwhile, so the listener hears that it must look for itself.
    await expect.poll(() => heard).toEqual([undefined, undefined]);
    await db.notify('news', 'again');
    await expect.poll(() => heard).toEqual([undefined, undefined, 'again']);
  });

  test('one connection that is lost is no trouble', async () => {
    const url = await server.createDatabase();
    const db = await open(url);
    await ask(db);
    await asOwner(
      'postgres',
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameOf(url)}'`,
    );
    await expect.poll(async () => (await ask(db).catch(() => ({ rows: [] }))).rows).toEqual([{ one: 1 }]);
    expect(db.health()).toEqual({ ok: true });
  });

  test('a statement that fails or times out leaves its connection usable', async () => {
    const db = await open(await server.createDatabase());
    await expect(sql`SELECT * FROM nothing`.execute(db.kysely)).rejects.toThrow(/does not exist/);
    await expect(
      sql`SET LOCAL statement_timeout = 50; SELECT pg_sleep(5)`.execute(db.kysely),
    ).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
    });
    expect((await ask(db)).rows).toEqual([{ one: 1 }]);
    expect(db.health()).toEqual({ ok: true });
  });

  test('NUL, which PostgreSQL has no place for, is replaced', async () => {
    const db = await open(await server.createDatabase());
    expect((await sql`SELECT ${'a\0b'}::text AS text`.execute(db.kysely)).rows).toEqual([
      { text: 'a\uFFFDb' },
    ]);
  });
});

describe('a server that cannot be used', () => {
  const opening = (url: string) => openDatabase({ url, log }).catch((error: unknown) => error);

  test('of an older version is refused', async () => {
    const url = await oldServer();
    expect(await opening(url)).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/is PostgreSQL 14\.9; 15 or newer is needed/),
    });
  });

  test.each<{ name: string; change: (url: string) => string; code: string; says: RegExp }>([
    {
      name: 'wrong password',
      change: (url) => url.replace(/:[^:@]+@/, ':wrong@'),
      code: 'CONFIG_INVALID',
      says: /check the user/,
    },
    {
      name: 'no such database',
      change: () => server.url('nowhere'),
      code: 'CONFIG_INVALID',
      says: /CREATE DATABASE/,
    },
    {
      name: 'nobody there',
      change: (url) => url.replace(/:\d+\//, ':1/'),
      code: 'DATABASE_UNAVAILABLE',
      says: /Start the server/,
    },
    {
      name: 'a wrong option',
      change: (url) => `${url}?sslnegotiation=never`,
      code: 'CONFIG_INVALID',
      says: /database_url cannot/,
    },
    {
      name: 'no certificate',
      change: (url) => `${url}?sslrootcert=/nowhere/ca.pem`,
      code: 'CONFIG_INVALID',
      says: /ca\.pem/,
    },
  ])('$name: says what to do, and no password', async ({ change, code, says }) => {
    const url = server.url('postgres');
    const error = (await opening(change(url))) as Error & { code: string };
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(says)]);
    const { password } = new URL(url);
    expect(JSON.stringify([error.message, error, error.stack, error.cause])).not.toContain(password);
  });

  test('of another encoding, without the right to make tables, or read-only', async () => {
    await asOwner(
      'postgres',
      `CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`,
      `CREATE ROLE guest LOGIN PASSWORD 'guest'`,
      `CREATE ROLE reader LOGIN PASSWORD 'reader'`,
      `ALTER ROLE reader SET default_transaction_read_only = on`,
    );
    expect(await opening(server.url('ascii'))).toMatchObject({
      message: expect.stringContaining("ENCODING 'UTF8'"),
    });
    const url = await server.createDatabase();
    const as = (user: string) => url.replace(/\/\/[^@]+@/, `//${user}:${user}@`);
    expect(await opening(as('guest'))).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('GRANT CREATE'),
    });
    await asOwner(nameOf(url), `GRANT CREATE ON SCHEMA public TO reader`);
    expect(await opening(as('reader'))).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('primary'),
    });
  });
});

/** As much of a server as it takes to say how old it is. */
async function oldServer(): Promise<string> {
  const message = (type: string, ...parts: Array<Buffer | string>) => {
    const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, body]);
  };
  const int = (value: number, bytes: 2 | 4) => {
    const buffer = Buffer.alloc(bytes);
    if (bytes === 2) buffer.writeInt16BE(value);
    else buffer.writeInt32BE(value);
    return buffer;
  };
  const columns = ['number', 'version', 'encoding', 'fsync'];
  const described = columns.map((name, i) =>
    Buffer.concat([
      Buffer.from(`${name}\0`),
      int(0, 4),
      int(0, 2),
      int(i === 0 ? 23 : 25, 4),
      int(-1, 2),
      int(-1, 4),
      int(0, 2),
    ]),
  );
  const row = ['140009', '14.9', 'UTF8', 'on'].map((text) =>
    Buffer.concat([int(text.length, 4), Buffer.from(text)]),
  );
  const idle = message('Z', 'I');
  const sockets = new Set<Socket>();
  const old = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', int(0, 4)), idle]));
      socket.on('data', (chunk) => {
        if (chunk[0] !== 'Q'.charCodeAt(0)) return;
        socket.write(
          Buffer.concat([
            message('T', int(columns.length, 2), ...described),
            message('D', int(row.length, 2), ...row),
            message('C', 'SELECT 1\0'),
            idle,
          ]),
        );
      });
    });
  });
  await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    old.close();
  });
  return `postgres://u:p@127.0.0.1:${(old.address() as { port: number }).port}/d`;
}
