import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import { fixture } from '../fixtures/start.ts';
import { runHere } from './cli-here.ts';
import { runCli, type CliResult } from './run-cli.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

// The configuration file of a running proxy: odd names, typos, and what an edit leaves in the log.

const up = fixture('annotated.mjs');
const servers = { up, 'Ant Design': { ...up, autoApprove: ['write'] } };

let proxy: RunningProxy;
beforeAll(async () => {
  proxy = await startHere({ config: { mcpServers: servers } });
});
afterAll(() => proxy.dispose());

const place = () => proxy.place;
const built = (...args: string[]): Promise<CliResult> => runCli([...args, ...place()], { home: proxy.home });
const cli = (...args: string[]): Promise<CliResult> => runHere([...args, ...place()]);
const text = () => readFileSync(proxy.configFile, 'utf8');
const config = () => JSON.parse(text()) as { mcpServers: Record<string, Record<string, unknown>> };
const write = (next: string) => writeFileSync(proxy.configFile, next);
const changes = async (): Promise<ActivityRecord[]> =>
  (await proxy.rest.request('listActivity', { type: 'config' })).records;
const until = <T>(what: string, attempt: () => Promise<T | undefined>) => poll(what, proxy.stderr, attempt);

describe('a server with an odd name', () => {
  test('is listed with its alias and its title, and is changed and removed by either', async () => {
    const { stdout } = await built('upstream', 'list');
    expect(stdout).toMatch(/^NAME +TITLE +STATE/);
    const alias = /^(Ant-Design-[0-9a-f]{4}) +Ant Design +ready/m.exec(stdout)?.[1];
    expect(alias).toBeDefined();

    expect((await cli('upstream', 'disable', alias!)).code).toBe(0);
    expect(config().mcpServers['Ant Design']).toEqual({ ...up, autoApprove: ['write'], enabled: false });
    expect((await cli('upstream', 'enable', 'Ant Design')).stdout).toMatch(/Title +Ant Design/);
    const shown = await cli('upstream', 'show', 'Ant Design');
    expect(shown.stdout).toMatch(/Warnings +"autoApprove" has no effect/);
    const { stdout: called, stderr } = await cli(
      'call',
      'tool-read',
      `${alias}:read_only`,
      '--args',
      '{"text": "hi"}',
    );
    expect([called, stderr]).toEqual(['{"text":"hi"}\n', '']);

    expect((await cli('upstream', 'remove', alias!)).code).toBe(0);
    expect(Object.keys(config().mcpServers)).toEqual(['up']);
  });

  test('can be added under it, once', async () => {
    const add = ['upstream', 'add', '天气', '--env', 'A=1'];
    const command = ['--', up.command!, ...up.args!];
    const run = () => runHere([...add, ...place(), ...command]);
    expect((await run()).stdout).toMatch(/Server +server-[0-9a-f]{4}\nTitle +天气\n/);
    expect(config().mcpServers['天气']).toBeDefined();
    expect((await run()).code).not.toBe(0);
    expect((await cli('upstream', 'remove', '天气')).code).toBe(0);
  });
});

