import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixturePath } from '../fixtures/start.ts';
import { toProxyError } from '../../src/contract/errors.ts';
import { exchange, modern, reading } from './raw-token.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

const PRIVATE = 'FATAL: cannot open /srv/private/vault.key';

let proxy: RunningProxy;
let token: string;
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'agent-errors-'));
  const flag = join(dir, 'ok');
  writeFileSync(flag, '');
  // Serves its tools first; without the flag it only complains and ends.
  const script = `
    if (require('node:fs').existsSync(${JSON.stringify(flag)})) import(${JSON.stringify(fixturePath('annotated.mjs'))});
    else { console.error(${JSON.stringify(PRIVATE)}); process.exit(3); }`;
  const mcpServers = { up: { command: process.execPath, args: ['-e', script] } };
  proxy = await startHere({ config: { mcpServers } });
  ({ token } = await proxy.rest.request('createToken', { body: { name: 'agent' } }));
  expect(await call(token)).toContain('"result"');
  rmSync(flag);
  await proxy.rest.request('restartServer', { name: 'up' }).catch(() => undefined);
  await poll('the server to fail', proxy.stderr, async () => {
    const { servers } = await proxy.rest.request('listServers', {});
    return servers.find(({ name }) => name === 'up')?.last_error?.includes(PRIVATE) || undefined;
  });
});
afterAll(async () => {
  await proxy?.dispose();
  rmSync(dir, { recursive: true, force: true });
});

const call = (key: string) =>
  exchange(proxy.url, { token: key, ...modern('tools/call', reading('up:read_only')) }).ended;

test('the operator is told what a server wrote to its stderr, an agent is not', async () => {
  for (const key of [token, proxy.key]) {
    const text = await call(key);
    expect(text).toContain('SERVER_UNAVAILABLE');
    expect(text).not.toContain('private');
  }
  const body = {
    tool_variant: 'call_tool_read' as const,
    name: 'up:read_only',
    args: {},
    intent: { operation_type: 'read' as const },
  };
  const error = toProxyError(await proxy.rest.request('callTool', { body }).catch((cause: unknown) => cause));
  expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE', message: expect.stringContaining(PRIVATE) });
  const query = { type: 'tool_call' as const, status: 'error' as const, limit: 10 };
  const { records } = await proxy.rest.request('listActivity', query);
  expect(records.map(({ error_message: message }) => message?.includes(PRIVATE))).toEqual([true, true, true]);
});
