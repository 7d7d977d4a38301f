import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseToml } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Surroundings } from '../client-programs.ts';
import { createConnections, type Connections } from './connections.ts';
import { RECIPES } from './recipes/recipes.ts';

const FIXTURES = fileURLToPath(new URL('../../../test/fixtures/clients/files/', import.meta.url));

/** Files of real shape, in the places of their clients. */
const FILES: Readonly<Record<string, string>> = {
  '.claude.json': 'claude-code-user.json',
  '.codex/config.toml': 'codex-user.toml',
  '.gemini/settings.json': 'gemini-user.json',
  '.copilot/mcp-config.json': 'copilot-cli.json',
  '.config/opencode/opencode.jsonc': 'opencode-user.jsonc',
  '.qwen/settings.json': 'qwen-user.json',
  '.continue/config.yaml': 'continue-config.yaml',
  '.cursor/mcp.json': 'cursor-user.json',
  '.config/Code/User/mcp.json': 'vscode-user-mcp.jsonc',
  '.config/Code/User/settings.json': 'vscode-settings.json',
  '.config/Claude/claude_desktop_config.json': 'claude-desktop-mac.json',
  '.codeium/windsurf/mcp_config.json': 'windsurf.json',
  '.config/zed/settings.json': 'zed-settings.jsonc',
  '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json': 'cline.json',
  '.config/goose/config.yaml': 'goose-config.yaml',
  '.junie/mcp/mcp.json': 'jetbrains-junie.json',
};

const URL_ = 'http://127.0.0.1:8080/mcp';
const secretOf = (letter: string) => `mcpp_${letter.repeat(49)}`;
const token = (letter: string) => ({ id: `01${letter}`, name: 'x', secret: secretOf(letter) });

let dir: string;
let home: string;
let around: Surroundings;
let connections: Connections;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcpproxy-connect-'));
  home = join(dir, 'home');
  around = { home, cwd: join(dir, 'work'), platform: 'linux', env: {} };
  mkdirSync(around.cwd, { recursive: true });
  let time = Date.parse('2026-01-02T03:04:05Z');
  connections = createConnections({
    dataDir: join(dir, 'data'),
    around,
    stdio: { command: '/usr/bin/node', args: ['/opt/mcpproxy/main.js', 'stdio'] },
    now: () => (time += 1000),
  });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function put(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Every file below a folder with its text and mode. */
function snapshot(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => [name, lstatSync(join(folder, name))] as const)
      .map(([name, stat]) => [
        name,
        stat.isFile()
          ? `${(stat.mode & 0o777).toString(8)} ${readFileSync(join(folder, name), 'utf8')}`
          : 'folder',
      ]),
  );
}

function fillHome(): void {
  for (const [path, fixture] of Object.entries(FILES))
    put(path, readFileSync(join(FIXTURES, fixture), 'utf8'));
}

const user = (client: string) => ({ client, scope: 'user', url: URL_ }) as const;
const ids = RECIPES.map(({ id }) => id);

