import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/start.ts';
import { runHere } from './cli-here.ts';
import { runCli, type CliResult } from './run-cli.ts';
import { startHere } from './start-here.ts';
import type { RunningProxy } from './start-proxy.ts';

// A person cares for servers: secrets of imported servers, settings, misspelt names.

const up = fixture('annotated.mjs');
const entry = { ...up, env: { API_TOKEN: 'CANARY-first-0001' } };

let proxy: RunningProxy;
beforeAll(async () => {
  proxy = await startHere({ config: { mcpServers: { plain: up } } });
  writeFileSync(join(proxy.home, 'mcp.json'), JSON.stringify({ mcpServers: { imported: entry } }));
  mkdirSync(join(proxy.home, 'empty'));
  expect((await cli('import', join(proxy.home, 'mcp.json'), '--all')).code).toBe(0);
});
afterAll(() => proxy.dispose());

const cli = (...args: string[]): Promise<CliResult> => runHere([...args, ...proxy.place]);
const withStdin = (input: string, ...args: string[]): Promise<CliResult> =>
  runCli([...args, ...proxy.place], { home: proxy.home, input });
const config = () =>
  JSON.parse(readFileSync(proxy.configFile, 'utf8')) as {
    mcpServers: Record<string, { env?: Record<string, string> }>;
  };
const secrets = () => join(proxy.dataDir, 'secrets');
const environment = async (name: string) => {
  const { pid } = await proxy.rest.request('getServer', { name });
  return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
};

describe('a secret from stdin', () => {
  test('replaces that of an imported server in its file, and the server starts again with it', async () => {
    const before = config().mcpServers.imported;
    const { code, stdout } = await withStdin(
      'CANARY-second-0002\n',
      'upstream',
      'edit',
      'imported',
      '--env',
      'API_TOKEN=-',
    );
    expect([code, stdout]).toEqual([0, expect.stringMatching(/State +ready/)]);
    expect(config().mcpServers.imported).toEqual(before);
    const [file, ...more] = readdirSync(secrets());
    expect([readFileSync(join(secrets(), file!), 'utf8'), more]).toEqual(['CANARY-second-0002\n', []]);
    expect(await environment('imported')).toContain('API_TOKEN=CANARY-second-0002');
  });

  test('of another server gets a private file too', async () => {
    expect((await withStdin('CANARY-third', 'upstream', 'edit', 'plain', '--env', 'TOKEN=-')).code).toBe(0);
    const file = join(secrets(), 'plain.env.TOKEN.1');
    expect(config().mcpServers.plain!.env).toEqual({ TOKEN: `\${file:${file}}` });
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['CANARY-third\n', 0o600]);
    expect(await environment('plain')).toContain('TOKEN=CANARY-third');
    expect(readFileSync(proxy.configFile, 'utf8')).not.toContain('CANARY');
  });

  test('that is empty is refused, and nothing is changed', async () => {
    const before = readFileSync(proxy.configFile, 'utf8');
    for (const input of ['', '\n']) {
      const { code, stderr } = await withStdin(input, 'upstream', 'edit', 'plain', '--env', 'TOKEN=-');
      expect([code, stderr]).toEqual([2, expect.stringContaining('--env TOKEN: stdin is empty')]);
    }
    expect(readFileSync(proxy.configFile, 'utf8')).toBe(before);
  });

  test('of a change that is refused leaves the old one in its file', async () => {
    const args = ['upstream', 'edit', 'imported', '--env', 'API_TOKEN=-', '--set', 'timeout=never'];
    expect((await withStdin('CANARY-fourth', ...args)).code).not.toBe(0);
    const files = readdirSync(secrets()).map((file) => readFileSync(join(secrets(), file), 'utf8'));
    expect(files.sort()).toEqual(['CANARY-second-0002\n', 'CANARY-third\n']);
  });
});

test('a setting for a tool that does not exist is a warning', async () => {
  const edited = await cli('upstream', 'edit', 'plain', '--set', 'tools.reed_only.enabled=false');
  expect([edited.code, edited.stdout]).toEqual([
    0,
    expect.stringContaining('tools: the server has no tool "reed_only"'),
  ]);
  const change = ['--unset', 'tools.reed_only', '--set', 'tools.read_only.enabled=true'];
  const right = await cli('upstream', 'edit', 'plain', ...change);
  expect(right.stdout).not.toContain('Warnings');
});

