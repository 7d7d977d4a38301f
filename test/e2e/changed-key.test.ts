import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../fixtures/start.ts';
import { runHere } from './cli-here.ts';
import { runCli, type CliResult } from './run-cli.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

// The daemon reads its key once. Whatever the file says of it later, the commands of its owner reach the daemon.

const OTHER = 'another-key-0123456789';
const servers = { mcpServers: { up: fixture('annotated.mjs') } };

let proxy: RunningProxy;
beforeAll(async () => {
  proxy = await startHere({ config: servers });
});
afterAll(() => proxy.dispose());

const write = (config: unknown) => writeFileSync(proxy.configFile, JSON.stringify(config, null, 2));
const cli = (args: string[], env = {}): Promise<CliResult> => runHere([...args, ...proxy.place], env);
const restartSettings = async () => (await proxy.rest.request('status', {})).needs_restart;
const until = (wanted: string[]) =>
  poll('the file to be read', proxy.stderr, async () =>
    JSON.stringify(await restartSettings()) === JSON.stringify(wanted) ? true : undefined,
  );

test.each([
  ['another key', OTHER],
  ['a variable that is not set', '${env:NO_SUCH_VARIABLE}'],
  ['a file that does not exist', '${file:/no/such/file}'],
])(
  '%s in the file: commands still reach the daemon, and say when the change takes effect',
  async (_, key) => {
    write({ ...servers, api_key: key });
    await until(['api_key']);
    const shown = await cli(['status']);
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toMatch(/Next start +api_key changed in the file; the daemon uses the old value/);
    const { stdout } = await cli(['doctor']);
    expect(stdout).toMatch(/warning +daemon +api_key changed/);
    expect((await cli(['call', 'tool-read', 'up:read_only', '--args', '{"text":"a"}'])).stdout).toBe(
      '{"text":"a"}\n',
    );
    write(servers);
    await until([]);
  },
);

test('a key that is too short makes the file invalid; commands still reach the daemon', async () => {
  write({ ...servers, api_key: 'short' });
  const shown = await cli(['upstream', 'list']);
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/up +ready/)]);
  expect(shown.stderr).toContain('api_key: must have at least 16');
  write(servers);
});

test('mcpproxy stdio reaches it too', async () => {
  write({ ...servers, api_key: OTHER });
  await until(['api_key']);
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'e2e', version: '1' } },
  };
  const { stdout } = await runCli(['stdio', ...proxy.place], {
    home: proxy.home,
    input: `${JSON.stringify(hello)}\n`,
  });
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { serverInfo: { name: 'mcpproxy' } } });
  write(servers);
  await until([]);
});

test('a key that somebody names must be right, and the secret of the commands opens nothing else', async () => {
  const wrong = await cli(['status', '--api-key', OTHER]);
  expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('UNAUTHORIZED')]);
  const { cli_secret: secret } = JSON.parse(readFileSync(join(proxy.dataDir, 'daemon.json'), 'utf8')) as {
    cli_secret: string;
  };
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`${proxy.url}/api/v1/status`, { headers })).status;
  expect(await ask({ 'x-mcpproxy-cli': secret })).toBe(200);
  expect(await ask({ 'x-mcpproxy-cli': 'x' })).toBe(401);
  expect(await ask({ 'x-mcpproxy-cli': secret, 'x-api-key': OTHER })).toBe(401);
  expect(await ask({ 'x-api-key': secret })).toBe(401);
});

test('after a restart the new key is in force', async () => {
  write({ ...servers, api_key: OTHER });
  await proxy.stop();
  proxy = await startHere({ home: proxy.home });
  expect((await cli(['status'])).stdout).not.toContain('Next start');
  const status = (key: string) =>
    fetch(`${proxy.url}/api/v1/status`, { headers: { 'x-api-key': key } }).then((answer) => answer.status);
  expect([await status(OTHER), await status(proxy.key)]).toEqual([200, 401]);
});
