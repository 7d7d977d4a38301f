import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { parse } from 'jsonc-parser';
import { homedir, tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProxyError } from '../contract/errors.ts';
import { createLog } from '../lib/log.ts';
import { readApiKey } from './api-key.ts';
import { editServer, editSettings } from './file/edit-file.ts';
import { isForeign } from './file/config-text.ts';
import { loadConfig } from './load.ts';
import { checkConfig, configJsonSchema, parseConfig, readConfig } from './parse.ts';
import { resolveSecrets } from './secrets.ts';
import { databaseOf, dataDirOf, readSettings } from './settings.ts';
import { showConfig } from './show.ts';
import type { ConfigStore } from './config-store.ts';
import { createConfigStore } from './store.ts';

let dir: string;
let file: string;
const stores: ConfigStore[] = [];
const log = createLog('silent');

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcpproxy-config-'));
  file = join(dir, 'mcp_config.json');
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  rmSync(dir, { recursive: true, force: true });
});

const write = (text: string) => writeFileSync(file, text, { mode: 0o600 });
const BY = { principal: 'operator', source: 'api' as const, requestId: 'r' };
const open = (watch = false) => {
  const store = createConfigStore({ settings: readSettings({ config: file }, {}), watch, log });
  stores.push(store);
  return store;
};
const message = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ProxyError);
    expect((error as ProxyError).code).toBe('CONFIG_INVALID');
    return (error as ProxyError).message;
  }
  throw new Error('it was accepted');
};
async function eventually(check: () => void): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return check();
    } catch (error) {
      if (attempt === 4_800) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

describe('reading', () => {
  test('comments and trailing commas are allowed, defaults are filled in', () => {
    const config = parseConfig('{ // hello\n "listen": "127.0.0.1:9000", /* x */ }', 'f');
    expect(config.listen).toBe('127.0.0.1:9000');
    expect(config.intent_declaration).toEqual({
      strict_server_validation: true,
      operation_type: 'required',
      unannotated: 'trust',
    });
    expect(config.activity.max_response_bytes).toBe(65_536);
  });

  test('a wrong approval rule is reported by its key, with what is allowed and an example', () => {
    const rules = [
      'destructve',
      { match: { operation: 'delete' }, action: 'ask' },
      7,
      { match: { server: '' }, action: 'maybe' },
    ];
    const lines = message(() => parseConfig(JSON.stringify({ approvals: { require: rules } }), 'f')).split(
      '\n',
    );
    expect(lines.map((line) => line.replace(/^f:\d+:\d+: approvals\.require\./, ''))).toEqual([
      expect.stringMatching(
        /^0: must be "destructive", .*; for example "require": \["destructive",\{"match":/,
      ),
      '1.match.operation: must be one of read, write, destructive',
      '2: must be a string or an object',
      '3.match.server: must not be empty',
      '3.action: must be one of allow, ask, refuse',
    ]);
  });

  test('problems of settings and of servers are found in one run', () => {
    const text =
      '{"listne": "x", "approvals": {"ttl": 5}, "mcpServers": {"a": {"comand": "x"}, "b": {"url": "no"}}}';
    const { problems, warnings, settings } = checkConfig(text, 'f');
    expect(problems).toEqual([
      expect.stringMatching(/approvals\.ttl: must be a string; for example "ttl": "15m"$/),
      expect.stringMatching(/listne: unknown key; did you mean "listen"\?$/),
    ]);
    expect(warnings.map((line) => /mcpServers[\w.]*/.exec(line)?.[0])).toEqual([
      'mcpServers.a',
      'mcpServers.a.comand',
      'mcpServers.b.url',
    ]);
    expect(settings).toBeUndefined();
    const many = {
      listen: 1,
      ...Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`listen_${n}`, 1])),
    };
    expect(checkConfig(JSON.stringify(many), 'f').problems).toHaveLength(31);
  });

  test('both forms of mcpServers give the same', () => {
    const asObject = parseConfig(
      '{"mcpServers": {"a": {"command": "x", "args": ["1"]}, "b": {"url": "http://h/mcp"}}}',
      'f',
    );
    const asArray = parseConfig(
      '{"mcpServers": [{"name": "a", "command": "x", "args": ["1"]}, {"name": "b", "url": "http://h/mcp"}]}',
      'f',
    );
    expect(asArray).toEqual(asObject);
  });

  test('a server called __proto__ fails alone and pollutes nothing', () => {
    const { mcpServers } = parseConfig(
      '{"mcpServers": {"__proto__": {"command": "x"}, "a": {"command": "y"}, "b": {"command": "z", "env": {"__proto__": "1"}}}}',
      'f',
    );
    const servers = Object.entries(mcpServers).map(([, { title, command, problem }]) => [
      title,
      command,
      problem,
    ]);
    expect(servers).toEqual([
      ['__proto__', 'x', expect.stringMatching(/the name "__proto__" is not allowed/)],
      [undefined, 'y', undefined],
      [undefined, 'z', expect.stringMatching(/env\.__proto__: this key is not allowed/)],
    ]);
    expect(({} as Record<string, unknown>).command).toBeUndefined();
    for (const text of ['{"__proto__": {"listen": "x"}}', '{"approvals": {"__proto__": {}}}'])
      expect(message(() => parseConfig(text, 'f'))).toMatch(/the key __proto__ is not allowed/);
  });

  test('problems name file, line, column and key, all of them', () => {
    const text =
      '{\n  "listen": "nowhere",\n  "intent_declaration": {\n    "unanotated": "trust"\n  },\n  "mcpServers": {"a": {"comand": "x"}}\n}';
    const said = message(() => parseConfig(text, '/etc/c.json')).split('\n');
    expect(said).toContainEqual(expect.stringMatching(/^\/etc\/c\.json:2:3: listen: must be HOST:PORT/));
    expect(said).toContainEqual(
      '/etc/c.json:4:5: intent_declaration.unanotated: unknown key; did you mean "unannotated"?',
    );
    const { warnings } = readConfig(text.replace('nowhere', 'h:1').replace('unano', 'unanno'), '/etc/c.json');
    expect(warnings).toContainEqual(
      '/etc/c.json:6:24: mcpServers.a.comand: unknown key; did you mean "command"?; this server is not available, the others are',
    );
  });

  test('a key of another client beside the servers is noted; one that resembles a setting is refused', () => {
    const { warnings } = readConfig('{\n"inputs": [],\n"theme": "dark", "mcp": {"allowed": []}}', 'f');
    expect(warnings).toEqual([
      'f:2:1: inputs: ignored, not a setting of mcpproxy',
      'f:3:1: theme: ignored, not a setting of mcpproxy',
      'f:3:18: mcp: ignored, not a setting of mcpproxy',
    ]);
    for (const key of ['aprovals', 'approval', 'approvalPolicy', 'Quarantine', 'retention_days', 'apiKey'])
      expect(message(() => parseConfig(`{"${key}": 1}`, 'f'))).toMatch(new RegExp(`${key}: unknown key`));
    for (const key of ['aproval', 'aprroval', 'aprovls', 'approvlas'])
      expect(message(() => parseConfig(`{"${key}": {}}`, 'f'))).toBe(
        `f:1:2: ${key}: unknown key; did you mean "approvals"?`,
      );
    for (const key of ['hooks', 'plugins', 'permissions', 'projects', 'profiles', 'features', 'sandbox'])
      expect(readConfig(`{"${key}": {}}`, 'f').warnings).toHaveLength(1);
  });

  test.each([
    ['VS Code', '{"servers": {"a": {"command": "x"}}}'],
    ['opencode', '{"mcp": {"a": {"type": "local", "command": ["x"]}}}'],
  ])('servers where %s has them are found, changed and added there', (_, text) => {
    expect(parseConfig(text, 'f').mcpServers.a).toMatchObject({ command: 'x' });
    const edited = editServer(editServer(text, 'b', { command: 'y' }), 'a', {
      ...parseConfig(text, 'f').mcpServers.a,
      command: 'z',
    });
    expect(edited).not.toContain('mcpServers');
    expect(Object.keys(parseConfig(editServer(edited, 'b', null), 'f').mcpServers)).toEqual(['a']);
    expect(parseConfig(edited, 'f').mcpServers.a?.command).toBe('z');
  });

  test('syntax errors have a place', () => {
    expect(message(() => parseConfig('{\n  "listen": }', 'c.json'))).toMatch(/^c\.json:2:13: value expected/);
    expect(message(() => parseConfig('{"a": ', 'c.json'))).toMatch(/c\.json:1/);
    expect(message(() => parseConfig('['.repeat(10_000), 'c.json'))).toMatch(/nested too deeply/);
  });

  test.each([
    ['{"mcpServers": 5}', /mcpServers/],
    ['{"approvals": {"require": ["deletions"]}}', /destructive.*SERVER:TOOL/],
    ['{"approvals": {"require": [{"match": {"server": "a"}, "action": "deny"}]}}', /action|Invalid/],
    ['{"approvals": {"ttl": "31d"}}', /from 1s to 30d/],
    ['{"database_url": "mysql://h/d"}', /sqlite:PATH or postgres/],
    ['[]', /the file/],
  ])('%s is refused', (text, says) => {
    expect(message(() => parseConfig(text, 'f'))).toMatch(says);
  });

  test.each([
    ['{"a": {}}', /line 1: needs either "command" or "url"/],
    ['{"a": 5}', /must be an object with "command" or "url"/],
    ['{"a": {"command": "x", "url": "http://h"}}', /both/],
    ['{"a": {"url": "file:///etc/passwd"}}', /url: must start with http/],
    ['{"a": {"command": "x", "timeout": "5"}}', /timeout: .*unit/],
    ['{"a": {"command": "x", "enabeld": false}}', /enabeld: unknown key; did you mean "enabled"/],
    ['{"a": {"command": "x", "tools": {"t": {"operaton": "read"}}}}', /tools\.t\.operaton: unknown key/],
    ['[{"command": "x"}]', /needs a "name"/],
    ['[5]', /needs a "name"/],
    ['[{"name": "z", "command": "x"}, {"name": "z", "command": "y"}]', /"z" is defined twice/],
  ])('%s: that entry fails, and the others serve', (servers, says) => {
    const text = servers.startsWith('[')
      ? `{"mcpServers": ${servers.replace('[', '[{"name": "good", "command": "g"}, ')}}`
      : `{"mcpServers": ${servers.replace('{', '{"good": {"command": "g"}, ')}}`;
    const { config, warnings } = readConfig(text, 'f');
    const failed = Object.values(config.mcpServers).filter(({ problem }) => problem !== undefined);
    expect(failed.map(({ problem }) => problem)).toEqual([expect.stringMatching(says)]);
    expect(config.mcpServers.good).toEqual({ command: 'g' });
    expect(warnings).toEqual([
      expect.stringMatching(/^f:1:\d+: mcpServers\..*; this server is not available, the others are$/),
    ]);
  });

  test('a file with very many bad entries is read in reasonable time', () => {
    const entries = Array.from({ length: 5_000 }, (_, i) => `"s ${i}": {"comand": "x"}`);
    expect(readConfig(`{"mcpServers": {\n${entries.join(',\n')}}}`, 'f').warnings.length).toBeGreaterThan(
      5_000,
    );
  });

  test('a file that others can write is refused with the command that fixes it', () => {
    write('{}');
    chmodSync(file, 0o666);
    expect(message(() => loadConfig(file))).toMatch(/chmod go-w/);
    expect(message(() => loadConfig(dir))).toMatch(/is not a file/);
    if (process.platform !== 'win32') {
      execFileSync('mkfifo', ['-m', '600', join(dir, 'pipe')]);
      expect(message(() => loadConfig(join(dir, 'pipe')))).toMatch(/is not a file/);
    }
    expect(message(() => loadConfig(join(dir, 'none')))).toMatch(/cannot be read: there is no such file$/);
  });
});

