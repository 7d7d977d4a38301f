import type pg from 'pg';
import { ProxyError } from '../../contract/errors.ts';
import { isUpToDate } from '../migrate.ts';
import { createClientFor, createPool, displayUrl, type Limits } from './connection.ts';
import type { PostgresDatabase } from './database.ts';
import { findPooler, findPoolMode, findServer } from './find-server.ts';
import { routeOf } from './route.ts';
import { openError } from './errors.ts';

/** Connections that cannot write. */
export interface ReadOnlyPostgres extends Pick<PostgresDatabase, 'pool' | 'newClient' | 'place'> {
  close(): Promise<void>;
}

const CONNECTIONS = 2;

export async function openPostgresReadOnly(url: string): Promise<ReadOnlyPostgres> {
  const place = displayUrl(url);
  const pool = createPool(url, { size: CONNECTIONS, isReadOnly: true });
  const newClient = createClientFor(url);
  pool.on('error', () => {}); // the running query is rejected with the same error
  try {
    await findServer(routeOf(url));
    await findPooler(routeOf(url));
    await findPoolMode(routeOf(url));
    await checkVersion(pool, place);
  } catch (error) {
    await pool.end();
    throw openError(place, error);
  }
  return {
    pool,
    place,
    newClient: (limits?: Limits) => newClient({ ...limits, isReadOnly: true }),
    close: () => pool.end(),
  };
}

async function checkVersion(pool: pg.Pool, place: string): Promise<void> {
  const { rows: found } = await pool.query<{ exists: boolean }>(
    `SELECT to_regclass('kysely_migration') IS NOT NULL AS exists`,
  );
  if (!found[0]!.exists)
    throw new ProxyError('NOT_FOUND', `The database ${place} has no log of mcpproxy yet`, {
      database: place,
    });
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM kysely_migration');
  if (isUpToDate('postgres', rows)) return;
  throw new ProxyError(
    'CONFIG_INVALID',
    `The database ${place} was written by another version of mcpproxy, and reading does not change it. Start this version of mcpproxy on it to bring it up to date, or read it with the version that wrote it`,
    { database: place },
  );
}
