import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compiled } from '../../../test/fixtures/compiled.ts';
import { createConnections, type Connections } from './connections.ts';
import { readManifest } from './manifest.ts';

// The files belong to other people and their programs, which use them at the same time.

const secret = `mcpp_${'A'.repeat(49)}`;
const token = { id: '01A', name: 'x', secret };
const user = (client: string) => ({ client, scope: 'user', url: 'http://127.0.0.1:8080/mcp' }) as const;

let home: string;
let dataDir: string;
let connections: Connections;
/** Runs once, after the files are read and before they are written. */
let meanwhile: (() => void) | undefined;

beforeEach(() => {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-careful-'));
  home = join(dir, 'home');
  dataDir = join(dir, 'data');
  mkdirSync(home);
  connections = connectionsIn(join(dir, 'work'));
});

function connectionsIn(cwd: string): Connections {
  let time = Date.parse('2026-01-02T03:04:05Z');
  return createConnections({
    dataDir,
    around: { home, cwd, platform: 'linux', env: {} },
    stdio: { command: '/usr/bin/node', args: ['/opt/mcpproxy/main.js', 'stdio'] },
    now: () => {
      const act = meanwhile;
      meanwhile = undefined;
      act?.();
      return (time += 1000);
    },
  });
}
afterEach(() => rmSync(dirname(home), { recursive: true, force: true }));

function put(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const read = (file: string) => readFileSync(file, 'utf8');

test('what a client writes while its file is changed stays, and the next copy has it', async () => {
  const file = put('.qwen/settings.json', '{"theme": "a"}\n');
  // The file has been read when this call returns, and is written later.
  const connecting = connections.apply(user('qwen'), token);
  writeFileSync(file, '{"theme": "b"}\n');
  await connecting;
  expect(JSON.parse(read(file))).toMatchObject({ theme: 'b', mcpServers: { mcpproxy: {} } });
  expect(readdirSync(dirname(file)).filter((name) => name.endsWith('.bak'))).toHaveLength(1);
  const disconnecting = connections.disconnect('qwen', 'user');
  writeFileSync(file, read(file).replace('"b"', '"c"'));
  expect((await disconnecting)!.files).toMatchObject([{ change: 'edited' }]);
  expect(JSON.parse(read(file))).toEqual({ theme: 'c' });
});

test('a failure leaves the copy of an earlier connection, and no other', async () => {
  const file = put('.claude.json', '{"a": 1}\n');
  await connections.apply(user('claude-code'), token);
  const copies = () => readdirSync(home).filter((name) => name.endsWith('.bak'));
  const [copy] = copies();
  // An edit since: the next connection makes a copy of its own.
  writeFileSync(file, read(file).replace('1', '2'));
  const settings = join(home, '.claude/settings.json');
  const before = read(settings);
  meanwhile = () => {
    rmSync(settings);
    mkdirSync(settings);
  };
  const again = { ...user('claude-code'), url: 'http://127.0.0.1:9/mcp' };
  await expect(connections.apply(again, token)).rejects.toThrow(/settings\.json/);
  expect(copies()).toEqual([copy]);
  rmSync(settings, { recursive: true });
  writeFileSync(settings, before);
  await connections.disconnect('claude-code', 'user');
  expect(read(file).trim()).toBe('{"a": 2}');
});

test('commands at the same time lose nothing that one of them wrote', async () => {
  const program = await compiled(`import { updateManifest } from './src/clients/connect/manifest.ts';
    const [dataDir, name] = process.argv.slice(2);
    for (let i = 0; i < 20; i++) updateManifest(dataDir, (all) => [...all, {
      client: name + i, scope: 'user', folder: null, url: 'http://h', token: { id: '', name: '', digest: '' },
      connected_at: '', files: [], secrets: [], taken: [] }]);`);
  const codes = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const child = spawn(process.execPath, [program, dataDir, name], { stdio: 'inherit' });
      return (await once(child, 'exit'))[0] as number;
    }),
  );
  expect(codes).toEqual([0, 0, 0]);
  expect(new Set(readManifest(dataDir).map(({ client }) => client)).size).toBe(60);
  expect(readdirSync(join(dataDir, 'clients'))).toEqual(['connections.json']);
});