describe('a file of another user', () => {
  test.each([
    ['our own', 1000, 1000, 1000, false],
    ['that the system administrator gave us', 0, 0, 1000, false],
    ['of somebody else', 1001, 1001, 1000, true],
    ['that somebody put into our directory', 1001, 1000, 1000, true],
    ['that root finds in the directory of its owner', 1000, 1000, 0, false],
    ['that root finds elsewhere', 1000, 0, 0, true],
  ])('%s', (...[, owner, ownerOfDirectory, self, foreign]) => {
    expect(isForeign(owner, ownerOfDirectory, self)).toBe(foreign);
  });
  test.runIf(process.getuid?.() === 0)('is refused with what to do', () => {
    write('{}');
    chownSync(file, 12_345, 12_345);
    expect(message(() => loadConfig(file))).toMatch(/belongs to another user.*chown 0/);
    chownSync(dir, 12_345, 12_345);
    expect(loadConfig(file).text).toBe('{}');
  });
});

describe('settings', () => {
  test('a flag beats the environment, which beats the file', () => {
    write('{"listen": "127.0.0.1:1"}');
    const env = { MCPPROXY_LISTEN: '127.0.0.1:2', MCPPROXY_CONFIG: file, MCPPROXY_DATA_DIR: dir };
    const fromEnv = readSettings({}, env);
    expect(loadConfig(fromEnv.configFile, fromEnv.overrides).config.listen).toBe('127.0.0.1:2');
    expect(readSettings({ listen: '127.0.0.1:3' }, env).overrides.listen).toBe('127.0.0.1:3');
    expect(loadConfig(file).config.listen).toBe('127.0.0.1:1');
    expect(readSettings({ mcpAuth: false }, {}).overrides).toEqual({ require_mcp_auth: false });
    expect(readSettings({}, { MCPPROXY_LISTEN: '' }).overrides).toEqual({});
  });
  test('a wrong flag is not blamed on the file', () => {
    expect(() => readSettings({ listen: 'nowhere' }, {})).toThrow(
      /^--listen or MCPPROXY_LISTEN: must be HOST:PORT/,
    );
  });
  test('the configuration lies in the data directory unless said otherwise', () => {
    expect(readSettings({ dataDir: dir }, {}).configFile).toBe(file);
    const settings = readSettings({}, {});
    expect(dataDirOf({ data_dir: '~/x' }, settings)).not.toContain('~');
    expect(databaseOf({}, dir)).toEqual({ file: join(dir, 'mcpproxy.db') });
    expect(databaseOf({ database_url: 'sqlite:log.db' }, dir)).toEqual({ file: join(dir, 'log.db') });
    expect(databaseOf({ database_url: 'sqlite:///var/log.db' }, dir)).toEqual({ file: '/var/log.db' });
  });
  test('the database may be a PostgreSQL server, with its password from elsewhere', () => {
    process.env.MCPPROXY_TEST_SECRET = 'p@ss/w:rd%';
    writeFileSync(join(dir, 'whole-url'), 'postgres://u:pw@h:5433/d\n');
    const place = (database_url: string) => databaseOf({ database_url }, dir);
    const { url } = place('postgres://u:${env:MCPPROXY_TEST_SECRET}@h/d') as { url: string };
    expect(decodeURIComponent(new URL(url).password)).toBe('p@ss/w:rd%');
    expect(new URL(url).host).toBe('h');
    expect(place(`\${file:${join(dir, 'whole-url')}}`)).toEqual({ url: 'postgres://u:pw@h:5433/d' });
    expect(place('postgres://u@a:1,b:2/d')).toEqual({ url: 'postgres://u@a:1,b:2/d' });
    const unusable = ['postgres://h:port/CANARY', 'postgres://a:1,b:x/CANARY', '${env:MCPPROXY_TEST_SECRET}'];
    for (const bad of unusable)
      expect(message(() => place(bad))).toMatch(
        /^database_url must be sqlite:PATH or postgres:(?!.*(CANARY|p@ss))/s,
      );
    delete process.env.MCPPROXY_TEST_SECRET;
    const fromEnv = readSettings({}, { MCPPROXY_DATABASE_URL: 'postgres://h/d' });
    expect(fromEnv.overrides.database_url).toBe('postgres://h/d');
  });
});

