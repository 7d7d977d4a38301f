import { afterEach, expect, test } from 'vitest';
import { eachEngine } from '../../test/fixtures/engines.ts';
import { testSeal } from '../../test/fixtures/row-seal.ts';
import { NewToken } from '../contract/token.ts';
import type { BrokenRow } from '../db/index.ts';
import { createLog } from '../lib/log.ts';
import { digestOf, newSecret } from './secret.ts';
import { createTokens, type Tokens } from './tokens.ts';

const NEVER_MS = 2 ** 30;

/** Somebody who only writes the database can neither insert a token nor change one. */
eachEngine('tokens are signed rows, checked when they are used,', (engine) => {
  const database = engine.shared('tokens');
  const open: Tokens[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  async function start() {
    const broken: BrokenRow[] = [];
    const tokens = await createTokens({
      db: database(),
      seal: testSeal((row) => broken.push(row)),
      log: createLog('silent'),
      pollMs: NEVER_MS,
    });
    open.push(tokens);
    const make = (name: string) => tokens.create(NewToken.parse({ name, operations: ['read'] }), 'operator');
    /** Reads the rows again, as after any change of a token. */
    const noticed = async () => void (await make(`seen-${newSecret().slice(10, 20)}`));
    const { kysely } = database();
    const row = (id: string) =>
      kysely.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    return { tokens, broken, make, noticed, kysely, row };
  }

  test('an inserted one is refused and reported, whatever seal it has', async () => {
    const { tokens, broken, make, noticed, kysely, row } = await start();
    const honest = await make('honest');
    const secrets = [newSecret(), newSecret()];
    for (const [i, seal] of [null, (await row(honest.id)).seal].entries())
      await kysely
        .insertInto('tokens')
        .values({
          ...(await row(honest.id)),
          id: `0${i}`,
          name: `n${i}`,
          digest: digestOf(secrets[i]!),
          seal,
        })
        .execute();
    await noticed();
    expect(secrets.map((secret) => tokens.find(secret).state)).toEqual(['invalid', 'invalid']);
    expect(tokens.find(honest.token).state).toBe('active');
    expect(broken).toEqual([
      { table: 'tokens', row: '00', trouble: 'missing' },
      { table: 'tokens', row: '01', trouble: 'wrong' },
    ]);
    expect(tokens.counts()).toMatchObject({ invalid: 2 });
    await tokens.revoke('n0', 'operator');
    expect(tokens.find(secrets[0]!).state).toBe('revoked');
  });

  test.each([
    ['scope', '{"operations":["read","write","destructive"]}'],
    ['expires_at', null],
    ['user_id', 'root'],
  ])('one with another %s is refused, its sessions end, and it can be replaced', async (column, value) => {
    const { tokens, broken, make, noticed, kysely } = await start();
    const { id, token } = await make('agent');
    const ended: unknown[] = [];
    tokens.onEnded((each) => ended.push(each));
    await kysely
      .updateTable('tokens')
      .set({ [column]: value })
      .where('id', '=', id)
      .execute();
    await noticed();
    expect(tokens.find(token)).toEqual({ state: 'invalid', id, name: 'agent' });
    expect(ended).toEqual([{ id, name: 'agent', why: 'invalid' }]);
    expect(broken).toEqual([{ table: 'tokens', row: id, trouble: 'wrong' }]);
    const { token: next } = await tokens.create(NewToken.parse({ name: 'agent', replace: true }), 'operator');
    expect([tokens.find(token).state, tokens.find(next).state]).toEqual(['revoked', 'active']);
  });

  test('a revoked one stays refused when its row is put back', async () => {
    const { tokens, broken, make, noticed, kysely, row } = await start();
    const { id, token } = await make('agent');
    const before = await row(id);
    await tokens.revoke('agent', 'operator');
    await kysely.updateTable('tokens').set(before).where('id', '=', id).execute();
    await noticed();
    expect(tokens.find(token).state).toBe('invalid');
    expect(broken).toEqual([{ table: 'tokens', row: id, trouble: 'older' }]);
  });
});
