import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startUpstreams, stopUpstreams } from '../../../test/fixtures/upstreams.ts';

let server: Server | undefined;
afterEach(async () => {
  await stopUpstreams();
  server?.closeAllConnections();
  server?.close();
});

/** A server of the older revisions that leaves an unknown method unanswered for good. */
async function silentServer(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  server = createServer((request, answer) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      if (request.method !== 'POST') return answer.writeHead(405).end();
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      asked.push(method);
      if (method === 'server/discover') return undefined;
      if (id === undefined) return answer.writeHead(202).end();
      const capabilities = { tools: {} };
      const serverInfo = { name: 'silent', version: '1' };
      const result =
        method === 'initialize'
          ? { protocolVersion: '2025-11-25', capabilities, serverInfo }
          : { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
      answer.setHeader('content-type', 'application/json');
      return answer.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((done) => server!.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, asked };
}

test('a URL that never answers server/discover is reached by initialize, and asked only that from then on', async () => {
  const { url, asked } = await silentServer();
  const { upstreams, until } = await startUpstreams({ far: { url, startup_timeout: '6s' } });
  await until('it to be ready', () => upstreams.view('far')?.state === 'ready');
  expect(upstreams.view('far')).toMatchObject({ protocol: '2025-11-25', tool_count: 1 });
  expect(asked.slice(0, 2)).toEqual(['server/discover', 'initialize']);
  asked.length = 0;
  expect(await upstreams.restart('far')).toMatchObject({ state: 'ready' });
  expect(asked[0]).toBe('initialize');
  expect(asked).not.toContain('server/discover');
});