describe('every client', () => {
  test('is connected, seen, connected again and disconnected; its files come back', async () => {
    fillHome();
    const before = snapshot(home);
    for (const id of ids) {
      const { problems } = await connections.apply(user(id), token('A'));
      expect([id, problems]).toEqual([id, []]);
    }
    const entries = snapshot(home);
    expect(connections.find().filter(({ connected }) => connected)).toHaveLength(ids.length);
    for (const id of ids) await connections.apply(user(id), token('B'));
    const again = snapshot(home);
    // One entry, with the new token in the place of the old one.
    for (const [name, text] of Object.entries(entries))
      expect([name, again[name]]).toEqual([name, text.replaceAll(secretOf('A'), secretOf('B'))]);
    expect((await connections.status()).map(({ problems }) => problems)).toEqual(ids.map(() => []));
    for (const id of ids) await connections.disconnect(id, 'user');
    expect(snapshot(home)).toEqual(before);
    expect(await connections.status()).toEqual([]);
  });

  test('gets its files where there are none, and leaves nothing behind', async () => {
    mkdirSync(home);
    for (const id of ids) expect((await connections.apply(user(id), token('A'))).problems).toEqual([]);
    for (const [name, text] of Object.entries(snapshot(home)))
      if (text !== 'folder') expect([name, text.slice(0, 3)]).toEqual([name, '600']);
    for (const id of [...ids].reverse()) await connections.disconnect(id, 'user');
    expect(snapshot(home)).toEqual({});
    expect(readdirSync(join(dir, 'data', 'clients'))).toEqual(['connections.json']);
  });

  test('loses its own parts only, where somebody has edited the file since', async () => {
    fillHome();
    const before = snapshot(home);
    for (const id of ids) await connections.apply(user(id), token('A'));
    for (const path of Object.keys(FILES)) {
      const file = join(home, path);
      const text = readFileSync(file, 'utf8');
      const edited = /\.(?:toml|yaml)$/.test(path)
        ? `${text}\n# mine\n`
        : text.replace(/\{/, '{\n  // mine\n  "mine": true,');
      writeFileSync(file, edited);
    }
    for (const { problems } of await connections.status()) expect(problems).toEqual([]);
    for (const id of ids) await connections.disconnect(id, 'user');
    const after = snapshot(home);
    for (const path of Object.keys(FILES)) {
      const own = after[path]!.replace('\n# mine\n', '').replace('\n  // mine\n  "mine": true,', '');
      expect([path, own.trimEnd()]).toEqual([path, before[path]!.trimEnd()]);
      expect(after[path]).not.toContain('mcpproxy');
    }
  });

  test('shows the change before it is made, without any token or secret of others', async () => {
    fillHome();
    for (const id of ids) {
      const { files } = await connections.plan(user(id));
      const diff = files.map((file) => file.diff).join('');
      expect(diff).toContain('mcpproxy');
      expect(diff).not.toMatch(/CANARY-[\w-]*\d{6}/);
    }
    expect(existsSync(join(dir, 'data'))).toBe(false);
  });
});

describe('the token', () => {
  test('stands in no file of a client that has a better way, and in no file of a project', async () => {
    mkdirSync(home);
    for (const id of ids) {
      await connections.apply(user(id), token('A'));
      const texts = Object.values(snapshot(home)).join('\n');
      const isInEntry = RECIPES.find((each) => each.id === id)!.token === 'entry';
      expect([id, texts.includes(secretOf('A'))]).toEqual([id, isInEntry]);
      await connections.disconnect(id, 'user');
    }
    for (const { id } of RECIPES.filter(({ project }) => project)) {
      const { problems } = await connections.apply({ ...user(id), scope: 'project' }, token('A'));
      expect([id, problems]).toEqual([id, []]);
      const { variable } = await connections.plan({ ...user(id), scope: 'project' });
      const texts = [snapshot(around.cwd), snapshot(home)].flatMap((each) => Object.values(each)).join('\n');
      expect(texts).not.toContain('mcpp_A');
      expect(texts).toContain(variable!.name);
      await connections.disconnect(id, 'project');
    }
    expect([snapshot(around.cwd), snapshot(home)]).toEqual([{}, {}]);
  });

  test('makes a file readable for the user alone; disconnect gives the mode back', async () => {
    const file = put('.codex/config.toml', 'model = "x"\n');
    chmodSync(file, 0o644);
    await connections.apply(user('codex'), token('A'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file))).toContain('config.toml.mcpproxy-2026-01-02-030406.bak');
    await connections.disconnect('codex', 'user');
    expect([statSync(file).mode & 0o777, readFileSync(file, 'utf8')]).toEqual([0o644, 'model = "x"\n']);
  });
});

