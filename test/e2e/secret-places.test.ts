import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServerConfig } from '../../src/contract/config.ts';
import { around, CANARY, filesWith, safeEntries } from '../fixtures/client-entries.ts';
import { fixture, fixturePath } from '../fixtures/start.ts';
import { runHere } from './cli-here.ts';
import { readEventsOf } from './event-reader.ts';
import { runCli } from './run-cli.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';

// Client files that were copied into the configuration as they are: every secret stands there in plain text, and nothing shows one.

let proxy: RunningProxy;
const home = mkdtempSync(join(tmpdir(), 'mcpproxy-secrets-e2e-'));
const secretFile = join(home, 'token');
const envFile = join(home, 'server.env');
const telling = (config: ServerConfig): ServerConfig => ({
  command: 'node',
  args: [fixturePath('telling.mjs')],
  ...config,
});

/** Places that no client file has. */
const PLACES: Record<string, ServerConfig> = {
  'from a file': telling({ env: { TOKEN: `\${file:${secretFile}}` } }),
  'from an env file': telling({ env_file: envFile }),
  'from a variable': telling({ env: { VALUE: 'x-${env:SOURCE_OF_TEST}' } }),
  'in a URL': {
    url: `http://me:${CANARY}-url-1-0123456789@127.0.0.1:9/mcp?token=${CANARY}-url-2#${CANARY}-url-3`,
  },
  'in a header': { url: 'http://127.0.0.1:9/mcp', headers: { 'X-Any': `${CANARY}-header-0123456789` } },
  'of a running server': { ...fixture('annotated.mjs'), env: { PLAIN_NAME: `${CANARY}-running-0123456789` } },
};

beforeAll(async () => {
  writeFileSync(secretFile, `${CANARY}-from-file\n`, { mode: 0o600 });
  writeFileSync(envFile, `FROM_FILE=${CANARY}-from-env-file\n`, { mode: 0o600 });
  const entries = (await safeEntries()).map(({ name, ...entry }, index) => [`${index} ${name}`, entry]);
  const mcpServers = { ...Object.fromEntries(entries), ...PLACES };
  writeFileSync(join(home, 'mcp_config.json'), JSON.stringify({ mcpServers }, null, 2), { mode: 0o600 });
  proxy = await startProxy({ home, env: { SOURCE_OF_TEST: `${CANARY}-from-variable` } });
});
afterAll(() => proxy?.dispose());

test('a secret in every place of the configuration is in no answer, event, log, record, export or error', async () => {
  const said: string[] = [];
  const keep = (...answers: unknown[]) => void said.push(JSON.stringify(answers));
  const { rest, place } = proxy;
  const events = await readEventsOf(proxy);

  const servers = await poll('every server to be tried', proxy.stderr, async () => {
    const { servers: all } = await rest.request('listServers', {});
    const started = all.filter(({ enabled, transport }) => enabled && transport !== 'builtin');
    return started.every(({ state, last_error: error }) => state === 'ready' || error !== undefined)
      ? all
      : undefined;
  });
  expect(servers.length).toBeGreaterThan(120);
  expect(servers.filter(({ enabled, last_error: error }) => enabled && error).length).toBeGreaterThan(10);
  for (const { name, transport, enabled } of servers) {
    if (transport === 'builtin') continue;
    keep(await rest.request('serverSettings', { name }), await rest.request('getServer', { name }));
    if (enabled) keep(await rest.request('serverLogs', { name }));
  }
  const tried = servers.filter(({ title, enabled }) => enabled && title in PLACES);
  expect(tried).toHaveLength(Object.keys(PLACES).length);
  for (const { name } of tried) {
    keep(await rest.request('testServer', { body: { name } }));
    keep(await rest.request('updateServer', { name, body: { description: 'edited' } }));
    for (const args of [
      ['upstream', 'show', name],
      ['upstream', 'show', name, '-o', 'json'],
      ['upstream', 'test', name],
      ['upstream', 'edit', name, '--set', 'concurrency=7'],
      ['upstream', 'edit', name, '--set', 'timeout=never'],
    ])
      keep(await runHere([...args, ...place]));
  }
  keep(await runCli(['doctor', ...place], { home }));
  for (const args of [
    ['upstream', 'list'],
    ['config', 'show'],
    ['config', 'show', '-o', 'json'],
    ['config', 'validate'],
    ['status'],
    ['activity', 'list', '--limit', '100', '-o', 'json'],
    ['import', join(home, 'mcp_config.json'), '--dry-run'],
  ])
    keep(await runHere([...args, ...place]));
  keep(await rest.request('getConfig', {}), await rest.request('status', {}));
  const { records } = await rest.request('listActivity', { limit: 100 });
  for (const { id } of records) keep(await rest.request('getActivity', { id }));
  for (const format of ['json', 'csv'] as const)
    said.push(await (await rest.open('exportActivity', { format })).text());
  said.push(await (await fetch(`${proxy.url}/metrics`, { headers: { 'X-API-Key': proxy.key } })).text());
  await events.stop();
  expect(events.told.length).toBeGreaterThan(10);
  keep(events.told);
  said.push(readFileSync(`/proc/${proxy.pid}/cmdline`, 'utf8'), proxy.stderr());
  for (const piece of said) expect(around(piece)).toBe('');
  const own = ['mcp_config.json', 'token', 'server.env'].map((name) => join(home, name));
  expect(filesWith(home).filter((file) => !own.includes(file))).toEqual([]);
});
