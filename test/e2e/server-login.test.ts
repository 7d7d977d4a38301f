import { afterEach, beforeEach, expect, test } from 'vitest';
import { startLoginServer, type LoginServer } from '../fixtures/login-server.ts';
import { finished, runCli, spawnCli } from './run-cli.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

let server: LoginServer;
let proxy: RunningProxy;
beforeEach(async () => {
  server = await startLoginServer();
  proxy = await startHere({ config: { mcpServers: { notes: { url: server.url } } } });
});
afterEach(async () => {
  await proxy.dispose();
  await server.stop();
});

const view = () => proxy.rest.request('getServer', { name: 'notes' });
const untilReady = () =>
  poll('the server to be ready', proxy.stderr, async () => (await view()).state === 'ready' || undefined);
const call = (name: string) =>
  proxy.rest.request('callTool', {
    body: {
      tool_variant: 'call_tool_read',
      name: `notes:${name}`,
      args: {},
      intent: { operation_type: 'read' },
    },
  });

test('a person logs in with the browser, and logs out', async () => {
  expect(await view()).toMatchObject({
    state: 'needs_login',
    login: { needed: true, scopes: ['tools'] },
    next_step: 'Run: mcpproxy upstream login notes',
  });
  await expect(call('echo')).rejects.toThrow(
    "Server 'notes' needs a log-in. Ask the operator to run: mcpproxy upstream login notes",
  );
  const begun = await proxy.rest.request('startLogin', { name: 'notes', body: {} });
  const page = await fetch(await server.agree(begun.authorization_url!));
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('Logged in');
  await untilReady();
  await call('echo');
  expect(await view()).toMatchObject({
    login: { needed: false, issuer: server.origin, scopes: ['tools'], refreshes: true },
  });
  expect(await proxy.rest.request('logoutServer', { name: 'notes' })).toEqual({ revoked: true });
  expect(server.revoked).toHaveLength(2);
  await poll(
    'the server to need a log-in',
    proxy.stderr,
    async () => (await view()).state === 'needs_login' || undefined,
  );
});

test('a server that is removed is logged out: added again, it asks for a log-in', async () => {
  const begun = await proxy.rest.request('startLogin', { name: 'notes', body: {} });
  await fetch(await server.agree(begun.authorization_url!));
  await untilReady();
  await proxy.rest.request('removeServer', { name: 'notes' });
  expect(server.revoked).toHaveLength(2);
  await proxy.rest.request('addServer', { body: { name: 'notes', config: { url: server.url } } });
  await poll(
    'the server to need a log-in',
    proxy.stderr,
    async () => (await view()).state === 'needs_login' || undefined,
  );
});

test('on a machine without a browser, the redirect is pasted', async () => {
  const child = spawnCli(['upstream', 'login', 'notes', '--paste', ...proxy.place], { home: proxy.home });
  const page = await new Promise<string>((done) =>
    child.stdout.once('data', (text: Buffer) => done(text.toString().trim())),
  );
  child.stdin.end(`${await server.agree(page)}\n`);
  const { code } = await finished(child);
  expect(code).toBe(0);
  expect((await view()).state).toBe('ready');
  const out = await runCli(['upstream', 'logout', 'notes', '-o', 'json', ...proxy.place], {
    home: proxy.home,
  });
  expect(JSON.parse(out.stdout)).toEqual({ revoked: true });
});