describe('secrets', () => {
  test('references are resolved at use', () => {
    process.env.MCPPROXY_TEST_SECRET = 'a$&b';
    writeFileSync(join(dir, 'token'), 'from-file\n');
    expect(resolveSecrets('Bearer ${env:MCPPROXY_TEST_SECRET}')).toBe('Bearer a$&b');
    expect(resolveSecrets(`\${file:${join(dir, 'token')}}`)).toBe('from-file');
    const heard: string[] = [];
    const resolved = (text: string) => resolveSecrets(text, (value) => heard.push(value));
    expect(resolved('${MCPPROXY_TEST_SECRET} ${NOT_SET_ANYWHERE:-or this}')).toBe('a$&b or this');
    expect(resolved('${env:NOT_SET_ANYWHERE:-else}/${MCPPROXY_TEST_SECRET:-x}')).toBe('else/a$&b');
    expect(heard).toContain('a$&b');
    expect(heard).not.toContain('or this');
    for (const literal of [
      '$MCPPROXY_TEST_SECRET',
      '${a[@]}',
      '${x%.*}',
      '${X:0:3}',
      '${X:?no}',
      '${}',
      '${1}',
      '$(ls)',
      '{"env": {}}',
    ])
      expect(resolveSecrets(literal)).toBe(literal);
    expect(resolveSecrets('$${MCPPROXY_TEST_SECRET}')).toBe('${MCPPROXY_TEST_SECRET}');
    delete process.env.MCPPROXY_TEST_SECRET;
    expect(message(() => resolveSecrets('${MCPPROXY_TEST_SECRET}'))).toMatch(
      /^\$\{MCPPROXY_TEST_SECRET\} is not set in the environment of mcpproxy$/,
    );
    expect(message(() => resolveSecrets('${input:token}'))).toMatch(
      /\$\{input:token\} asks for a value in another client; "mcpproxy import" asks for it too/,
    );
    expect(message(() => resolveSecrets('${command:pick}'))).toMatch(/works only in another client/);
    expect(message(() => resolveSecrets('${workspaceFolder}/x'))).toMatch(
      /\$\{workspaceFolder\} is the project folder of an editor; write the folder itself/,
    );
    expect(message(() => resolveSecrets('${env:MCPPROXY_TEST_SECRET}'))).toMatch(/not set/);
    expect(message(() => resolveSecrets('${file:/none}'))).toMatch(/cannot be read/);
  });

  test.each([
    ['$MCPPROXY_TEST_SECRET', 'v$A'],
    ['Bearer $MCPPROXY_TEST_SECRET', 'Bearer v$A'],
    ['--header=X:$MCPPROXY_TEST_SECRET/x', '--header=X:v$A/x'],
    ['{env:MCPPROXY_TEST_SECRET}', 'v$A'],
    ['Bearer ${{ secrets.MCPPROXY_TEST_SECRET }}', 'Bearer v$A'],
    ['${{secrets.team/name/MCPPROXY_TEST_SECRET}}', 'v$A'],
    ['${userHome}${/}x', `${homedir()}${sep}x`],
    ['a$MCPPROXY_TEST_SECRET', 'a$MCPPROXY_TEST_SECRET'],
    ['$$MCPPROXY_TEST_SECRET b', '$MCPPROXY_TEST_SECRET b'],
    ['^a$|$x costs $5', '^a$|$x costs $5'],
  ])('the form %j in a server', (text, value) => {
    process.env.MCPPROXY_TEST_SECRET = 'v$A';
    expect(resolveSecrets(text, undefined, { plain: true })).toBe(value);
    delete process.env.MCPPROXY_TEST_SECRET;
    if (text.includes('MCPPROXY') && value.includes('v$A'))
      expect(message(() => resolveSecrets(text, undefined, { plain: true }))).toMatch(
        /MCPPROXY_TEST_SECRET.* is not set/,
      );
  });

  test('a key is measured after it is resolved', () => {
    const config = parseConfig('{"api_key": "${env:K}"}', 'f');
    process.env.K = 'short';
    expect(message(() => readApiKey({ dataDir: dir, config }))).toMatch(/api_key is shorter than 16/);
    process.env.K = 'a key that is long enough';
    expect(readApiKey({ dataDir: dir, config })).toBe('a key that is long enough');
    delete process.env.K;
    expect(message(() => readApiKey({ dataDir: dir, config }))).toMatch(/\$\{env:K\} is not set/);
    expect(message(() => parseConfig('{"api_key": "short"}', 'f'))).toMatch(/api_key: must have at least 16/);
  });

  test('what is shown holds no secret', () => {
    const config = parseConfig(
      JSON.stringify({
        api_key: 'CANARY-0123456789',
        database_url: 'postgres://u:x@CANARY/@y@h:5432/d?password=CANARY&sslmode=verify-full',
        mcpServers: {
          a: { command: 'x', env: { T: 'CANARY', R: '${env:T}' } },
          b: {
            url: 'https://u:CANARY@h/mcp?key=CANARY&x=CANARY',
            headers: { Authorization: 'Bearer ${env:T}', X: 'CANARY' },
          },
        },
      }),
      'f',
    );
    const shown = JSON.stringify(showConfig(config));
    expect(shown).not.toContain('CANARY');
    expect(shown).toContain('Bearer ${env:T}');
  });
  test('the key is made once, private, and refused where it is open', () => {
    const key = readApiKey({ dataDir: dir, config: {} });
    expect(key.length).toBeGreaterThanOrEqual(43);
    expect(readApiKey({ dataDir: dir, config: {} })).toBe(key);
    expect(statSync(join(dir, 'api_key')).mode & 0o777).toBe(0o600);
    chmodSync(join(dir, 'api_key'), 0o644);
    expect(message(() => readApiKey({ dataDir: dir, config: {} }))).toMatch(/chmod 600/);
    expect(readApiKey({ dataDir: dir, config: { api_key: 'configured-key-0123' } })).toBe(
      'configured-key-0123',
    );
  });
});

