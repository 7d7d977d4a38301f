import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../fixtures/start.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';

let proxy: RunningProxy;
beforeAll(async () => {
  const mcpServers = { up: fixture('annotated.mjs') };
  proxy = await startProxy({ config: { mcpServers, trusted_proxies: ['127.0.0.1'], drain_delay: '60s' } });
});
afterAll(() => proxy?.dispose());

const post = (path: string, headers: Record<string, string>, body: object) =>
  fetch(proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function cookieBy(headers: Record<string, string>): Promise<string> {
  const answer = await post('/web/session', headers, { key: proxy.key });
  expect(answer.status).toBe(200);
  return answer.headers.get('set-cookie')!;
}

test('a trusted balancer says whether the client uses TLS: then the cookie is Secure', async () => {
  expect(await cookieBy({ 'x-forwarded-proto': 'https' })).toMatch(/; Secure/);
  // What the client itself has sent stands before what the balancer says.
  expect(await cookieBy({ 'x-forwarded-proto': 'https, http' })).not.toMatch(/Secure/);
  expect(await cookieBy({})).not.toMatch(/Secure/);
  await proxy.rest.request('updateConfig', { body: { trusted_proxies: ['192.0.2.1'] } });
  await poll('the change', proxy.stderr, async () =>
    (await cookieBy({ 'x-forwarded-proto': 'https' })).includes('Secure') ? undefined : true,
  );
});

test('after SIGTERM it is not ready and serves on, for as long as drain_delay says', async () => {
  process.kill(proxy.pid, 'SIGTERM');
  await poll('the proxy to be not ready', proxy.stderr, async () => {
    const answer = await fetch(`${proxy.url}/readyz`);
    const text = await answer.text();
    return answer.status === 503 && text.includes('stopping') ? true : undefined;
  });
  expect((await fetch(`${proxy.url}/healthz`)).status).toBe(200);
  const called = await proxy.rest.request('callTool', {
    body: {
      tool_variant: 'call_tool_read',
      name: 'up:read_only',
      args: { text: 'still' },
      intent: { operation_type: 'read' },
    },
  });
  expect(JSON.stringify(called)).toContain('still');
  await proxy.stop('SIGKILL');
});
