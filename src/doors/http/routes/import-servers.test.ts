import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { errorOf, restClient } from '../../../../test/fixtures/rest-client.ts';
import { fakeParts } from '../../../../test/fixtures/rest-parts.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { RouteInput } from '../../../contract/routes/api.ts';

let fake: ReturnType<typeof fakeParts>;
let door: ReturnType<typeof restClient>;
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'mcpproxy-import-rest-'));
  fake = fakeParts();
  fake.parts.info.dataDir = dataDir;
  door = restClient(fake.parts);
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

type Body = RouteInput<'importServers'>['body'];
const send = async (body: Body) => (await door.client.request('importServers', { body })).servers;

const TEXT = JSON.stringify({
  mcpServers: {
    'My Notes': { command: 'notes', env: { NOTES_KEY: 'CANARY-1' } },
    github: { command: 'gh-mcp', env: { TOKEN: 'sekrit' } },
    remote: { httpUrl: 'https://h/mcp', headers: { Authorization: 'Bearer CANARY-2' }, gallery: true },
    broken: { args: ['CANARY-3'] },
    proxy: { url: 'http://127.0.0.1:8080/mcp' },
  },
});

test('each entry is added, known or failed; secrets are moved to files and never recorded', async () => {
  const servers = await send({ text: TEXT });
  expect(servers).toMatchObject([
    {
      entry: 0,
      name: 'My Notes',
      alias: expect.stringMatching(/^My-Notes-/),
      state: 'added',
      target: 'notes',
    },
    { name: 'github', alias: 'github', state: 'known', reason: 'already in the configuration' },
    { name: 'remote', state: 'added', transport: 'http', warnings: ['ignored keys: "gallery"'] },
    { name: 'broken', state: 'failed', reason: 'line 1: needs either "command" or "url"' },
    { name: 'proxy', state: 'known', reason: expect.stringMatching(/mcpproxy itself/) },
  ]);
  const folder = join(dataDir, 'secrets');
  expect(fake.edits).toEqual([
    ['My Notes', { command: 'notes', env: { NOTES_KEY: expect.stringMatching(/^\$\{file:/) } }],
    [
      'remote',
      {
        url: 'https://h/mcp',
        type: 'http',
        headers: { Authorization: expect.stringMatching(/^Bearer \$\{file:/) },
      },
    ],
  ]);
  expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
    'CANARY-1\n',
    'CANARY-2\n',
  ]);
  expect(fake.recorded).toMatchObject([
    {
      draft: { type: 'config_change', metadata: { action: 'import_servers' } },
      outcome: { status: 'success' },
    },
  ]);
  expect(JSON.stringify([servers, fake.recorded, fake.edits])).not.toContain('CANARY');
});

test('a dry run changes nothing', async () => {
  const servers = await send({ text: TEXT, dry_run: true });
  expect(servers.map(({ state }) => state)).toEqual(['added', 'known', 'added', 'failed', 'known']);
  expect([fake.edits, fake.recorded, existsSync(join(dataDir, 'secrets'))]).toEqual([[], [], false]);
});

test('single entries, with corrections of a person', async () => {
  const servers = await send({
    text: TEXT,
    servers: [
      { entry: 3, name: 'fixed', config: { command: 'run', args: null } },
      { entry: 1, name: 'github', config: { command: 'other' }, client: 'cursor' },
      { entry: 0, config: { timeout: 'soon' } },
      { entry: 2, name: 'bad\u200bname' },
    ],
  });
  expect(servers).toMatchObject([
    { entry: 3, name: 'fixed', state: 'added' },
    { entry: 1, name: 'github-cursor', alias: 'github-cursor', state: 'added' },
    { entry: 0, state: 'failed', reason: expect.stringMatching(/^timeout: /) },
    { entry: 2, state: 'failed', reason: expect.stringMatching(/must not contain control or invisible/) },
  ]);
  expect(fake.edits.map(([name, config]) => [name, config?.command])).toEqual([
    ['fixed', 'run'],
    ['github-cursor', 'other'],
  ]);
});

test('values that entries ask for', async () => {
  const text = '{"servers": {"a": {"command": "x", "env": {"K": "${input:k}"}}}}';
  expect(await send({ text })).toMatchObject([{ state: 'failed', inputs: [{ id: 'k', secret: true }] }]);
  expect(await send({ text, inputs: { k: '${env:K}' } })).toMatchObject([{ state: 'added' }]);
  expect(fake.edits).toEqual([['a', { command: 'x', env: { K: '${env:K}' } }]]);
});

test('files of secrets do not stay where the configuration cannot be written', async () => {
  fake.parts.config.editServers = () => Promise.reject(new ProxyError('CONFLICT', 'an edit waits'));
  expect(await errorOf(await door.post('/servers/import', { text: TEXT }))).toEqual([409, 'CONFLICT']);
  expect(readdirSync(join(dataDir, 'secrets'))).toEqual([]);
});

test.each([
  [{ text: '{"mcpServers": {"a": {"command": "CANARY" "b": 1}}}' }, /line 1, column \d+: invalid JSON/],
  [{ text: 'CANARY' }, /no MCP servers/],
  [{ text: '{}', servers: [{ entry: 4 }] }, /no MCP servers/],
  [{ text: '{"mcpServers": {}}', servers: [{ entry: 4 }] }, /no entry 4/],
  [{ text: '[mcp_servers', format: 'toml' }, /line 1, column \d+: invalid TOML/],
])('%j is refused with its place', async (body, says) => {
  const response = await door.post('/servers/import', body);
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  expect([response.status, error.code, error.message]).toEqual([
    400,
    'INVALID_REQUEST',
    expect.stringMatching(says),
  ]);
  expect(error.message).not.toContain('CANARY');
});