describe('editing', () => {
  const commented =
    '{\n  // my servers\n  "mcpServers": {\n    // the first\n    "a": { "command": "x" }\n  },\n  "call_timeout": "5s" // short\n}\n';
  test('comments and the rest stay', () => {
    const added = editServer(commented, 'b', { url: 'http://h/mcp' });
    expect(added).toContain('// the first');
    expect(added).toContain('// short');
    expect(Object.keys(parseConfig(added, 'f').mcpServers)).toEqual(['a', 'b']);
    expect(Object.keys(parseConfig(editServer(added, 'a', null), 'f').mcpServers)).toEqual(['b']);
  });
  test('the array form is kept', () => {
    const text = '{"mcpServers": [{"name": "a", "command": "x"}]}';
    const added = editServer(editServer(text, 'b', { command: 'y' }), 'a', {
      ...parseConfig(text, 'f').mcpServers.a,
      command: 'z',
    });
    expect((JSON.parse(added) as { mcpServers: unknown }).mcpServers).toEqual([
      { name: 'a', command: 'z' },
      { name: 'b', command: 'y' },
    ]);
    expect((JSON.parse(editServer(added, 'a', null)) as { mcpServers: unknown[] }).mcpServers).toHaveLength(
      1,
    );
    expect(editServer(text, 'none', null)).toBe(text);
  });
  test('a change leaves the keys of other clients, and takes the place of their words for it', () => {
    const text = `{
  "mcpServers": {
    "My Server": {
      "httpUrl": "http://h/mcp",
      "disabled": true,
      "autoApprove": ["x"], // kept
      "timeout": 60
    }
  }
}`;
    const [alias, server] = Object.entries(parseConfig(text, 'f').mcpServers)[0]!;
    expect(server).toMatchObject({ url: 'http://h/mcp', type: 'http', enabled: false, timeout: '60s' });
    const { url, type, timeout } = server;
    const enabled = editServer(text, alias, { url: url!, type, timeout, enabled: true });
    expect(enabled).toContain('// kept');
    expect(parse(enabled)).toEqual({
      mcpServers: {
        'My Server': { httpUrl: 'http://h/mcp', autoApprove: ['x'], timeout: 60, enabled: true },
      },
    });
    const moved = editServer(enabled, 'My Server', { url: 'http://other/mcp', type, timeout, enabled: true });
    expect(parse(moved)).toMatchObject({ mcpServers: { 'My Server': { url: 'http://other/mcp' } } });
    expect(moved).not.toContain('httpUrl');
    expect(parse(editServer(moved, alias, null))).toEqual({ mcpServers: {} });
  });
  test('an invalid entry is replaced', () => {
    const text = '{"mcpServers": {"a": {"comand": "x", "timeout": "5"}}}';
    expect(parse(editServer(text, 'a', { command: 'y' }))).toEqual({ mcpServers: { a: { command: 'y' } } });
  });
  test('an empty file and a file without the key', () => {
    expect(parseConfig(editServer('', 'a', { command: 'x' }), 'f').mcpServers.a).toEqual({ command: 'x' });
    expect(
      parseConfig(editServer('{"call_timeout": "5s"}', 'a', { command: 'x' }), 'f').mcpServers.a,
    ).toEqual({ command: 'x' });
  });
});

