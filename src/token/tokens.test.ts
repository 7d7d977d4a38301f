import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachEngine } from '../../test/fixtures/engines.ts';
import type { Caller } from '../contract/call.ts';
import { NewToken } from '../contract/token.ts';
import type { Database } from '../db/database.ts';
import { createLog } from '../lib/log.ts';
import { newSecret } from './secret.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { testSeal } from '../../test/fixtures/row-seal.ts';

const log = createLog('silent');
const DAY_MS = 86_400_000;
const NEVER_MS = 3_600_000;

describe('a wish that is refused', () => {
  test.each([
    { name: '' },
    { name: 'a b' },
    { name: 'a:b' },
    { name: '-a' },
    { name: 'x'.repeat(65) },
    { name: '01JG2Z7K4MQX3V8R5T9W2Y6B1C' },
    { name: 'a', operations: [] },
    { name: 'a', operations: ['delete'] },
    { name: 'a', servers: [] },
    { name: 'a', servers: ['a:b'] },
    { name: 'a', tools: ['nocolon'] },
    { name: 'a', tools: ['a:\u001b[2J'] },
    { name: 'a', expires: '30' },
    { name: 'a', expires: '0s' },
    { name: 'a', expires: '99999d' },
    { name: 'a', user: '../x' },
    { name: 'a', admin: true },
  ])('%j', (wanted) => {
    expect(NewToken.safeParse(wanted).success).toBe(false);
  });
});

