import { spawn } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityPage } from '../../src/contract/activity.ts';
import { fixture } from '../fixtures/start.ts';
import { runHere } from './cli-here.ts';
import { runCli, type CliResult } from './run-cli.ts';
import { cleanEnv, MAIN, startProxy } from './start-proxy.ts';

// No daemon: each command is a proxy of its own for a moment, with the same checks and the same log.

const home = mkdtempSync(join(tmpdir(), 'mcpproxy-cli-'));
const dataDir = join(home, 'data');
const configFile = join(home, 'config.json');
const executions = join(home, 'executions.jsonl');
const place = ['--data-dir', dataDir, '--config', configFile];

beforeAll(() => {
  const config = { mcpServers: { up: fixture('annotated.mjs', '--log', executions) } };
  writeFileSync(configFile, JSON.stringify(config), { mode: 0o600 });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const cli = (...args: string[]): Promise<CliResult> => runCli([...args, ...place], { home });
const executed = (): number =>
  existsSync(executions) ? readFileSync(executions, 'utf8').trim().split('\n').length : 0;

describe('exit codes without a daemon', () => {
  test('0: the call is made and its result printed', async () => {
    const result = await cli('call', 'tool-read', 'up:read_only', '--args', '{"text": "one"}');
    expect(result).toEqual({ code: 0, stdout: '{"text":"one"}\n', stderr: '' });
    expect(executed()).toBe(1);
  });

  test('1: the tool ran and reports an error', async () => {
    const result = await cli('call', 'tool-read', 'up:fails');
    expect(result).toMatchObject({ code: 1, stdout: 'the fixture failed\n' });
    expect(result.stderr).toContain('The tool up:fails returned an error');
    expect(executed()).toBe(2);
  });

  test.each([
    [['call', 'tool-read', 'up:raed_only'], "Did you mean 'up:read_only'"],
    [['call', 'tool-read', 'up:read_only', '--args', '[1]'], 'object'],
    [['call', 'tool-read'], 'Name the tool'],
    [['tools', 'list', '--operation', 'danger'], 'Allowed choices are read, write, destructive'],
  ])('2: %j is wrong, and nothing runs', async (args, says) => {
    const result = await runHere([...args, ...place]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(says);
    expect(executed()).toBe(2);
  });

  test('2: the current directory was removed; a command that does not need it goes on', async () => {
    const gone = join(home, 'gone');
    mkdirSync(gone);
    const script = 'cd "$0" && rmdir "$0" && shift && "$@" --version && "$@" connect --status';
    const args = ['-c', script, gone, gone, process.execPath, MAIN];
    const child = spawn('/bin/sh', args, { env: cleanEnv(home), stdio: ['ignore', 'pipe', 'pipe'] });
    const said = Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = (await once(child, 'exit')) as [number];
    expect([code, ...(await said)]).toEqual([
      2,
      expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      expect.stringContaining('error: The current directory no longer exists'),
    ]);
  });

  test('3: refused by the same checks, and nothing runs', async () => {
    const result = await cli('call', 'tool-read', 'up:destructive', '--args', '{"text": "no"}');
    expect(result).toMatchObject({ code: 3, stdout: '' });
    expect(result.stderr).toContain(
      "Tool 'up:destructive' is marked destructive by server, use call_tool_destructive",
    );
    // With the flags that this command was given.
    expect(result.stderr).toMatch(
      /next: mcpproxy --config \S+ --data-dir \S+ call tool-destructive up:destructive/,
    );
    expect(executed()).toBe(2);
  });

  test('all of it is in the log', async () => {
    const { stdout, code } = await cli('activity', 'list', '-o', 'json');
    expect(code).toBe(0);
    const { records } = JSON.parse(stdout) as ActivityPage;
    expect(
      records.map(({ tool_name, status, error_code, source }) => [tool_name, status, error_code, source]),
    ).toEqual([
      ['destructive', 'refused', 'SERVER_MISMATCH', 'cli'],
      ['read_only', 'refused', 'INVALID_ARGUMENTS', 'cli'],
      ['raed_only', 'refused', 'TOOL_NOT_FOUND', 'cli'],
      ['fails', 'error', undefined, 'cli'],
      ['read_only', 'success', undefined, 'cli'],
    ]);
  });

  test('tools are found and judged', async () => {
    const { stdout } = await runHere(['tools', 'search', 'delete', 'everything', ...place]);
    expect(stdout.split('\n')[1]).toContain('up:delete_everything');
    const held = await runHere(['tools', 'set-operation', 'up:delete_everything', 'destructive', ...place]);
    expect(held.code).toBe(0);
    const refused = await runHere(['call', 'tool-write', 'up:delete_everything', ...place]);
    expect(refused.code).toBe(3);
    expect(executed()).toBe(2);
  });

  test.each([
    ['serve', ['serve', '--listen', '127.0.0.1:0']],
    ['a call', ['call', 'tool-read', 'up:read_only']],
    ['config validate', ['config', 'validate']],
  ])('4: %s with an invalid configuration names file, line and key', async (_, args) => {
    const file = join(home, 'bad.json');
    writeFileSync(file, '{\n  // comment\n  "call_timeout": 5,\n  "mcpServer": {}\n}\n', { mode: 0o600 });
    const { code, stdout, stderr } = await runCli([...args, '--config', file, '--data-dir', dataDir], {
      home,
    });
    expect(code).toBe(4);
    const said = stdout + stderr;
    expect(said).toContain(`${file}:3:3: call_timeout:`);
    expect(said).toContain(`${file}:4:3: mcpServer: unknown key; did you mean "mcpServers"?`);
  });

  test('5: the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    try {
      const { code, stderr } = await cli('serve', '--listen', address);
      expect(code).toBe(5);
      expect(stderr).toContain(`Another program listens on ${address}`);
      expect(stderr).toContain('--listen HOST:PORT');
      expect(existsSync(join(dataDir, 'daemon.json'))).toBe(false);
    } finally {
      other.close();
    }
  });

  test('6: a second serve on the same data directory names the first by its process', async () => {
    const first = await startProxy({ config: {} });
    try {
      const args = [
        'serve',
        '--listen',
        '127.0.0.1:0',
        '--data-dir',
        first.dataDir,
        '--config',
        first.configFile,
      ];
      const { code, stderr } = await runCli(args, { home });
      expect(code).toBe(6);
      expect(stderr).toContain(`process ${first.pid}`);
      expect(stderr).toContain(first.dataDir);
      expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
    } finally {
      await first.dispose();
    }
  });

  test('7: a daemon is needed and none answers', async () => {
    const none = await cli('status');
    expect(none).toMatchObject({ code: 7, stdout: '' });
    expect(none.stderr).toMatch(/Start it with "mcpproxy --config \S+ --data-dir \S+ serve"/);
    const elsewhere = await runHere(['tools', 'list', '--url', 'http://127.0.0.1:1', ...place]);
    expect(elsewhere).toMatchObject({ code: 7, stdout: '' });
    expect(elsewhere.stderr).toContain('http://127.0.0.1:1');
    const noDir = join(home, 'never-made');
    const fresh = await runHere([
      'status',
      '--url',
      'http://127.0.0.1:1',
      '--config',
      configFile,
      '--data-dir',
      noDir,
    ]);
    expect(fresh.code).toBe(7);
    expect(existsSync(noDir)).toBe(false);
  });

  test('a directory in place of the configuration file is a configuration error, not a crash', async () => {
    mkdirSync(join(home, 'folder.json'));
    const { code, stderr } = await runHere([
      'tools',
      'list',
      '--config',
      join(home, 'folder.json'),
      '--data-dir',
      dataDir,
    ]);
    expect(code).toBe(4);
    expect(stderr).toContain('folder.json');
  });
});