describe('a patch of the settings', () => {
  const text =
    '{\n  // kept\n  "validate_arguments": true,\n  "tools": { "limit": 5, "detail": "compact" }\n}\n';
  test.each([
    [
      'removes what is there',
      { tools: { limit: null } },
      { validate_arguments: true, tools: { detail: 'compact' } },
    ],
    [
      'removes nothing that is not there',
      { tools: { other: null }, quarantine: null },
      JSON.parse(text.replace('// kept', '')),
    ],
    [
      'puts an object where something else was',
      { validate_arguments: { a: null, b: { c: 1, d: null } } },
      { validate_arguments: { b: { c: 1 } }, tools: { limit: 5, detail: 'compact' } },
    ],
  ])('%s', (_, patch, wanted) => {
    const next = editSettings(text, patch);
    expect(next).toContain('// kept');
    expect(JSON.parse(next.replace('// kept', ''))).toEqual(wanted);
  });
  test.each(['', '{}', '// nothing yet\n'])('a file with %j takes a setting', (empty) => {
    const patch = { call_timeout: '5s', approvals: { wait: null }, scanner: null };
    expect(parseConfig(editSettings(empty, patch), 'f')).toEqual(parseConfig('{"call_timeout":"5s"}', 'f'));
  });
});

describe('the store', () => {
  test('a first start leaves a private file with an explanation', () => {
    expect(open().current().mcpServers).toEqual({});
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('upstream add');
  });

  test('a change on disk is seen; an invalid one keeps the old and says why', async () => {
    write('{"call_timeout": "1s"}');
    const store = open(true);
    const seen: string[] = [];
    const errors: string[] = [];
    store.subscribe((next) => void seen.push(next.call_timeout));
    store.onError((text) => errors.push(text));
    await new Promise((resolve) => setTimeout(resolve, 200));

    write('{"call_timeout": "2s"}');
    await eventually(() => expect(seen).toEqual(['2s']));
    write('{"call_timeout": ');
    await eventually(() => expect(store.lastError()).toMatch(/mcp_config\.json:1/));
    expect(errors).toHaveLength(1);
    expect(store.current().call_timeout).toBe('2s');
    write('{"call_timeout": "3s"}');
    await eventually(() => expect(store.current().call_timeout).toBe('3s'));
    expect(store.lastError()).toBeNull();

    const other = join(dir, 'other.json');
    writeFileSync(other, '{"call_timeout": "4s"}', { mode: 0o600 });
    renameSync(other, file);
    await eventually(() => expect(store.current().call_timeout).toBe('4s'));
    unlinkSync(file);
    await eventually(() => expect(store.lastError()).toMatch(/cannot be read/));
    expect(store.current().call_timeout).toBe('4s');
    write('{"call_timeout": "5s"}');
    await eventually(() => expect(store.current().call_timeout).toBe('5s'));
  });

  test('a swapped symbolic link is seen, and an edit goes to its target', async () => {
    const [one, two] = [join(dir, 'one.json'), join(dir, 'two.json')];
    writeFileSync(one, '{"call_timeout": "1s"}', { mode: 0o600 });
    writeFileSync(two, '{"call_timeout": "2s"}', { mode: 0o600 });
    symlinkSync(one, file);
    const store = open(true);
    await new Promise((resolve) => setTimeout(resolve, 200));
    symlinkSync(two, join(dir, 'next'));
    renameSync(join(dir, 'next'), file);
    await eventually(() => expect(store.current().call_timeout).toBe('2s'));
    await store.editServer('a', { command: 'x' }, BY);
    expect(readFileSync(two, 'utf8')).toContain('"a"');
    expect(readFileSync(one, 'utf8')).not.toContain('"a"');
  });

  test('an edit by hand and one through the store are told apart, also when they meet', async () => {
    write('{"call_timeout": "1s"}');
    const store = open();
    const seen: string[] = [];
    store.subscribe(
      (next, _, origin) => void seen.push(`${origin.from} ${next.call_timeout} ${next.quarantine}`),
    );
    write('{"call_timeout": "2s"}');
    await store.editSettings({ quarantine: 'new' }, BY);
    await store.reload();
    expect(seen).toEqual(['file 2s risky', 'edit 2s new']);
  });

  test('two writers at once: nothing is lost, the file stays whole and private', async () => {
    write('{ // kept\n}');
    const store = open();
    const second = open();
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? store : second).editServer(`s${i}`, { command: 'x', args: [String(i)] }, BY),
      ),
    );
    const config = loadConfig(file).config;
    expect(Object.keys(config.mcpServers)).toHaveLength(20);
    expect(readFileSync(file, 'utf8')).toContain('// kept');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('an edit that would make the file invalid is refused and leaves it alone', async () => {
    write('{}');
    const store = open();
    await expect(store.editSettings({ call_timeout: 'soon' }, BY)).rejects.toThrow(/call_timeout/);
    expect(readFileSync(file, 'utf8')).toBe('{}');
    expect(existsSync(file)).toBe(true);
  });
});

test('a witness file in the data directory is invalid, by either name of the directory', () => {
  const [real, link] = [join(dir, 'real'), join(dir, 'link')];
  mkdirSync(real);
  symlinkSync(real, link);
  const read = (witness: string) =>
    checkConfig(JSON.stringify({ activity: { witness: [{ file: witness }] } }), file, { data_dir: link });
  for (const each of [join(link, 'row-key'), join(real, 'row-key'), join(dir, 'x', '..', 'link', 'a')])
    expect(read(each).problems).toEqual([expect.stringContaining('must not be in the data directory')]);
  expect(read(join(dir, 'elsewhere')).problems).toEqual([]);
});

test('the JSON Schema names every key with a description of both server forms', () => {
  const schema = configJsonSchema() as { properties: Record<string, { anyOf?: unknown[] }> };
  expect(Object.keys(schema.properties)).toEqual(
    expect.arrayContaining(['listen', 'mcpServers', 'intent_declaration', 'call_timeout']),
  );
  expect(schema.properties.mcpServers?.anyOf).toHaveLength(2);
});
