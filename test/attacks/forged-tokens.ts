import { digestOf, newSecret } from '../../src/token/secret.ts';
import { literal } from './database-writer.ts';
import { recorded, statusOf, type Ground } from './forged-ground.ts';

const NOTICED = `UPDATE token_state SET value = value + 1 WHERE key = 'revision'`;

export async function forgedTokens(ground: Ground): Promise<void> {
  const { proxy, db, held } = ground;
  const make = (name: string) =>
    proxy.rest.request('createToken', { body: { name, operations: ['read'], expires: '1h' } });
  const honest = await make('honest');
  held((await statusOf(ground, honest.token)) === 200, 'an honest token does not work');

  const [row] = await db.rows(`SELECT * FROM tokens WHERE name = 'honest'`);
  for (const seal of [null, row!.seal!, '1.1.AAAA']) {
    const secret = newSecret();
    const id = `01FORGED${String(seal).length}${Math.trunc(Math.random() * 1e9)}`;
    const forged = { ...row, id, name: id, digest: digestOf(secret), seal };
    await db.run(
      `INSERT INTO tokens (${Object.keys(forged).join()}) VALUES (${Object.values(forged)
        .map((each) => literal(each))
        .join()})`,
    );
    await db.run(NOTICED);
    await recorded(ground, id);
    held((await statusOf(ground, secret)) === 401, `an inserted token is accepted (seal ${String(seal)})`);
  }
  const widened = {
    scope: `'{"operations":["read","write","destructive"]}'`,
    expires_at: 'NULL',
    user_id: `'root'`,
  };
  for (const [column, value] of Object.entries(widened)) {
    const { id, token } = await make(`changed-${column.replace('_', '-')}`);
    held((await statusOf(ground, token)) === 200, 'a new token does not work');
    await db.run(`UPDATE tokens SET ${column} = ${value} WHERE id = '${id}'`);
    await db.run(NOTICED);
    await recorded(ground, id);
    held((await statusOf(ground, token)) === 401, `a token with another ${column} is accepted`);
  }
  const [a, b] = [await make('swapped-a'), await make('swapped-b')];
  await db.run(`UPDATE tokens SET digest = 'x' WHERE id = '${a.id}'`);
  await db.run(`UPDATE tokens SET digest = '${digestOf(a.token)}' WHERE id = '${b.id}'`);
  await db.run(`UPDATE tokens SET digest = '${digestOf(b.token)}' WHERE id = '${a.id}'`);
  await db.run(NOTICED);
  await recorded(ground, b.id);
  for (const { token } of [a, b])
    held((await statusOf(ground, token)) === 401, 'two tokens with swapped rows are accepted');
  const { tokens } = await proxy.rest.request('listTokens', { all: 'true' });
  held(
    tokens.find(({ id }) => id === a.id)?.status === 'invalid',
    'a changed token is not listed as invalid',
  );
}

export async function revokedToken(ground: Ground): Promise<void> {
  const { db, held } = ground;
  const { id, token } = await ground.proxy.rest.request('createToken', { body: { name: 'ended' } });
  const [row] = await db.rows(`SELECT * FROM tokens WHERE id = '${id}'`);
  await ground.proxy.rest.request('revokeToken', { id });
  await db.putBack('tokens', row!);
  await db.run(NOTICED);
  await recorded(ground, id, 'older');
  held((await statusOf(ground, token)) === 401, 'a revoked token is back');
  ground.afterRestart(
    () => {},
    async () => held((await statusOf(ground, token)) === 401, 'a revoked token is back after a restart'),
  );
}
