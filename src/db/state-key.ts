import { randomBytes } from 'node:crypto';
import { SEAL_KEY_BYTES } from '../lib/state-seal.ts';
import type { AnyDatabase } from './any-database.ts';

/** The key for what clients carry between two requests. Made by the first proxy on a database; every other one finds it. */
export async function readStateKey({ kysely }: Pick<AnyDatabase, 'kysely'>): Promise<Buffer> {
  await kysely
    .insertInto('state_key')
    .values({ id: 1, key: randomBytes(SEAL_KEY_BYTES).toString('base64url') })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { key } = await kysely
    .selectFrom('state_key')
    .select('key')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  return Buffer.from(key, 'base64url');
}
