import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { hasPostgres, newPostgres } from '../fixtures/engines.ts';
import { openBrowser, openPage } from '../web/browser.ts';
import { runHere } from './cli-here.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';

interface Place {
  config: { database_url?: string };
  /** One value of the database. */
  value(proxy: RunningProxy, sql: string): Promise<number>;
  run(proxy: RunningProxy, sql: string): Promise<void>;
  /** Numbers the entries. */
  key: 'pos' | 'n';
  remove(): Promise<void>;
}

const onSqlite = async (): Promise<Place> => {
  const withFile = <T>({ dataDir }: RunningProxy, use: (sqlite: InstanceType<typeof DatabaseSync>) => T) => {
    const sqlite = new DatabaseSync(join(dataDir, 'mcpproxy.db'));
    try {
      return use(sqlite);
    } finally {
      sqlite.close();
    }
  };
  return {
    config: {},
    key: 'pos',
    value: async (proxy, sql) =>
      withFile(proxy, (sqlite) => Number(Object.values(sqlite.prepare(sql).get() as object)[0])),
    run: async (proxy, sql) => withFile(proxy, (sqlite) => sqlite.exec(sql)),
    remove: async () => {},
  };
};

const onPostgres = async (): Promise<Place> => {
  const { url, remove } = await newPostgres();
  const query = async (sql: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, number>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    config: { database_url: url },
    key: 'n',
    value: async (_proxy, sql) => Number(Object.values((await query(sql))[0]!)[0]),
    run: async (_proxy, sql) => void (await query(sql)),
    remove,
  };
};

const call = ({ rest }: RunningProxy) =>
  rest.request('callTool', {
    body: { tool_variant: 'call_tool_read', name: 'tasks:list_tasks', intent: { operation_type: 'read' } },
  });

describe.each([['sqlite', onSqlite] as const, ...(hasPostgres() ? [['postgres', onPostgres] as const] : [])])(
  'a log that was put back on %s',
  (engine, open) => {
    // The page does not know the engine, so one is enough.
    const banners = engine === 'sqlite' ? bannersAt : expectedBanners;
    test('readyz, status, doctor and the web UI name the missing entries until the restore is accepted, which is recorded', async () => {
      const place = await open();
      let proxy = await startProxy({ config: { ...place.config } });
      try {
        for (let i = 0; i < 2; i++) await call(proxy);
        await proxy.stop();
        const entries = await place.value(proxy, `SELECT max(${place.key}) FROM activity_journal`);
        const records = await place.value(proxy, 'SELECT max(seq) FROM activity');
        proxy = await startProxy({ home: proxy.home });
        for (let i = 0; i < 6; i++) await call(proxy);
        await proxy.stop();
        await place.run(proxy, `DELETE FROM activity_journal WHERE ${place.key} > ${entries}`);
        await place.run(proxy, `DELETE FROM activity WHERE seq > ${records}`);
        proxy = await startProxy({ home: proxy.home, waitReady: false });
        const cli = (...args: string[]) => runHere([...args, ...proxy.place]);

        // It serves, but it is not ready.
        await poll('the tasks', proxy.stderr, async () => {
          const { state } = await proxy.rest.request('getServer', { name: 'tasks' });
          return state === 'ready' || undefined;
        });
        await call(proxy);
        const ready = await fetch(`${proxy.url}/readyz`);
        expect([ready.status, await ready.json()]).toEqual([
          503,
          expect.objectContaining({
            status: 'degraded',
            log: 'rolled_back',
            reason: expect.stringContaining('mcpproxy activity accept-restore') as string,
          }),
        ]);
        const { activity } = await proxy.rest.request('status', {});
        expect(activity.rollback!.missing).toBeGreaterThan(3);
        expect((await cli('status')).stdout).toContain('the database has lost what it had acknowledged');
        const doctor = await cli('doctor');
        expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining('accept-restore')]);
        expect(await cli('activity', 'verify')).toMatchObject({ code: 1 });
        expect(await banners(proxy)).toEqual([expect.stringContaining('has lost what it had acknowledged')]);

        const accepted = await cli('activity', 'accept-restore', '--reason', 'back-up of Monday');
        expect(accepted).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(/restored, \d+ entries missing/) as string,
        });
        const found = await proxy.rest.request('listActivity', { type: 'config_change', limit: 1 });
        expect(found.records[0]).toMatchObject({
          status: 'success',
          principal: 'operator',
          metadata: { action: 'accept_restore' },
          arguments: { missing: activity.rollback!.missing, accepted_because: 'back-up of Monday' },
          response: { says: `restored, ${activity.rollback!.missing} entries missing` },
        });
        expect((await fetch(`${proxy.url}/readyz`)).status).toBe(200);
        // The log goes on to name what was missing.
        const lacks = `${activity.rollback!.missing} entries that were missing when the restore was accepted`;
        expect(await cli('activity', 'verify')).toMatchObject({
          code: 0,
          stdout: expect.stringContaining(`intact, except for ${lacks}`) as string,
        });
        const audited = await cli('activity', 'audit', '--principal', 'operator');
        expect(audited.stdout).toContain(`This list is incomplete: the log lacks ${lacks}`);
        expect(await banners(proxy)).toEqual([]);
        expect(await cli('activity', 'accept-restore')).not.toMatchObject({ code: 0 });
        expect(readdirSync(proxy.dataDir).some((name) => /^checkpoints-.+\.log$/.test(name))).toBe(true);

        await proxy.stop();
        proxy = await startProxy({ home: proxy.home });
        expect((await proxy.rest.request('status', {})).activity.rollback).toBeUndefined();
      } finally {
        await proxy.dispose();
        await place.remove();
      }
    });
  },
);

/** The texts of the alerts on a page of the web UI. */
async function bannersAt(proxy: RunningProxy): Promise<string[]> {
  if (process.env.MCPPROXY_SKIP_BROWSER) return expectedBanners(proxy);
  const browser = await openBrowser();
  try {
    const { page } = await openPage(browser, proxy.url);
    const { url } = await proxy.rest.request('createLoginLink', {});
    await page.goto(url);
    await page.getByRole('navigation').waitFor();
    // Shown with the state of the proxy, as the banner is.
    await page.getByText('Get started').waitFor();
    return await page.getByRole('alert').allInnerTexts();
  } finally {
    await browser.close();
  }
}

/** What the banner is made of. */
async function expectedBanners({ rest }: RunningProxy): Promise<string[]> {
  const { rollback } = (await rest.request('status', {})).activity;
  return rollback ? [rollback.reason] : [];
}