describe('the rules', () => {
  test('of a person stay, and an entry of the same name comes back', async () => {
    const own = '{"mcpServers": {"mcpproxy": {"command": "mine"}}}\n';
    put('.claude.json', own);
    const settings = put(
      '.claude/settings.json',
      '{\n  "permissions": {"ask": ["mcp__mcpproxy__call_tool_write"]}\n}\n',
    );
    await connections.apply(user('claude-code'), token('A'));
    expect(readFileSync(settings, 'utf8').match(/call_tool_write/g)).toHaveLength(1);
    writeFileSync(settings, readFileSync(settings, 'utf8').replace('{', '{ "model": "x",'));
    writeFileSync(
      join(home, '.claude.json'),
      readFileSync(join(home, '.claude.json'), 'utf8').replace('{', '{"a": 1,'),
    );
    await connections.disconnect('claude-code', 'user');
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({
      model: 'x',
      permissions: { ask: ['mcp__mcpproxy__call_tool_write'] },
    });
    expect(JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'))).toEqual({
      a: 1,
      mcpServers: { mcpproxy: { command: 'mine' } },
    });
  });

  test('that somebody removes or changes are reported, also a file or token that is gone', async () => {
    fillHome();
    await connections.apply(user('claude-code'), token('A'));
    await connections.apply(user('qwen'), token('A'));
    writeFileSync(join(home, '.claude/settings.json'), '{"permissions": {"allow": []}}');
    rmSync(join(dir, 'data/clients/claude-code.header.json'));
    rmSync(join(home, '.qwen/settings.json'));
    const [claude, qwen] = await connections.status();
    expect(claude!.problems.join('\n')).toMatch(
      /permissions\.allow has no mcp__mcpproxy__retrieve_tools.*\n.*permissions\.ask has no .*\n.*file with the token is gone/,
    );
    expect(qwen!.problems).toEqual([`${join(home, '.qwen/settings.json')}: the file is gone`]);
  });

  test('of Qwen Code come with an entry whose tools its model sees without a search', async () => {
    await connections.apply(user('qwen'), token('A'));
    const { mcpServers } = JSON.parse(readFileSync(join(home, '.qwen/settings.json'), 'utf8')) as {
      mcpServers: Record<string, object>;
    };
    expect(mcpServers.mcpproxy).toMatchObject({ alwaysLoadTools: true, trust: false });
  });

  test('of Continue ask about every tool of direct mode too, which it would run unasked without a terminal', async () => {
    await connections.apply(user('continue'), token('A'));
    const rules = parse(readFileSync(join(home, '.continue/permissions.yaml'), 'utf8')) as {
      allow: string[];
      ask: string[];
    };
    const asks = rules.ask.map((rule) => new RegExp(`^${rule.replaceAll('*', '.*')}$`));
    const isAsked = (tool: string) => asks.some((rule) => rule.test(tool));
    for (const tool of ['files__write_file', 'my_server__send_-0123456789', 'call_tool_write'])
      expect([tool, isAsked(tool)]).toEqual([tool, true]);
    expect(rules.allow.filter(isAsked)).toEqual([]);
  });

  test('of opencode as one word become a list, and come back as one word', async () => {
    const file = put('.config/opencode/opencode.json', '{"permission": "allow"}\n');
    await connections.apply(user('opencode'), token('A'));
    expect(
      Object.entries((JSON.parse(readFileSync(file, 'utf8')) as { permission: object }).permission),
    ).toEqual([
      ['*', 'allow'],
      ['mcpproxy_*', 'ask'],
      ['mcpproxy_retrieve_tools', 'allow'],
      ['mcpproxy_describe_tool', 'allow'],
      ['mcpproxy_call_tool_read', 'allow'],
    ]);
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n`);
    await connections.disconnect('opencode', 'user');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ permission: 'allow' });
  });
});

describe('servers that are taken', () => {
  test.each([
    [
      'claude-code',
      '.claude.json',
      '{"mcpServers": {"a b": {"command": "x"}, "__proto__": {"command": "p"}, "keep": {"command": "k"}}}\n',
    ],
    [
      'codex',
      '.codex/config.toml',
      '[mcp_servers."a b"]\ncommand = "x"\n\n[mcp_servers.__proto__]\ncommand = "p"\n\n[mcp_servers.keep]\ncommand = "k"\n',
    ],
    [
      'continue',
      '.continue/config.yaml',
      'mcpServers:\n  - name: a b\n    command: x\n  - name: __proto__\n    command: p\n  - name: keep\n    command: k\n',
    ],
  ])('leave the file of %s and come back, also after an edit', async (client, path, text) => {
    const file = put(path, text);
    const taken = [{ file, names: ['a b', '__proto__'] }];
    await connections.apply({ ...user(client), taken }, token('A'));
    expect(readFileSync(file, 'utf8')).not.toMatch(/a b|__proto__/);
    expect(readFileSync(file, 'utf8')).toContain('keep');
    // A second connection takes nothing back.
    await connections.apply(user(client), token('B'));
    expect(readFileSync(file, 'utf8')).not.toContain('a b');
    const now = readFileSync(file, 'utf8');
    await connections.disconnect(client, 'user');
    expect(readFileSync(file, 'utf8')).toBe(text);
    await connections.apply({ ...user(client), taken }, token('B'));
    writeFileSync(file, `${now}\n`);
    await connections.disconnect(client, 'user');
    expect(readFileSync(file, 'utf8')).toMatch(/a b[^]*__proto__|__proto__[^]*a b/);
  });
});

test('servers that Claude Code keeps for one project leave its file and come back too', async () => {
  const own = { files: { command: 'f' }, db: { command: 'd' } };
  const projects = { '/p': { mcpServers: own }, '/q': { mcpServers: { db: { command: 'q' } } } };
  const text = `${JSON.stringify({ mcpServers: { db: { command: 'u' } }, projects }, null, 2)}\n`;
  const file = put('.claude.json', text);
  const taken = [{ file, names: ['db'], folder: '/p' }];
  await connections.apply({ ...user('claude-code'), taken }, token('A'));
  const now = readFileSync(file, 'utf8');
  expect(JSON.parse(now)).toMatchObject({
    mcpServers: { db: { command: 'u' }, mcpproxy: {} },
    projects: { '/p': { mcpServers: { files: { command: 'f' } } }, '/q': projects['/q'] },
  });
  expect(now.match(/"db"/g)).toHaveLength(2);
  writeFileSync(file, now.replace('"u"', '"v"'));
  await connections.disconnect('claude-code', 'user');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(text.replace('"u"', '"v"')));
});

test.each([
  [
    'a value of its table',
    `[mcp_servers]\na = { command = "a" }\n# mine\nx = { command = "x" } # its\n\n[b]\nc = 1\n`,
  ],
  [
    'dotted keys',
    `mcp_servers.a.command = "a"\nmcp_servers.x.command = "x"\nmcp_servers.x.args = [\n  "1", # one\n]\n`,
  ],
  ['dotted keys after CRLF', `[mcp_servers]\r\na.command = "a"\r\nx.command = "x"\r\n\r\n[b]\r\nc = 1\r\n`],
])('a server of Codex that is written as %s leaves the file, and comes back as it was', async (_, text) => {
  const file = put('.codex/config.toml', text);
  await connections.apply({ ...user('codex'), taken: [{ file, names: ['x'] }] }, token('A'));
  const now = readFileSync(file, 'utf8');
  expect(parseToml(now)).toMatchObject({ mcp_servers: { a: { command: 'a' }, mcpproxy: {} } });
  expect(now).not.toMatch(/"x"|mine/);
  writeFileSync(file, `${now}# later\n`);
  await connections.disconnect('codex', 'user');
  const back = readFileSync(file, 'utf8');
  expect(back.replace(/\s*# later\n/, '').trimEnd()).toBe(text.trimEnd());
});

const NOTES = `# the notes server
[mcp_servers.notes]
command = "node"
args = [
  "notes.js", # the program
  "1",
]

[mcp_servers.notes.env]
NOTES_KEY = "short"
`;

test.each([
  ['at its place', (text: string) => text.replace('"a"', '"z"')],
  [
    'at the end, where its place is gone',
    (text: string) => text.replace(/\n\[profiles[^]*?(?=\n\[|$)/, '\n'),
  ],
])('a server of Codex comes back with its comments, %s', async (_, edit) => {
  const text = `model = "a"\n\n${NOTES}\n[profiles.x]\nmodel = "b"\n`;
  const file = put('.codex/config.toml', text);
  await connections.apply({ ...user('codex'), taken: [{ file, names: ['notes'] }] }, token('A'));
  const now = readFileSync(file, 'utf8');
  expect(now).not.toContain('notes');
  writeFileSync(file, edit(now));
  const done = await connections.disconnect('codex', 'user');
  expect(done!.files).toMatchObject([{ change: 'edited', copy: expect.stringContaining('.bak') }]);
  const back = readFileSync(file, 'utf8');
  expect(back).toContain(NOTES.trimEnd());
  if (edit(now).includes('profiles')) expect(back).toBe(edit(text));
});

test('a diff with very long and very many values is made, and shows none of them', async () => {
  const env = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`K${index}`, `value-${index}`]));
  const big = { command: 'x', env: { ...env, BLOB: `(${'x'.repeat(3_000_000)}` } };
  const file = put('.qwen/settings.json', JSON.stringify({ mcpServers: { big } }, null, 2));
  const taken = [{ file, names: ['big'] }];
  const { diff } = (await connections.plan({ ...user('qwen'), taken })).files[0]!;
  expect(diff).toContain('"K2999": "***"');
  expect(diff).toMatch(/a line of 3,000,\d+ characters/);
  expect(diff).not.toMatch(/value-|xxx/);
});

test('a diff shows tabs as they are, and no value of env or headers', async () => {
  put(
    '.cursor/mcp.json',
    '\uFEFF{\n\t"mcpServers": {\n\t\t"gh": { "env": { "A": "ghp_short", "B": "x\\"y" } }\n\t}\n}\n',
  );
  put(
    '.codex/config.toml',
    '[mcp_servers.notes]\ncommand = "n"\n\n[mcp_servers.notes.env]\nKEY = \'pass\'\n',
  );
  const [cursor, codex] = await Promise.all(['cursor', 'codex'].map((id) => connections.plan(user(id))));
  const diff = cursor!.files[0]!.diff;
  expect(diff).toContain('-\t\t"gh": { "env": { "A": "***", "B": "***" } }');
  expect(diff).not.toMatch(/feff|\uFEFF/);
  expect(codex!.files[0]!.diff).toContain("KEY = '***'");
});

test('an unknown client is an error of usage with the nearest names; an absent program is named', async () => {
  await expect(connections.plan(user('codx'))).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('Did you mean codex?') as string,
  });
  const { notes } = await connections.plan(user('vscode'));
  expect(notes[0]).toBe('VS Code was not found on this machine; its files are made because you named it');
});

