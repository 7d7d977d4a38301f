import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';

/** What reached the server, header by header as it was written. */
export interface Reached {
  method: string;
  headers: Array<[string, string]>;
  name?: string;
  args?: Record<string, unknown>;
}

/** A server of 2026-07-28 over HTTP that lists the tools it is given, as they are, and keeps every call with its headers. */
export async function startHeaderServer(tools: unknown[]) {
  const calls: Reached[] = [];
  const answers: Record<string, unknown> = {
    'server/discover': {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'headers', version: '1' } },
    },
    'tools/list': { tools, resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
    'tools/call': { content: [{ type: 'text', text: 'ran' }], resultType: 'complete' },
  };
  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'POST') return void res.writeHead(405).end();
    const { id, method, params } = JSON.parse(await textOf(req)) as {
      id?: unknown;
      method: string;
      params?: { name?: string; arguments?: Record<string, unknown> };
    };
    if (method === 'tools/call')
      calls.push({ method, headers: pairs(req), name: params!.name!, args: params!.arguments! });
    if (id === undefined) return void res.writeHead(202).end();
    const result = answers[method];
    const body = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
    res.writeHead(result ? 200 : 404, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  }
  const server = createServer((req, res) => void respond(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function pairs({ rawHeaders }: IncomingMessage): Array<[string, string]> {
  return Array.from({ length: rawHeaders.length / 2 }, (_, i) => [
    rawHeaders[2 * i]!.toLowerCase(),
    rawHeaders[2 * i + 1]!,
  ]);
}
