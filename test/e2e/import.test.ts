import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { around, CANARY, filesWith, safeEntries } from '../fixtures/client-entries.ts';
import { fixturePath } from '../fixtures/start.ts';
import { runCli } from './run-cli.ts';
import { startProxy, type RunningProxy } from './start-proxy.ts';

// One daemon: three files of clients in an empty home, then all fixtures with a secret in every place.

const SERVER = fixturePath('annotated.mjs');

let proxy: RunningProxy;
const home = mkdtempSync(join(tmpdir(), 'mcpproxy-import-e2e-'));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

beforeAll(async () => {
  put(
    '.cursor/mcp.json',
    JSON.stringify({
      mcpServers: {
        'Notes of me': { command: 'node', args: [SERVER, '1'], env: { NOTES_API_KEY: `${CANARY}-notes-1` } },
        proxy: { command: 'mcpproxy', args: ['stdio'] },
        broken: {},
      },
    }),
  );
  put(
    '.codex/config.toml',
    `[mcp_servers.files]\ncommand = "node"\nargs = [${JSON.stringify(SERVER)}, "2"]\n`,
  );
  put(
    '.config/goose/config.yaml',
    `extensions:\n  memory: {type: stdio, cmd: node, args: ["${SERVER}", "3"], enabled: true}\n`,
  );
  writeFileSync(join(home, 'mcp_config.json'), '{\n  // mine\n  "mcpServers": {}\n}\n', { mode: 0o600 });
  proxy = await startProxy({ home });
});
afterAll(() => proxy?.dispose());

const importAll = () => runCli(['import', '--all', '-o', 'json', ...proxy.place], { home });

describe('from three files of clients to all servers behind the proxy', () => {
  test('one command imports them, and every server answers a call', async () => {
    const { code, stdout, stderr } = await importAll();
    expect([code, stderr]).toEqual([0, '']);
    const { servers } = JSON.parse(stdout) as {
      servers: Array<{ name: string; alias: string; state: string }>;
    };
    expect(servers.map(({ name, state }) => `${name}: ${state}`).sort()).toEqual([
      'Notes of me: added',
      'broken: failed',
      'files: added',
      'memory: added',
      'proxy: known',
    ]);
    for (const { alias } of servers.filter(({ state }) => state === 'added')) {
      const body = {
        tool_variant: 'call_tool_read' as const,
        name: `${alias}:read_only`,
        args: { text: 'x' },
        intent: { operation_type: 'read' as const },
      };
      expect((await proxy.rest.request('callTool', { body })).isError).not.toBe(true);
    }
    const text = readFileSync(proxy.configFile, 'utf8');
    expect(text).toContain('// mine');
    expect(stdout + text).not.toContain(CANARY);
  });

  test('a second run changes nothing', async () => {
    const before = readFileSync(proxy.configFile, 'utf8');
    const { code, stdout } = await importAll();
    const { servers } = JSON.parse(stdout) as { servers: Array<{ state: string }> };
    expect([code, servers.some(({ state }) => state === 'added')]).toEqual([0, false]);
    expect(readFileSync(proxy.configFile, 'utf8')).toBe(before);
  });
});

describe('a secret in every place of every fixture', () => {
  test('is in no answer, log, record, export, list of processes or file of the proxy', async () => {
    const said: string[] = [];
    const keep = (...answers: unknown[]) => void said.push(JSON.stringify(answers));
    const entries = (await safeEntries()).map((entry, index) => ({
      ...entry,
      name: `${index} ${entry.name}`,
    }));
    const text = JSON.stringify({ mcpServers: entries });
    expect(text.split(CANARY).length).toBeGreaterThan(30);
    keep(await proxy.rest.request('importServers', { body: { text, dry_run: true } }));
    const done = await proxy.rest.request('importServers', { body: { text } });
    expect(done.servers.filter(({ state }) => state === 'added').length).toBeGreaterThan(80);
    keep(done, await proxy.rest.request('importServers', { body: { text } }));
    for (const bad of [`{"mcpServers": {"a": "${CANARY}" "b"}}`, `mcpServers = "${CANARY}`, `a: [${CANARY}`])
      keep(
        await proxy.rest
          .request('importServers', { body: { text: bad } })
          .catch((error: unknown) => String(error)),
      );

    const started = entries.filter(({ enabled }) => enabled).map(({ name }) => name);
    const servers = async () => (await proxy.rest.request('listServers', {})).servers;
    await expect
      .poll(
        async () =>
          (await servers()).filter(({ title, state }) => started.includes(title) && state === 'failed')
            .length,
        {
          timeout: 120_000,
        },
      )
      .toBe(started.length);
    for (const { name } of (await servers()).filter(({ title }) => started.includes(title)))
      keep(await proxy.rest.request('getServer', { name }), await proxy.rest.request('serverLogs', { name }));
    keep(await servers(), await proxy.rest.request('getConfig', {}), await proxy.rest.request('status', {}));
    for (const format of ['json', 'csv'] as const)
      said.push(await (await proxy.rest.open('exportActivity', { format })).text());
    said.push(await (await fetch(`${proxy.url}/metrics`, { headers: { 'X-API-Key': proxy.key } })).text());
    for (const args of [['config', 'show'], ['upstream', 'list'], ['doctor'], ['config', 'validate']])
      keep(await runCli([...args, ...proxy.place], { home }));
    said.push(readFileSync(`/proc/${proxy.pid}/cmdline`, 'utf8'), proxy.stderr());
    for (const piece of said) expect(around(piece)).toBe('');
    expect(filesWith(home).map((file) => dirname(file))).toEqual(
      expect.arrayContaining([join(proxy.dataDir, 'secrets')]),
    );
    expect(filesWith(home).filter((file) => !file.startsWith(join(proxy.dataDir, 'secrets')))).toEqual([
      join(home, '.cursor/mcp.json'),
    ]);
  });
});