describe('a file that cannot be changed is named with the reason, and nothing is written', () => {
  const refused = async (client: string, reason: RegExp) => {
    const before = existsSync(home) ? readdirSync(home, { recursive: true }) : [];
    await expect(connections.plan(user(client))).rejects.toThrow(reason);
    await expect(connections.apply(user(client), token('A'))).rejects.toThrow(reason);
    expect(readdirSync(home, { recursive: true })).toEqual(before);
    expect(existsSync(join(dir, 'data'))).toBe(false);
  };

  test('a pipe, a folder, a loop of links, a link to nothing', async () => {
    mkdirSync(join(home, '.qwen'), { recursive: true });
    const file = join(home, '.qwen/settings.json');
    execFileSync('mkfifo', [file]);
    await refused('qwen', /settings\.json cannot be changed: it is not a regular file/);
    rmSync(file);
    mkdirSync(file);
    await refused('qwen', /not a regular file|is a folder/);
    rmSync(file, { recursive: true });
    symlinkSync(file, file);
    await refused('qwen', /loop of symbolic links/);
    rmSync(file);
    symlinkSync(join(home, 'none'), file);
    await refused('qwen', /symbolic link to a file that does not exist/);
    rmSync(file);
    symlinkSync('/dev/zero', file);
    await refused('qwen', /not a regular file/);
  });

  test('invalid JSON, TOML, YAML, another encoding, another shape', async () => {
    put('.qwen/settings.json', '{\n  "a": 1,,\n}');
    await refused('qwen', /line 2, column \d+: invalid JSON.*Fix the file, then run the command again/);
    await expect(connections.plan(user('qwen'))).rejects.toMatchObject({
      details: { client_file: join(home, '.qwen/settings.json') },
    });
    put('.codex/config.toml', 'a = 1\nb =\n');
    await refused('codex', /line 2, column \d+: invalid TOML/);
    put('.continue/config.yaml', 'a: {b\n');
    await refused('continue', /invalid YAML/);
    writeFileSync(put('.cursor/mcp.json', ''), Buffer.from([0x7b, 0xff, 0x7d]));
    await refused('cursor', /not UTF-8/);
    put('.copilot/mcp-config.json', '{"mcpServers": ["x"]}');
    await refused(
      'copilot-cli',
      /"mcpproxy" cannot stand in a list\. Fix the file, then run the command again/,
    );
    put('.gemini/settings.json', '[]');
    await refused('gemini', /not an object/);
  });

  test('a table of TOML in a form that cannot be edited', async () => {
    put('.codex/config.toml', 'mcp_servers = { mcpproxy = { url = "x" } }\n');
    await refused('codex', /cannot be edited without a change to other parts/);
  });
});

