import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BackupReport, RestoreReport } from '../../src/doors/cli/runtime.ts';
import { eachEngine } from '../fixtures/engines.ts';
import { runCli, spawnCli, finished } from './run-cli.ts';
import { startProxy, type RunningProxy } from './start-proxy.ts';

let dir: string;
const started: RunningProxy[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcpproxy-backup-test-'));
});
afterEach(async () => {
  for (const proxy of started.splice(0)) await proxy.dispose();
  rmSync(dir, { recursive: true, force: true });
});

async function start(env: NodeJS.ProcessEnv, home?: string, waitReady = true): Promise<RunningProxy> {
  const proxy = await startProxy({ env, waitReady, ...(home && { home }) });
  started.push(proxy);
  return proxy;
}

const addTask = (proxy: RunningProxy, description: string) =>
  proxy.rest.request('callTool', {
    body: {
      tool_variant: 'call_tool_write',
      name: 'tasks:add_task',
      args: { description },
      intent: { operation_type: 'write' },
    },
  });
const records = async (proxy: RunningProxy) =>
  (await proxy.rest.request('listActivity', { type: 'tool_call', limit: 100 })).records.map(({ id }) => id);

/** Calls one after the other until stopped. */
function load(proxy: RunningProxy) {
  const acknowledged: string[] = [];
  const ended = new AbortController();
  const running = (async () => {
    for (let n = 1; !ended.signal.aborted; n++) {
      await addTask(proxy, `task ${n}`);
      acknowledged.push(`task ${n}`);
    }
  })();
  return {
    acknowledged,
    stop: async () => {
      ended.abort();
      await running;
    },
  };
}

const tasksOf = async (proxy: RunningProxy) =>
  JSON.stringify(
    await proxy.rest.request('callTool', {
      body: {
        tool_variant: 'call_tool_read',
        name: 'tasks:list_tasks',
        args: {},
        intent: { operation_type: 'read' },
      },
    }),
  );

