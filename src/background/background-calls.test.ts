import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { eachEngine } from '../../test/fixtures/engines.ts';
import { createLog } from '../lib/log.ts';
import { createBackgroundCalls } from './background-calls.ts';

const OPERATOR = { principal: 'operator', userId: 'local' };
const REQUEST = { operation: 'read' as const, input: { name: 'a:b', args: { n: 1 } } };

eachEngine('calls that run in the background', ({ open }) => {
  async function proxies() {
    const db = await open();
    const clock = { time: 1_000_000, now: () => clock.time };
    const proxy = (owner: string) =>
      createBackgroundCalls({
        db,
        clock,
        owner,
        digest: (text) => createHmac('sha256', 'key').update(text).digest('hex'),
        log: createLog('silent'),
      });
    return { db, clock, here: proxy('here'), there: proxy('there') };
  }
  const running = { caller: OPERATOR, request: REQUEST, ttlMs: 10_000, status: 'working' as const };

  test('are found by every proxy with their state and, at the end, their outcome', async () => {
    const { here, there } = await proxies();
    const { id } = await here.add(running);
    await here.update(id, { status: 'input_required', serverTask: 't', inputRequests: { a: { x: 1 } } });
    expect(await there.get(id)).toMatchObject({
      request: REQUEST,
      status: 'input_required',
      serverTask: 't',
      inputRequests: { a: { x: 1 } },
      isAbandoned: false,
    });
    expect(await here.update(id, { status: 'completed' }, { result: '{"content":[]}' })).toBe(true);
    expect(await there.get(id)).toMatchObject({
      status: 'completed',
      outcome: { result: '{"content":[]}' },
    });
    expect(await here.update(id, { status: 'working' })).toBe(false);
  });

  test('are taken over by one proxy when theirs no longer renews them, or by force', async () => {
    const { clock, here, there } = await proxies();
    const { id } = await here.add(running);
    expect(await there.claim(id)).toBe(false);
    clock.time += 59_000;
    expect(await here.renew([id])).toEqual([]);
    clock.time += 59_000;
    expect(await there.abandoned()).toEqual([]);
    clock.time += 2_000;
    expect((await there.abandoned()).map((call) => call.id)).toEqual([id]);
    expect(await there.claim(id)).toBe(true);
    expect(await here.renew([id])).toEqual([id]);
    expect(await here.update(id, { status: 'completed' })).toBe(false);
    expect(await here.claim(id, true)).toBe(true);
    await here.release([id]);
    expect(await there.claim(id)).toBe(true);
  });

  test('are listed by their own caller only, page by page', async () => {
    const { here } = await proxies();
    const token = { id: 'T', name: 'a', scope: { operations: [] } };
    const ids = await Promise.all([1, 2, 3].map(async () => (await here.add(running)).id));
    await here.add({ ...running, caller: { principal: 'token:a', userId: 'local', tokenId: 'T' } });
    const first = await here.list(OPERATOR, { limit: 2 });
    const rest = await here.list(OPERATOR, { after: first.at(-1)!.id, limit: 2 });
    expect([...first, ...rest].map(({ id }) => id)).toEqual(ids.toSorted());
    expect(await here.list({ principal: 'token:a', userId: 'local', token }, { limit: 9 })).toHaveLength(1);
    expect(await here.list({ principal: 'token:a', userId: 'local' }, { limit: 9 })).toEqual([]);
  });

  test('do not count once a row was made or changed outside of the proxy', async () => {
    const { db, clock, here } = await proxies();
    const { id } = await here.add({ ...running, serverTask: 't' });
    await here.add(running);
    for (const change of [
      { outcome: '{"result":"{}"}' },
      { principal: 'token:x' },
      { server_task: 'other' },
      { request: 'null' },
    ]) {
      const before = await db.kysely
        .selectFrom('background_calls')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      await db.kysely.updateTable('background_calls').set(change).where('id', '=', id).execute();
      expect(await here.get(id)).toBeUndefined();
      expect(await here.update(id, { status: 'completed' })).toBe(false);
      clock.time += 61_000;
      expect(await here.abandoned()).toHaveLength(1);
      await db.kysely.updateTable('background_calls').set(before).where('id', '=', id).execute();
      expect(await here.get(id)).toBeDefined();
    }
  });

  test('of one caller are kept up to a number', async () => {
    const { clock, here } = await proxies();
    const first = await here.add(running);
    for (let count = 0; count < 201; count++) {
      clock.time++;
      const { id } = count === 0 ? first : await here.add(running);
      await here.update(id, { status: 'completed' }, { result: '{}' });
    }
    expect(await here.get(first.id)).toBeUndefined();
    expect(await here.list(OPERATOR, { limit: 300 })).toHaveLength(200);
  });

  test('are removed when they have been kept for their time, but never while they run', async () => {
    const { clock, here } = await proxies();
    const [ended, open1] = [await here.add(running), await here.add(running)];
    await here.update(ended.id, { status: 'failed' }, { error: { code: -1, message: 'm' } });
    await here.sweep();
    expect(await here.get(ended.id)).toBeDefined();
    clock.time += 10_001;
    await here.sweep();
    expect(await here.get(ended.id)).toBeUndefined();
    expect(await here.get(open1.id)).toBeDefined();
  });
});