test('upstream show has the settings, without secrets', async () => {
  expect(
    (await cli('upstream', 'edit', 'plain', '--set', 'timeout=30s', '--set', 'env.PLAIN=CANARY')).code,
  ).toBe(0);
  const { stdout } = await cli('upstream', 'show', 'plain');
  expect(stdout).toMatch(/\nSettings\ncommand +\S+node\nargs +\[/);
  expect(stdout).toMatch(/timeout +30s/);
  expect(stdout).toMatch(/env\.TOKEN +\$\{file:/);
  const json = await cli('upstream', 'show', 'plain', '-o', 'json');
  expect(JSON.parse(json.stdout)).toMatchObject({ name: 'plain', settings: { timeout: '30s' } });
  expect(stdout + json.stdout).not.toContain('CANARY');
  expect((await cli('upstream', 'show', 'tasks')).stdout).not.toContain('Settings');
});

test('adding a name twice points to upstream edit; options of a program need --', async () => {
  const again = await runHere(['upstream', 'add', 'plain', ...proxy.place, '--', 'node']);
  expect([again.code, again.stderr]).toEqual([2, expect.stringMatching(/mcpproxy .*upstream edit plain/)]);
  const dashes = await cli('upstream', 'add', 'x', 'npx', '-y', 'foo');
  expect([dashes.code, dashes.stderr]).toEqual([
    2,
    expect.stringContaining('mcpproxy upstream add NAME -- PROGRAM ARGUMENTS'),
  ]);
});

describe('a relative path of a program', () => {
  test.each([
    ['upstream', 'add', 'rel-script', process.execPath, './my.mjs'],
    ['upstream', 'add', 'rel-bare', process.execPath, 'my.mjs'],
    ['upstream', 'add', 'rel-program', './start'],
    ['upstream', 'test', process.execPath, './my.mjs'],
  ])('%s %s %s %s %s: is one of the directory where the command was given', async (...words) => {
    const { home, place } = proxy;
    writeFileSync(join(home, 'my.mjs'), `await import(${JSON.stringify(up.args![0])});`);
    writeFileSync(join(home, 'start'), `#!/bin/sh\nexec ${process.execPath} ./my.mjs\n`, { mode: 0o755 });
    const split = words[1] === 'add' ? 3 : 2;
    const argv = [...words.slice(0, split), ...place, '--', ...words.slice(split)];
    const { code, stdout, stderr } = await runCli(argv, { home });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/(?:State|Result) +ready/)]);
    expect(stderr).toContain(`so the server runs in ${home}`);
  });

  test('that is nowhere: the advice is about the path', async () => {
    const argv = ['upstream', 'test', ...proxy.place, '--', process.execPath, './none.mjs'];
    const { code, stdout } = await runCli(argv, { home: proxy.home });
    expect([code, stdout]).toEqual([
      9,
      expect.stringContaining('The file does not exist. Give its full path'),
    ]);
  });
});

describe('import', () => {
  test('of a misspelt client, and of an empty stdin, is an error that says what to do', async () => {
    const near = await cli('import', 'cursr', '--all');
    expect([near.code, near.stderr]).toEqual([2, expect.stringContaining('Did you mean "cursor"?')]);
    const empty = await withStdin(' \n', 'import', '-', '--all');
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('Standard input is empty')]);
    const broken = await withStdin('{"mcpServers": ', 'import', '-', '--all');
    expect([broken.code, broken.stderr]).toEqual([4, expect.stringContaining('next: correct it')]);
    expect(broken.stderr).not.toContain('config validate');
  });

  test('says what it would add, and which of the added servers does not start', async () => {
    const file = join(proxy.home, 'broken.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { gone: { command: 'no-such-program-here' } } }));
    const dry = await cli('import', file, '--all', '--dry-run');
    expect(dry.stdout).toMatch(/gone +broken\.json +would add/);
    const { stdout } = await cli('import', file, '--all', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      dry_run: false,
      servers: [{ state: 'added', warnings: [expect.stringMatching(/^does not start: .*not found/)] }],
    });
    const doctor = await cli('doctor');
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/give its full path: mcpproxy .*upstream edit gone --set command=/);
  });
});