describe('a typo in the file', () => {
  test('does not lock the command line out of the running daemon', async () => {
    const good = text();
    write(good.replace('"mcpServers"', '"mcpServers'));
    try {
      for (const args of [
        ['status'],
        ['upstream', 'list'],
        ['activity', 'list', '-o', 'json'],
        ['approvals', 'list'],
      ]) {
        const { code, stdout, stderr } = await (args[0] === 'status' ? built : cli)(...args);
        expect([args, code]).toEqual([args, 0]);
        expect(stdout).not.toBe('');
        expect(stderr).toMatch(/^warning: the configuration file is invalid; the running mcpproxy at http/);
        expect(stderr).toContain('mcp_config.json:2:');
        if (args.includes('json')) JSON.parse(stdout);
      }
      const added = await cli('upstream', 'remove', 'up');
      expect([added.code, text()]).toEqual([4, good.replace('"mcpServers"', '"mcpServers')]);
    } finally {
      write(good);
    }
  });

  test('in one entry fails that server alone', async () => {
    const good = text();
    const before = await changes();
    write(JSON.stringify({ mcpServers: { ...config().mcpServers, broken: { comand: 'x' } } }, null, 2));
    const broken = await until('the entry to be listed', async () =>
      (await proxy.rest.request('listServers', {})).servers.find(({ name }) => name === 'broken'),
    );
    expect(broken).toMatchObject({
      state: 'failed',
      last_error: expect.stringMatching(/line 10: comand: unknown key; did you mean "command"\?/),
    });
    const { servers: all } = await proxy.rest.request('listServers', {});
    expect(all.find(({ name }) => name === 'up')?.state).toBe('ready');
    await expect(proxy.rest.request('restartServer', { name: 'broken' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    write(good);
    await until('the entry to go', async () => {
      const { servers: now } = await proxy.rest.request('listServers', {});
      return now.some(({ name }) => name === 'broken') ? undefined : true;
    });
    await until('both edits to be recorded', async () =>
      (await changes()).length > before.length + 1 ? true : undefined,
    );
  });
});

describe('an edit of the file', () => {
  test('that takes effect is one record, with what changed and without its secrets', async () => {
    const before = await changes();
    const { mcpServers } = config();
    const secret = { env: { TOKEN: 'CANARY-1' }, args: [...up.args!, '--password', 'CANARY-2'] };
    write(
      JSON.stringify({
        quarantine: 'changed',
        approvals: { require: ['destructive'] },
        mcpServers: { ...mcpServers, up: { ...up, ...secret } },
      }),
    );
    const record = await until('a record', async () => {
      const now = await changes();
      return now.length > before.length ? now[0] : undefined;
    });
    expect(record).toMatchObject({
      type: 'config',
      source: 'system',
      status: 'success',
      metadata: { action: 'file', principal: 'config file' },
      arguments: {
        file: proxy.configFile,
        source: 'file',
        weakening: 2,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        previous_digest: (before[0]!.arguments as { digest: string }).digest,
        changes: [
          { path: '/approvals/require', before: [], after: ['destructive'], effect: 'tightening' },
          {
            path: '/mcpServers/up/args',
            change: 'changed',
            before: up.args,
            after: [...up.args!, '--password', '***'],
            effect: 'weakening',
          },
          { path: '/mcpServers/up/env/TOKEN', change: 'added', effect: 'weakening' },
          { path: '/quarantine', change: 'changed', before: 'risky', after: 'changed', effect: 'tightening' },
        ],
      },
    });
    expect(JSON.stringify(await changes())).not.toContain('CANARY');

    write(`// a comment alone changes nothing\n${text().replace('CANARY-1', 'CANARY-3')}`);
    const rotated = await until('a second record', async () => {
      const now = await changes();
      return now.length > before.length + 1 ? now[0] : undefined;
    });
    expect(rotated.arguments).toMatchObject({
      changes: [{ path: '/mcpServers/up/env/TOKEN', change: 'changed' }],
    });
    expect(rotated.server_name).toBe('up');
  });

  test('and one through the proxy are each one record of the configuration, with diff, digest and source', async () => {
    const before = await changes();
    await proxy.rest.request('updateConfig', { body: { call_timeout: '7s' } });
    expect((await cli('upstream', 'disable', 'up')).code).toBe(0);
    // An edit by hand comes after them in the log, so that whatever the others would leave there is in it by then.
    write(text().replace('"7s"', '"8s"'));
    const records = await until('the edit by hand', async () => {
      const now = await changes();
      return now[0]!.metadata.action === 'file' ? now : undefined;
    });
    const added = records.slice(0, records.length - before.length);
    expect(added).toMatchObject([
      {
        source: 'system',
        metadata: { action: 'file', principal: 'config file' },
        arguments: { source: 'file', changes: [{ path: '/call_timeout', before: '7s', after: '8s' }] },
      },
      {
        source: 'cli',
        server_name: 'up',
        metadata: { action: 'edit', principal: 'operator' },
        arguments: { source: 'cli', changes: [{ path: '/mcpServers/up/enabled', after: false }] },
      },
      {
        source: 'api',
        metadata: { action: 'edit', principal: 'operator' },
        arguments: {
          source: 'rest',
          changes: [{ path: '/call_timeout', before: '60s', after: '7s', effect: 'tightening' }],
        },
      },
    ]);
    const chain = added.map((record) => record.arguments as { digest: string; previous_digest: string });
    expect(chain[0]!.previous_digest).toBe(chain[1]!.digest);
    expect(chain[1]!.previous_digest).toBe(chain[2]!.digest);
    const { records: acts } = await proxy.rest.request('listActivity', { type: 'config_change', limit: 2 });
    expect(acts.map(({ metadata, request_id }) => [metadata.action, request_id])).toEqual([
      ['disable_server', added[1]!.request_id],
      ['settings', added[2]!.request_id],
    ]);
  });

  test('made while the proxy was stopped is in the record of the next start, and a start without one is recorded with the same digest', async () => {
    const { home } = proxy;
    const before = await changes();
    await proxy.stop();
    write(text().replace('"8s"', '"9s"'));
    proxy = await startHere({ home });
    const record = await until('the record of the start', async () => {
      const now = await changes();
      return now.length > before.length ? now[0] : undefined;
    });
    expect(record).toMatchObject({
      metadata: { action: 'start' },
      arguments: {
        source: 'start',
        weakening: 1,
        changes: [{ path: '/call_timeout', before: '8s', after: '9s', effect: 'weakening' }],
      },
    });
    await proxy.stop();
    proxy = await startHere({ home });
    const again = await until('the record of the second start', async () => {
      const now = await changes();
      return now.length > before.length + 1 ? now[0] : undefined;
    });
    const { digest, previous_digest } = again.arguments as { digest: string; previous_digest: string };
    expect(again).toMatchObject({ metadata: { action: 'start' }, arguments: { changes: [] } });
    // The port of this start is part of the configuration.
    expect([digest.length, previous_digest]).toEqual([64, (record.arguments as { digest: string }).digest]);
  });
});
