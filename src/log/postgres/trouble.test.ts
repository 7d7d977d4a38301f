import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { draft, openLogOn, untilWritable, type TestLog } from '../../../test/fixtures/activity-log.ts';
import { newPostgres } from '../../../test/fixtures/engines.ts';
import { startRelay, type Relay } from '../../../test/fixtures/relay.ts';
import { openDatabase } from '../../db/database.ts';
import { createLog } from '../../lib/log.ts';

let relay: Relay;
let log: TestLog;
let removeDatabase: () => Promise<void>;

beforeEach(async () => {
  const { url, remove } = await newPostgres();
  removeDatabase = remove;
  relay = await startRelay(Number(new URL(url).port));
  const through = new URL(url);
  through.port = String(relay.port);
  log = await openLogOn(await openDatabase({ url: through.href, log: createLog('silent') }));
});
afterEach(async () => {
  relay.repair();
  await log.remove();
  await log.db.close();
  await relay.close();
  await removeDatabase();
});

const byName = ([a]: string[], [b]: string[]) => a!.localeCompare(b!);
const unavailable = { code: 'AUDIT_UNAVAILABLE' };
const isOk = { log: 'ok', waiting: 0, lost: 0 };

describe('a log whose server cannot be reached', () => {
  test.each(['requests', 'answers'] as const)(
    'nothing that failed (its %s are lost) is said to be recorded, what ended meanwhile is recorded later, once, and the chain is whole',
    async (what) => {
      await log.activity.open(draft({ request_id: 'earlier' })).close({ status: 'success' });
      const running = log.activity.open(draft({ request_id: 'running' }));
      await running.durable();
      const unsure = log.activity.open(draft({ request_id: 'unsure', tool_name: 'new_tool' }));
      await log.activity.open(draft({ request_id: 'made', tool_name: 'new_tool' })).durable();

      relay.cut(what);
      const second = log.activity.open(draft({ request_id: 'second' }));
      await expect(second.durable()).rejects.toMatchObject(unavailable);
      await expect(running.close({ status: 'success' })).rejects.toMatchObject(unavailable);
      const refused = log.activity.open(draft({ request_id: 'refused' }));
      await expect(refused.durable()).rejects.toMatchObject(unavailable);
      await expect(
        refused.close({ status: 'refused', error_code: 'AUDIT_UNAVAILABLE' }),
      ).rejects.toMatchObject(unavailable);
      await expect(second.close({ status: 'error' })).rejects.toMatchObject(unavailable);
      await expect(unsure.close({ status: 'error' })).rejects.toMatchObject(unavailable);
      expect(log.activity.state()).toMatchObject({ log: 'unavailable', waiting: 4 });
      await expect(log.activity.list({}, { limit: 1 })).rejects.toMatchObject({
        code: 'DATABASE_UNAVAILABLE',
      });
      expect(await log.activity.verify()).toMatchObject({ verdict: 'unknown' });

      relay.repair();
      await expect.poll(() => log.activity.state()).toEqual(isOk);
      await log.activity.open(draft({ request_id: 'later' })).close({ status: 'success' });
      const { records, total } = await log.activity.list({}, { limit: 100 });
      expect(records.map((record) => [record.request_id, record.status]).sort(byName)).toEqual([
        ['earlier', 'success'],
        ['later', 'success'],
        ['made', 'pending'],
        ['refused', 'refused'],
        ['running', 'success'],
        ['second', 'error'],
        ['unsure', 'error'],
      ]);
      expect([total, (await log.activity.stats()).records]).toEqual([7, 7]);
      expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 7 });
      await log.restart();
      expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 7 });
    },
    300_000,
  );

  test('cut at random moments under load: all that was acknowledged is there, none twice, the chain is whole', async () => {
    const acknowledged: string[] = [];
    const started = performance.now();
    // On a machine that does much else, until there is something to look at.
    const underWay = () => performance.now() - started < (acknowledged.length > 20 ? 3000 : 30_000);
    const caller = async (name: number) => {
      for (let i = 0; underWay(); i++) {
        const record = log.activity.open(draft({ request_id: `${name}-${i}` }));
        try {
          if (i % 2) await record.durable();
          await record.close({ status: 'success' });
          acknowledged.push(record.id);
        } catch {
          await record.close({ status: 'error' }).catch(() => {});
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    };
    const cutter = async () => {
      while (underWay()) {
        await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 300));
        relay.cut(Math.random() < 0.5 ? 'requests' : 'answers');
        await new Promise((resolve) => setTimeout(resolve, 20));
        relay.repair();
      }
    };
    await Promise.all([...Array.from({ length: 8 }, (_, name) => caller(name)), cutter()]);
    await expect.poll(() => log.activity.state()).toEqual(isOk);
    const seen = new Map<string, string>();
    for await (const record of log.activity.export({})) {
      expect(seen.has(record.id)).toBe(false);
      seen.set(record.id, record.status);
    }
    expect(acknowledged.length).toBeGreaterThan(20);
    expect(acknowledged.filter((id) => seen.get(id) !== 'success')).toEqual([]);
    expect([...seen.values()].filter((status) => status === 'pending')).toEqual([]);
    expect((await log.activity.stats()).records).toBe(seen.size);
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: seen.size });
  });

  test.each(['requests', 'answers'] as const)(
    'a read whose connection is cut is sent again: %s',
    async (what) => {
      const { id } = log.activity.open(draft());
      expect(await log.activity.get(id)).toBeDefined();
      for (const read of [() => log.activity.get(id), () => log.activity.list({}, { limit: 1 })]) {
        relay.cutOnce(what);
        expect(await read()).toBeDefined();
      }
      relay.cutOnce(what);
      const { value } = await log.activity.export({})[Symbol.asyncIterator]().next();
      expect(value).toMatchObject({ id });
    },
  );

  test('a record that the server does not take spoils nothing else for long', async () => {
    await log.sql(`ALTER TABLE activity ADD CONSTRAINT picky CHECK (request_id <> 'poison')`);
    const poison = log.activity.open(draft({ request_id: 'poison' }));
    await expect(poison.close({ status: 'success' })).rejects.toMatchObject(unavailable);
    await untilWritable(log);
    const poisonWaitsAlone = { log: 'ok', waiting: 1 };
    await expect.poll(() => log.activity.state()).toMatchObject(poisonWaitsAlone);
    await log.activity.open(draft()).close({ status: 'success' });
    await expect.poll(() => log.activity.state()).toMatchObject(poisonWaitsAlone);
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact' });
    await log.sql('ALTER TABLE activity DROP CONSTRAINT picky');
    await expect.poll(() => log.activity.state()).toEqual(isOk);
    expect(await log.activity.get(poison.id)).toMatchObject({ status: 'success' });
  });
});