test('a link stays a link, and its target is changed', async () => {
  const target = put('dotfiles/qwen.json', '{}\n');
  mkdirSync(join(home, '.qwen'));
  symlinkSync(target, join(home, '.qwen/settings.json'));
  await connections.apply(user('qwen'), token('A'));
  expect(lstatSync(join(home, '.qwen/settings.json')).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toContain('mcpproxy');
  await connections.disconnect('qwen', 'user');
  expect(readFileSync(target, 'utf8')).toBe('{}\n');
});

test('a link in a project is not followed, neither to connect nor to disconnect', async () => {
  const project = { ...user('qwen'), scope: 'project' as const };
  const planned = await connections.plan(project);
  const { file } = planned.files.find(({ file: each }) => each.includes('.qwen'))!;
  const target = put('elsewhere/secret.json', '{}\n');
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(target, file);
  await expect(connections.apply(project, token('A'))).rejects.toThrow(/links in a project are not followed/);
  rmSync(file);
  await connections.apply(project, token('A'));
  rmSync(file);
  symlinkSync(target, file);
  const taken = await connections.disconnect('qwen', 'project');
  expect(taken!.files).toContainEqual(expect.objectContaining({ file, change: 'left' }));
  expect(readFileSync(target, 'utf8')).toBe('{}\n');
});

test('a write that fails takes back the files before it', async () => {
  fillHome();
  const before = snapshot(home);
  // The folder of the second file becomes a file between the plan and the write.
  const settings = join(home, '.claude');
  const planned = connections.apply(user('claude-code'), token('A'));
  writeFileSync(settings, 'in the way');
  await expect(planned).rejects.toThrow();
  rmSync(settings);
  expect(snapshot(home)).toEqual(before);
  expect(await connections.status()).toEqual([]);
});

test('a connection that cannot be recorded changes nothing, and leaves no copy', async () => {
  put('.qwen/settings.json', JSON.stringify({ mcpServers: { big: { command: 'x'.repeat(5_000_000) } } }));
  const before = snapshot(home);
  const taken = [{ file: join(home, '.qwen/settings.json'), names: ['big'] }];
  await expect(connections.apply({ ...user('qwen'), taken }, token('A'))).rejects.toThrow(/larger than/);
  expect(snapshot(home)).toEqual(before);
});

test('an unknown client and a client without files of a project are named', async () => {
  await expect(connections.plan(user('emacs'))).rejects.toThrow(
    /No client is named 'emacs'. Clients: claude-code, codex/,
  );
  await expect(connections.plan({ ...user('goose'), scope: 'project' })).rejects.toThrow(/goose has no file/);
});

test('what is printed for another machine names no file of this one', async () => {
  cpSync(FIXTURES, home, { recursive: true });
  for (const id of ids) {
    const { files } = await connections.print(user(id));
    expect(files.length).toBeGreaterThan(0);
    expect(JSON.stringify(files)).not.toContain(dir);
  }
  const { verified, files } = await connections.print({ ...user('zed'), url: 'https://h/tools/mcp' });
  expect([verified, files[0]!.text]).toEqual([
    null,
    expect.stringMatching(/"--url",\s*"https:\/\/h\/tools"/),
  ]);
});
