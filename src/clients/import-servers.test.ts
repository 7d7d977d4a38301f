import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServerConfig } from '../contract/config.ts';
import { CLIENTS, clientNamed, knownFolders, type Surroundings } from './client-programs.ts';
import { findClientFiles, readNamedFile, readNamedText } from './find-files.ts';
import { isOwnEntry } from './own-entry.ts';
import { planImport, type ImportPlace, type PlannedServer } from './plan-import.ts';
import { readCandidates, type Candidate } from './read-candidates.ts';
import { writeSecretFiles } from './secret-files.ts';

let dir: string;
let around: Surroundings;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcpproxy-import-'));
  around = { home: join(dir, 'home'), cwd: join(dir, 'work'), platform: 'linux', env: {} };
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function put(path: string, text: string): string {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const place = (more: Partial<ImportPlace> = {}): ImportPlace => ({
  existing: {},
  reserved: ['tasks'],
  own: { listen: ['127.0.0.1:8080'] },
  secretsFolder: join(dir, 'secrets'),
  env: {},
  inputs: {},
  ...more,
});

async function candidates(text: unknown, client?: string): Promise<Candidate[]> {
  const read = await readCandidates(typeof text === 'string' ? text : JSON.stringify(text), { client });
  if ('problem' in read) throw new Error(read.problem);
  return read.candidates;
}

const brief = (planned: PlannedServer[]) => planned.map(({ name, alias, state }) => [name, alias, state]);

describe('the files of clients', () => {
  test.each([
    ['linux', 'home/.config/Code/User/mcp.json'],
    ['darwin', 'home/Library/Application Support/Code/User/mcp.json'],
    ['win32', 'home/AppData/Roaming/Code/User/mcp.json'],
  ] as const)('are found where %s has them', async (platform, path) => {
    put(path, '{"servers": {"a": {"command": "x"}}}');
    const found = await findClientFiles({ ...around, platform });
    expect(found.map(({ client, scope, servers }) => [client, scope, servers.length])).toEqual([
      ['vscode', 'user', 1],
    ]);
  });

  test('of the user, of the project and of one project in the file of the user', async () => {
    put(
      'home/.claude.json',
      '{"mcpServers": {"u": {"command": "x"}}, "projects": {"/p": {"mcpServers": {"l": {"command": "y"}}}}}',
    );
    put('work/.mcp.json', '{"mcpServers": {"p": {"command": "${workspaceFolder}/z"}}}');
    const found = await findClientFiles(around, 'claude-code');
    expect(
      found.flatMap(({ scope, servers }) => servers.map((each) => [each.name, each.folder ?? scope])),
    ).toEqual([
      ['u', 'user'],
      ['l', '/p'],
      ['p', 'project'],
    ]);
    expect(found[0]!.servers[1]!.config).toEqual({ command: 'y', cwd: '/p' });
    expect(found[1]!.servers[0]!.config).toEqual({ command: join(around.cwd, 'z'), cwd: around.cwd });
  });

  test('one that cannot be read is named with its place, and the others are read', async () => {
    put('home/.cursor/mcp.json', '{"mcpServers": {"a": {"command": "CANARY"},,}}');
    put('home/.codex/config.toml', '[mcp_servers.a]\ncommand = "CANARY\n');
    put('home/.config/goose/config.yaml', 'extensions:\n  a: {cmd: CANARY\n');
    put('home/.codeium/windsurf/mcp_config.json', '{"mcpServers": {"b": {"command": "x"}}}');
    mkdirSync(join(around.home, '.gemini/settings.json'), { recursive: true });
    const found = await findClientFiles(around);
    expect(
      Object.fromEntries(found.map(({ client, problem, servers }) => [client, problem ?? servers.length])),
    ).toEqual({
      cursor: expect.stringMatching(/^line 1, column 44: invalid JSON/),
      codex: expect.stringMatching(/^line 2, column \d+: invalid TOML$/),
      goose: expect.stringMatching(/^line \d, column \d+: invalid YAML$/),
      windsurf: 1,
      gemini: expect.stringMatching(/is not a file|cannot be read/),
    });
    expect(JSON.stringify(found)).not.toContain('CANARY');
  });

  test('settings of an editor without servers are passed over; a named file without servers is an error', async () => {
    const file = put('home/.config/zed/settings.json', '{"theme": "dark"}');
    expect(await findClientFiles(around)).toEqual([]);
    expect(await readNamedText('theme: dark')).toMatchObject({
      problem: expect.stringMatching(/no MCP servers/),
    });
    expect(await readNamedFile(join(dir, 'none'), around)).toMatchObject({ problem: 'no such file' });
    expect(await readNamedFile(file, around)).toMatchObject({ client: 'zed', servers: [] });
  });

  test('every client has places on every system, and is known by its title', () => {
    for (const client of CLIENTS) {
      for (const platform of ['linux', 'darwin', 'win32'] as const)
        expect(client.user(knownFolders({ ...around, platform })).length).toBeGreaterThan(0);
      expect(clientNamed(client.title)).toBe(client);
    }
  });

  test.each([
    ['a fragment', '"a": {"command": "x"},'],
    ['a map of entries', '{"a": {"command": "x"}}'],
    ['one entry', '{"name": "a", "command": "x"}'],
    ['a list', '[{"name": "a", "command": "x"}]'],
    ['TOML', '[mcp_servers.a]\ncommand = "x"\n'],
    ['YAML', 'mcpServers:\n  - name: a\n    command: x\n'],
    ['JSON with comments', '// mine\n{"mcpServers": {"a": {"command": "x",},}}'],
  ])('%s is recognised', async (_, text) => {
    expect((await candidates(text)).map(({ name, config }) => [name, config])).toEqual([
      ['a', { command: 'x' }],
    ]);
  });

  test('a small text that would become very large is refused', async () => {
    const lines = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`);
    const read = await readCandidates(['a0: &a0 [x]', ...lines, 'mcpServers: {}'].join('\n'), {
      syntax: 'yaml',
    });
    expect(read).toEqual({ problem: expect.stringMatching(/anchors/) });
  });
});

describe('the plan of an import', () => {
  const server = { command: 'x', args: ['--token', 'CANARY'] };

  test('a second run changes nothing, also where secrets were moved or names differ', async () => {
    const found = [
      ...(await candidates({ mcpServers: { gh: server, 'My Notes': { url: 'https://h/mcp' } } }, 'cursor')),
      ...(await candidates(
        { mcpServers: { gh: { command: 'y' }, notes: { url: 'https://h/mcp/' } } },
        'codex',
      )),
    ];
    const first = planImport(found, place());
    expect(brief(first)).toEqual([
      ['gh', 'gh', 'added'],
      ['My Notes', expect.stringMatching(/^My-Notes-/), 'added'],
      ['gh-codex', 'gh-codex', 'added'],
      ['notes', expect.stringMatching(/^My-Notes-/), 'known'],
    ]);
    expect(first[3]!.reason).toBe("the same server as 'My Notes' of cursor");
    writeSecretFiles(first.flatMap(({ files }) => files));
    const existing = Object.fromEntries(
      first.filter(({ state }) => state === 'added').map(({ alias, config }) => [alias, config]),
    );
    const second = planImport(found, place({ existing }));
    expect(second.map(({ state }) => state)).toEqual(['known', 'known', 'known', 'known']);
    expect(second[0]!.reason).toBe('already in the configuration');
    expect(second[3]!.reason).toMatch(/^the same server as 'My-Notes-/);
  });

  test('a server that two clients have is that of the other entry, not of the configuration', async () => {
    const entry = { mcpServers: { gh: { command: 'x', env: { MODE: 'a' } } } };
    const other = { mcpServers: { gh: { command: 'x', env: { MODE: 'b' } } } };
    const found = [
      ...(await candidates(entry, 'claude-code')),
      ...(await candidates(entry, 'cursor')),
      ...(await candidates(other)),
    ];
    expect(planImport(found, place()).map(({ reason }) => reason)).toEqual([
      undefined,
      "the same server as 'gh' of claude-code",
      "'gh' of claude-code has the same target, with other values; it is not changed",
    ]);
  });

  test('another secret for a known target is said, and changes nothing', async () => {
    const found = await candidates({ gh: { ...server, env: { KEY: 'new' } } });
    const existing: Record<string, ServerConfig> = { gh: { ...server, args: ['--token', '${env:T}'] } };
    expect(planImport(found, place({ existing }))).toMatchObject([
      { state: 'known', reason: expect.stringMatching(/same target, with other values; it is not changed/) },
    ]);
  });

  test('a name of the proxy itself is not taken', async () => {
    expect(brief(planImport(await candidates({ tasks: { command: 'x' } }), place()))).toEqual([
      ['tasks-2', 'tasks-2', 'added'],
    ]);
  });

  test('values that an entry asks for come from the person, or from their default', async () => {
    const text = {
      inputs: [
        { id: 'k', description: 'Key', password: true },
        { id: 'r', default: 'eu' },
      ],
      servers: { a: { command: 'x', env: { API_KEY: '${input:k}', REGION: '${input:r}' } } },
    };
    const [missing] = planImport(await candidates(text), place());
    expect(missing).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/asks for a value: k \(Key\)/),
      inputs: [{ id: 'k', secret: true }],
    });
    const [given] = planImport(await candidates(text), place({ inputs: { k: 'CANARY' } }));
    expect(given).toMatchObject({ state: 'added', config: { env: { REGION: 'eu' } } });
    expect(given!.config.env!.API_KEY).toMatch(/^\$\{file:.*a\.env\.API_KEY\.1\}$/);
    expect(given!.files.map(({ value }) => value)).toEqual(['CANARY']);
  });

  test('the folder of an editor that nobody knows is a failure; a variable that is not set is a warning', async () => {
    const found = await candidates({
      a: { command: '${workspaceFolder}/x' },
      b: { command: 'x', env: { T: '${NOT_SET_ANYWHERE}' } },
    });
    expect(planImport(found, place())).toMatchObject([
      { state: 'failed', reason: expect.stringMatching(/project folder of an editor/) },
      { state: 'added', warnings: [expect.stringMatching(/\$\{NOT_SET_ANYWHERE\} is not set/)] },
    ]);
  });
});

test.each<[string, ServerConfig, boolean]>([
  ['any', { url: 'http://localhost:8080/mcp' }, true],
  ['any', { url: 'http://[::1]:8080/mcp/direct' }, true],
  ['any', { command: 'npx', args: ['-y', 'mcp-remote', 'http://127.0.0.1:8080/mcp'] }, true],
  ['any', { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer mcpp_abc' } }, true],
  ['any', { command: '/usr/local/bin/mcpproxy', args: ['stdio'] }, true],
  ['any', { command: 'node', args: ['/src/mcpproxy/dist/main.js', 'stdio'] }, true],
  ['any', { command: 'node', args: ['/src/proxy/dist/main.js', 'stdio'] }, true],
  ['any', { command: 'node', args: ['/x/main.js', 'stdio'], env: { MCPPROXY_TOKEN_FILE: '/t' } }, true],
  ['any', { command: 'node', args: ['/src/other/dist/main.js', 'stdio'], env: { TOKEN: 'x' } }, false],
  ['any', { command: 'node', args: ['/src/proxy/dist/main.js'] }, false],
  ['mcpproxy', { url: 'http://127.0.0.1:9090/mcp' }, true],
  ['any', { url: 'http://[::ffff:127.0.0.1]:8080/mcp' }, true],
  ['any', { url: 'http://localhost.:8080/mcp' }, true],
  ['any', { url: 'http://localhost:8080//mcp' }, true],
  ['any', { url: 'http://localhost:8080/%6dcp' }, true],
  ['any', { url: 'http://[::ffff:10.0.0.1]:8080/mcp' }, false],
  ['any', { url: 'http://localhost:8080/%mcp' }, false],
  ['any', { url: 'http://127.0.0.1:9090/mcp' }, false],
  ['any', { url: 'http://localhost:8080/other' }, false],
  ['any', { command: 'npx', args: ['mcp-proxy', 'http://127.0.0.1:3000/mcp'] }, false],
])('%s %j is mcpproxy itself: %j', (name, config, own) => {
  const here = { listen: ['127.0.0.1:8080'], program: '/src/proxy/dist/main.js' };
  expect(isOwnEntry(name, config, here)).toBe(own);
});

test('files of secrets are for the owner alone, and can be taken back', () => {
  const path = join(dir, 'secrets', 'a');
  const undo = writeSecretFiles([{ path, value: 'x' }]);
  expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
  undo();
  expect(() => statSync(path)).toThrow(/ENOENT/);
});

describe('a file that an entry names', () => {
  test('is read only if it is a regular file: a device or a pipe never stops the proxy', async () => {
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    for (const file of ['/dev/zero', join(dir, 'pipe'), dir]) {
      const [planned] = planImport(
        await candidates({ mcpServers: { a: { command: 'x', env: { A: `\${file:${file}}` } } } }),
        place(),
      );
      expect(planned).toMatchObject({
        state: 'added',
        warnings: [expect.stringContaining('it is not a file')],
      });
    }
  });

  test('is not sent to an address that the entry chooses', async () => {
    const entry = {
      url: 'https://a.example/?x=${file:/etc/hostname}',
      headers: { 'X-A': '${file:/etc/passwd}' },
    };
    const [planned] = planImport(await candidates({ mcpServers: { a: entry } }, 'cursor'), place());
    expect(planned).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('would send the content of /etc/hostname, /etc/passwd to its address'),
    });
    const own = { url: 'https://a.example/mcp', headers: { 'X-A': '{file:~/token}' } };
    const [ready] = planImport(
      await candidates({ mcp: { a: { type: 'remote', ...own } } }, 'opencode'),
      place(),
    );
    expect(ready).toMatchObject({ state: 'added' });
  });
});