// Only root can write the files of somebody else.
test.runIf(process.getuid?.() === 0)('root leaves everything to the user of the client', async () => {
  const [uid, gid] = [12_345, 23_456];
  const file = put('.codex/config.toml', 'model = "x"\n');
  for (const each of [file, dirname(file), home]) chownSync(each, uid, gid);
  await connections.apply(user('codex'), token);
  await connections.apply(user('gemini'), token);
  for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' }))
    expect([name, statSync(join(home, name))]).toMatchObject([name, { uid, gid }]);
});

test.runIf(process.getuid?.() === 0)('a data directory of somebody else is not believed', async () => {
  await connections.apply(user('codex'), token);
  chownSync(dataDir, 12_345, 23_456);
  await expect(connections.status()).rejects.toThrow(/belongs to another user/);
  await expect(connections.disconnect('codex', 'user')).rejects.toThrow(/belongs to another user/);
  await expect(connections.apply(user('codex'), token)).rejects.toThrow(/belongs to another user/);
});

test('the diff of a file on one line has one value per line, and no secret', async () => {
  const servers = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, i) => [`s${i}`, { command: 'x', env: { KEY: `secret ${i}` } }]),
  );
  put('.cursor/mcp.json', JSON.stringify({ mcpServers: servers }));
  const { files } = await connections.plan(user('cursor'));
  const { diff } = files[0]!;
  expect(diff).toContain('+    "mcpproxy": {');
  expect(diff.length).toBeLessThan(2_000);
  expect(diff).not.toMatch(/secret \d/);
});

test('YAML and TOML of many megabytes are refused with the reason, and JSON of many is changed', async () => {
  put('.continue/config.yaml', `name: x\n${'# a comment\n'.repeat(400_000)}`);
  await expect(connections.plan(user('continue'))).rejects.toThrow(
    /config\.yaml cannot be changed: it is larger than 4 MB/,
  );
  const file = put(
    '.qwen/settings.json',
    JSON.stringify({ history: Array.from({ length: 60_000 }, () => 'x'.repeat(80)) }),
  );
  const before = read(file);
  expect((await connections.apply(user('qwen'), token)).problems).toEqual([]);
  await connections.disconnect('qwen', 'user');
  expect(read(file) === before).toBe(true);
});

test('two projects of one name have a token each, and are disconnected from elsewhere', async () => {
  const names: string[] = [];
  const folders = ['a', 'b'].map((parent) => join(dirname(home), parent, 'app'));
  for (const cwd of folders) {
    mkdirSync(cwd, { recursive: true });
    const there = connectionsIn(cwd);
    const wanted = { ...user('claude-code'), scope: 'project' } as const;
    names.push((await there.plan(wanted)).token_name);
    await there.apply(wanted, { ...token, name: names.at(-1)! });
    expect((await there.plan(wanted)).token_name).toBe(names.at(-1));
  }
  expect(names).toEqual(['claude-code.app', expect.stringMatching(/^claude-code\.app-[0-9a-f]{6}$/)]);
  for (const folder of folders) {
    await connections.disconnect('claude-code', 'project', folder);
    expect(readdirSync(folder)).toEqual([]);
  }
});

test.each([
  [
    'cursor',
    '.cursor/mcp.json',
    '{"mcpServers": {"mcpproxy": {"url": "https://a.example/mcp"}, "b": {"command": "x"}}}',
  ],
  [
    'continue',
    '.continue/config.yaml',
    'mcpServers:\n  - name: b\n    command: x\n  - name: mcpproxy\n    url: https://a.example/mcp\n',
  ],
])(
  '%s: a server of another origin under our name is taken, and our entry has its place',
  async (client, path, before) => {
    const file = put(path, before);
    const taken = [{ file, names: ['mcpproxy', 'b'] }];
    await connections.apply({ ...user(client), taken }, token);
    expect(read(file)).toContain('http://127.0.0.1:8080/mcp');
    expect(read(file)).not.toMatch(/a\.example|command/);
    await connections.disconnect(client, 'user');
    expect(read(file)).toBe(before);
  },
);