eachEngine('back-up and restore', ({ engine, place }) => {
  const envOf = async (): Promise<NodeJS.ProcessEnv> => {
    if (engine === 'sqlite') return {};
    const where = await place();
    return 'url' in where ? { MCPPROXY_DATABASE_URL: where.url } : {};
  };
  const db = async (args: readonly string[], home: string, env: NodeJS.ProcessEnv) => {
    const { code, stdout, stderr } = await runCli(['db', ...args, '-o', 'json'], { home, env });
    return { code, stderr, report: (code === 0 ? JSON.parse(stdout) : {}) as BackupReport & RestoreReport };
  };

  test('back-up under load, restore elsewhere, verify, go on', async () => {
    const env = await envOf();
    const source = await start(env);
    const calls = load(source);
    await expect.poll(() => calls.acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(10);
    const before = calls.acknowledged.length;
    const file = join(dir, 'one.backup');
    const made = await db(['backup', file, ...source.place], source.home, env);
    await calls.stop();
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('Verifying the back-up')]);
    expect(made.report).toMatchObject({ verdict: 'intact', engine, with_keys: false, warnings: [] });
    expect(made.report.records).toBeGreaterThanOrEqual(before);
    expect(calls.acknowledged.length).toBeGreaterThan(before);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['one.backup']);
    expect(readFileSync(file).includes(readFileSync(join(source.dataDir, 'activity-key.pem')))).toBe(false);
    expect(readFileSync(file).includes(source.key)).toBe(false);

    const home = mkdtempSync(join(tmpdir(), 'mcpproxy-e2e-'));
    writeFileSync(join(home, 'mcp_config.json'), '{}', { mode: 0o600 });
    const there = ['--config', join(home, 'mcp_config.json'), '--data-dir', join(home, '.mcpproxy')];
    const elsewhere = await envOf();
    const restored = await db(['restore', file, ...there], home, elsewhere);
    expect(restored.code).toBe(0);
    expect(restored.report).toMatchObject({
      verdict: 'intact',
      replaced: null,
      behind: [],
      records: made.report.records,
      entries: made.report.entries,
    });

    const other = await start(elsewhere, home);
    const verified = await other.rest.request('verifyActivity', {});
    expect(verified).toMatchObject({ verdict: 'intact' });
    expect(verified.logs.map(({ log }) => log)).toEqual(
      expect.arrayContaining(made.report.logs.map(({ log }) => log)),
    );
    const tasks = await tasksOf(other);
    for (const task of calls.acknowledged.slice(0, before)) expect(tasks).toContain(`"${task}"`);
    await addTask(other, 'after the restore');
    const again = await other.rest.request('verifyActivity', {});
    expect(again).toMatchObject({ verdict: 'intact' });
    expect(again.records).toBeGreaterThan(verified.records);
  });

  test('restore refuses while a proxy uses the data, keeps what it replaces, and does not hide what is missing', async () => {
    const env = await envOf();
    const proxy = await start(env);
    await addTask(proxy, 'one');
    const file = join(dir, 'two.backup');
    const made = await db(['backup', file, ...proxy.place, '--with-keys'], proxy.home, env);
    expect([made.code, made.report.files]).toEqual([
      0,
      expect.arrayContaining(['activity-key.pem', 'activity-key.pub', 'api_key']),
    ]);
    const again = await db(['backup', file, ...proxy.place], proxy.home, env);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('--force')]);
    await addTask(proxy, 'two');
    const busy = await db(['restore', file, ...proxy.place], proxy.home, env);
    expect([busy.code, busy.stderr]).toEqual([6, expect.stringContaining(`process ${proxy.pid}`)]);

    if (engine === 'postgres') {
      const other = ['--config', proxy.configFile, '--data-dir', join(dir, 'other')];
      const shared = await db(['restore', file, ...other], proxy.home, env);
      expect([shared.code, shared.stderr]).toEqual([
        6,
        expect.stringContaining('uses the database postgres://'),
      ]);
    }
    const all = await records(proxy);
    await proxy.stop();
    const { report, code } = await db(['restore', file, ...proxy.place], proxy.home, env);
    expect(code).toBe(0);
    expect(report.replaced).toMatch(/replaced[-_]\d{8}t\d{6}z$/i);
    expect(report.behind).toEqual([
      { log: made.report.logs[0]!.log, entries: expect.any(Number), checkpoint: expect.any(Number) },
    ]);
    const verified = await runCli(['activity', 'verify', ...proxy.place, '-o', 'json'], {
      home: proxy.home,
      env,
    });
    expect(JSON.parse(verified.stdout)).not.toMatchObject({ verdict: 'intact' });

    const next = await start(env, proxy.home, false);
    expect((await fetch(`${next.url}/readyz`)).status).toBe(503);
    const accepted = await runCli(['activity', 'accept-restore', ...proxy.place], { home: proxy.home, env });
    expect(accepted.code).toBe(0);
    expect(await next.rest.request('verifyActivity', {})).toMatchObject({ verdict: 'intact' });
    const left = await records(next);
    expect(all).toEqual(expect.arrayContaining(left));
    expect(left).toHaveLength(all.length - 1);
  });

  test('a back-up that was changed or cut is not restored', async () => {
    const env = await envOf();
    const proxy = await start(env);
    await addTask(proxy, 'one');
    const file = join(dir, 'three.backup');
    expect((await db(['backup', file, ...proxy.place], proxy.home, env)).code).toBe(0);
    await proxy.stop();
    const content = readFileSync(file);
    const restore = () => db(['restore', file, ...proxy.place], proxy.home, env);

    writeFileSync(file, content.subarray(0, content.length / 2));
    expect(await restore()).toMatchObject({ code: 1, stderr: expect.stringContaining('BACKUP_UNUSABLE') });
    const changed = Buffer.from(content.toString('latin1').replaceAll('"one"', '"two"'), 'latin1');
    expect(changed.equals(content)).toBe(false);
    writeFileSync(file, changed);
    expect(await restore()).toMatchObject({ code: 1, stderr: expect.stringContaining('LOG_BROKEN') });
    writeFileSync(file, content);
    expect((await restore()).code).toBe(0);
  });
});

test('Ctrl-C leaves no file under the final name', async () => {
  const proxy = await start({});
  await addTask(proxy, 'one');
  const file = join(dir, 'stopped.backup');
  const child = spawnCli(['db', 'backup', file, ...proxy.place], { home: proxy.home });
  child.stdin.end();
  child.stderr.once('data', () => child.kill('SIGINT'));
  const { code } = await finished(child);
  // It may have been complete already; half a file never has that name.
  if (code === 0) expect(readdirSync(dir)).toEqual(['stopped.backup']);
  else expect([code, readdirSync(dir)]).toEqual([130, []]);
});