eachEngine('tokens', (engine) => {
  const database = engine.shared('tokens');
  const open: Tokens[] = [];
  const clock = { now: () => now };
  let db: Database;
  let tokens: Tokens;
  let now: number;

  beforeEach(async () => {
    now = Date.parse('2026-11-15T12:00:00Z');
    db = database();
    await db.kysely.deleteFrom('token_state').where('key', '!=', 'revision').execute();
    tokens = await another();
  });

  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  /** A proxy on the same database. It is asked to look by hand, so that nothing here depends on time. */
  async function another(): Promise<Tokens> {
    const made = await createTokens({ db, seal: testSeal(), log, clock, pollMs: NEVER_MS });
    open.push(made);
    return made;
  }

  const make = (wanted: Partial<NewToken> & { name: string }) =>
    tokens.create(NewToken.parse(wanted), 'operator');

  describe('made and found', () => {
    test('a new token is good at once, and says whose it is and what it may do', async () => {
      const { token, ...view } = await make({
        name: 'cursor',
        operations: ['write', 'read', 'read'],
        servers: ['github', 'github'],
        tools: ['github:list_*'],
        user: 'ann',
      });
      expect(view).toEqual({
        id: expect.stringMatching(/^[0-9A-Z]{26}$/) as string,
        name: 'cursor',
        user: 'ann',
        status: 'active',
        operations: ['read', 'write'],
        servers: ['github'],
        tools: ['github:list_*'],
        created_at: '2026-11-15T12:00:00.000Z',
        created_by: 'operator',
        expires_at: '2027-02-13T12:00:00.000Z',
        revoked_at: null,
        last_used_at: null,
      });
      const scope = { operations: ['read', 'write'], servers: ['github'], tools: ['github:list_*'] };
      expect(tokens.find(token)).toEqual({
        state: 'active',
        identity: {
          principal: 'token:cursor',
          userId: 'ann',
          token: { id: view.id, name: 'cursor', scope },
        },
      });
    });

    test('without restrictions it may do everything, as the local user', async () => {
      const view = await make({ name: 'all' });
      expect(view).toMatchObject({ operations: ['read', 'write', 'destructive'], user: 'local' });
      expect(view).not.toHaveProperty('servers');
      expect((await make({ name: 'ever', expires: 'never' })).expires_at).toBeNull();
    });

    test('what was worked out of a scope is found again: it is one object for as long as the token lives', async () => {
      const { token } = await make({ name: 'a' });
      const first = tokens.find(token);
      await make({ name: 'b' });
      const second = tokens.find(token);
      expect(first.state === 'active' && second.state === 'active' && first.identity).toBe(
        second.state === 'active' && second.identity,
      );
    });

    test.each([
      ['damaged', 'mcpp_short'],
      ['damaged', `${newSecret()} `],
      ['damaged', newSecret().toUpperCase()],
      ['unknown', newSecret()],
    ])('%s: %s', (state, secret) => {
      expect(tokens.find(secret)).toEqual({ state });
    });

    test('a scope that was changed in the database allows nothing', async () => {
      const { token, id } = await make({ name: 'a' });
      await db.kysely
        .updateTable('tokens')
        .set({ scope: '{"operations":"all"}' })
        .where('id', '=', id)
        .execute();
      const found = (await another()).find(token);
      expect(found).toEqual({ state: 'invalid', id, name: 'a' });
    });
  });

  describe('refused', () => {
    test('two of one name, until the first is revoked', async () => {
      const first = await make({ name: 'cursor' });
      await expect(make({ name: 'cursor' })).rejects.toMatchObject({ code: 'CONFLICT' });
      await tokens.revoke('cursor', 'operator');
      const second = await make({ name: 'cursor' });
      expect(second.id).not.toBe(first.id);
      expect(tokens.find(first.token)).toMatchObject({ state: 'revoked' });
      expect(tokens.find(second.token)).toMatchObject({ state: 'active' });
    });

    test('of many that are made at once with one name, one is made', async () => {
      const proxies = [tokens, await another()];
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => proxies[i % 2]!.create(NewToken.parse({ name: 'same' }), 'x')),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await tokens.list()).toHaveLength(1);
    });

    test('one for metrics that should do more', async () => {
      for (const more of [{ servers: ['github'] }, { tools: ['a:b'] }, { assistant: true }])
        await expect(make({ name: 'a', metrics: true, ...more })).rejects.toThrow(
          /gives access to \/metrics only/,
        );
      const { metrics, operations } = await make({ name: 'a', metrics: true });
      expect([metrics, operations]).toEqual([true, ['read']]);
    });

    test('a tool of a server that is not listed', async () => {
      await expect(make({ name: 'a', servers: ['github'], tools: ['files:x'] })).rejects.toThrow(
        /servers does not list 'files'/,
      );
      await make({ name: 'b', servers: ['git*'], tools: ['github:x', '*:y'] });
    });
  });

  describe('replaced', () => {
    test('the token that has the name ends in the same step, and both are told', async () => {
      const ended: unknown[] = [];
      tokens.onEnded((each) => ended.push(each));
      const first = await make({ name: 'cursor', operations: ['read'] });
      const second = await make({ name: 'cursor', replace: true });
      expect(second).toMatchObject({ replaced: first.id, operations: ['read', 'write', 'destructive'] });
      expect(tokens.find(first.token)).toMatchObject({ state: 'revoked', id: first.id });
      expect(tokens.find(second.token)).toMatchObject({ state: 'active' });
      expect(ended).toEqual([{ id: first.id, name: 'cursor', why: 'revoked' }]);
      expect(await make({ name: 'new', replace: true })).not.toHaveProperty('replaced');
    });

    test('of many at once, the last one made is the only one that is good', async () => {
      const proxies = [tokens, await another()];
      const wanted = NewToken.parse({ name: 'same', replace: true });
      const made = await Promise.all(
        Array.from({ length: 10 }, (_, i) => proxies[i % 2]!.create(wanted, 'operator')),
      );
      await tokens.poll();
      expect(made.filter(({ token }) => tokens.find(token).state === 'active')).toHaveLength(1);
    });

    test('a wish that is refused ends nothing', async () => {
      const { token } = await make({ name: 'cursor' });
      await expect(make({ name: 'cursor', replace: true, metrics: true, servers: ['a'] })).rejects.toThrow();
      expect(tokens.find(token).state).toBe('active');
    });
  });

  describe('ended', () => {
    test('revoked by name or id; again changes nothing; what is not there says what is', async () => {
      const { token, id } = await make({ name: 'cursor' });
      await make({ name: 'other' });
      expect(await tokens.revoke('cursor', 'operator')).toMatchObject({
        id,
        status: 'revoked',
        revoked_at: '2026-11-15T12:00:00.000Z',
      });
      now += 1000;
      expect(await tokens.revoke(id, 'operator')).toMatchObject({ revoked_at: '2026-11-15T12:00:00.000Z' });
      expect(tokens.find(token)).toEqual({
        state: 'revoked',
        id,
        name: 'cursor',
        at: '2026-11-15T12:00:00.000Z',
      });
      await expect(tokens.revoke('nobody', 'operator')).rejects.toThrow(
        "There is no token 'nobody'. Existing tokens: other",
      );
      await expect(tokens.revoke(token, 'operator')).rejects.toThrow(/^(?!.*mcpp_).*name or id$/);
    });

    test('expired at its moment, and told once', async () => {
      const ended: unknown[] = [];
      tokens.onEnded((each) => ended.push(each));
      const { token, id } = await make({ name: 'short', expires: '1d' });
      now += DAY_MS - 1;
      expect(tokens.find(token).state).toBe('active');
      now += 1;
      expect(tokens.find(token)).toMatchObject({ state: 'expired', at: '2026-11-16T12:00:00.000Z' });
      await tokens.poll();
      await tokens.poll();
      expect(ended).toEqual([{ id, name: 'short', why: 'expired' }]);
      expect(tokens.counts()).toEqual({ active: 0, expired: 1, revoked: 0, invalid: 0 });
    });

    test('a revocation reaches another proxy, which tells it once; a use does not count as a change', async () => {
      const elsewhere = await another();
      const ended: unknown[] = [];
      elsewhere.onEnded((each) => ended.push(each));
      const { token, id } = await make({ name: 'cursor' });
      await elsewhere.poll();
      expect(elsewhere.find(token).state).toBe('active');
      await tokens.revoke('cursor', 'operator');
      await elsewhere.poll();
      await elsewhere.poll();
      expect(elsewhere.find(token).state).toBe('revoked');
      expect(ended).toEqual([{ id, name: 'cursor', why: 'revoked' }]);
    });

    test('a token that vanished from the database is revoked', async () => {
      const { token } = await make({ name: 'a' });
      const ended: unknown[] = [];
      tokens.onEnded((each) => ended.push(each));
      await db.kysely.deleteFrom('tokens').execute();
      await make({ name: 'b' });
      expect(tokens.find(token).state).toBe('unknown');
      expect(ended).toMatchObject([{ name: 'a', why: 'revoked' }]);
    });

    test('while the database cannot be read the last known tokens hold', async () => {
      const { token } = await make({ name: 'a' });
      await db.kysely.schema.alterTable('token_state').renameTo('gone').execute();
      await tokens.poll();
      expect(tokens.find(token).state).toBe('active');
      await db.kysely.schema.alterTable('gone').renameTo('token_state').execute();
      await tokens.revoke('a', 'operator');
      expect(tokens.find(token).state).toBe('revoked');
    });
  });

  describe('last use', () => {
    test('is seen at once here, written later, and never goes back', async () => {
      const { token, id } = await make({ name: 'a' });
      const elsewhere = await another();
      tokens.find(token);
      now += 5000;
      elsewhere.find(token);
      const at = async (from: Tokens) => (await from.list())[0]!.last_used_at;
      expect(await at(tokens)).toBe('2026-11-15T12:00:00.000Z');
      await elsewhere.close();
      await tokens.close();
      expect(await at(await another())).toBe('2026-11-15T12:00:05.000Z');
      const row = await db.kysely.selectFrom('tokens').select('id').executeTakeFirst();
      expect(row).toEqual({ id });
    });

    test('a call over MCP with the operator’s key is remembered over a restart; one with a token is not', async () => {
      const caller = (principal: string) => ({ principal }) as Caller;
      tokens.recordCall(caller('token:a'));
      tokens.recordCall(caller('anonymous'));
      expect(await tokens.lastOperatorCall()).toBeNull();
      tokens.recordCall(caller('operator'));
      expect(await tokens.lastOperatorCall()).toBe(now);
      await tokens.close();
      expect(await (await another()).lastOperatorCall()).toBe(now);
    });
  });

  test('newest first; the number of tokens is bounded, and so is what is kept of revoked ones', async () => {
    const row = (i: number, revoked: string | null) => ({
      id: `01${String(i).padStart(24, '0')}`,
      name: `t${i}`,
      digest: String(i).padStart(64, '0'),
      scope: '{"operations":["read"]}',
      user_id: 'local',
      created_at: '2026-01-01T00:00:00.000Z',
      created_by: 'operator',
      expires_at: null,
      revoked_at: revoked,
      revoked_by: null,
      last_used_at: null,
      seal: null,
    });
    const insert = (rows: Array<ReturnType<typeof row>>) =>
      db.kysely
        .insertInto('tokens')
        .values(rows.map((each) => testSeal().seal('tokens', each)))
        .execute();
    for (let from = 0; from < 1000; from += 100)
      await insert(Array.from({ length: 100 }, (_, i) => row(from + i, null)));
    await expect(make({ name: 'more' })).rejects.toThrow('There are 1000 tokens already');
    for (let from = 1000; from < 2000; from += 100)
      await insert(Array.from({ length: 100 }, (_, i) => row(from + i, '2026-01-02T00:00:00.000Z')));
    await tokens.revoke('t0', 'operator');
    const all = await tokens.list();
    expect(all.filter(({ status }) => status === 'revoked')).toHaveLength(1000);
    expect(all.find(({ name }) => name === 't0')?.status).toBe('revoked');
    expect((await make({ name: 'more' })).name).toBe('more');
    expect((await tokens.list())[0]!.name).toBe('more');
  });

  test('only the hash is stored', async () => {
    const place = await engine.place();
    const own = await engine.open(place);
    const alone = await createTokens({ db: own, seal: testSeal(), log, pollMs: NEVER_MS });
    const { token } = await alone.create(NewToken.parse({ name: 'canary' }), 'operator');
    alone.find(token);
    await alone.close();
    const rows = JSON.stringify(await own.kysely.selectFrom('tokens').selectAll().execute());
    expect(rows).toContain('canary');
    expect(rows).not.toContain(token.slice(5, 25));
    if (!('file' in place)) return;
    const dir = dirname(place.file);
    const bytes = readdirSync(dir).map((file) => readFileSync(join(dir, file)));
    expect(bytes.some((content) => content.includes('canary'))).toBe(true);
    expect(bytes.some((content) => content.includes(token.slice(5, 25)))).toBe(false);
  });

  test('several proxies: a revocation on one ends the token on all, without being asked', async () => {
    const place = await engine.place();
    const proxies: Tokens[] = [];
    for (let i = 0; i < 3; i++)
      proxies.push(await createTokens({ db: await engine.open(place), seal: testSeal(), log }));
    open.push(...proxies);
    const [first, ...others] = proxies as [Tokens, ...Tokens[]];
    const { token } = await first.create(NewToken.parse({ name: 'a' }), 'operator');
    const states = () => others.map((proxy) => proxy.find(token).state);
    await expect.poll(states).toEqual(['active', 'active']);
    await first.revoke('a', 'operator');
    await expect.poll(states).toEqual(['revoked', 'revoked']);
    for (const proxy of open.splice(0)) await proxy.close();
  });
});
