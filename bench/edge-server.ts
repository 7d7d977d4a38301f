import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { Server as SessionServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createLog } from '../src/lib/log.ts';
import { createMcpEndpoint } from '../src/doors/mcp/http/endpoint.ts';
import { answerTo } from './echo-answers.ts';
import { listen, readBody, sendJson } from './listen.ts';
import type { Rpc } from './wire.ts';

// One echo tool behind different MCP endpoints.
// usage: edge-server.js bare | own | sdk-session | sdk-handler

type AsyncListener = (...exchange: Parameters<RequestListener>) => Promise<void>;

const INFO = { name: 'edge', version: '1.0.0' };
const CAPABILITIES = { capabilities: { tools: {} } };

function echoed(args: unknown): { content: Array<{ type: 'text'; text: string }> } {
  return { content: [{ type: 'text', text: (args as { text: string }).text }] };
}

function bare(): RequestListener {
  return (request, response) =>
    readBody(request, (body) => {
      const answer = answerTo(JSON.parse(body) as Rpc);
      if (answer) sendJson(response, JSON.stringify(answer));
      else response.writeHead(202, { 'content-length': 0 }).end();
    });
}

function own(): RequestListener {
  const endpoint = createMcpEndpoint({
    handleTool: async (request) => echoed(request.arguments),
    listTools: () => ({ tools: [] }),
    instructions: '',
    version: INFO.version,
    activity: { open: () => ({ id: '', durable: async () => {}, close: async () => {} }) },
    log: createLog('silent'),
  });
  const client = { principal: 'operator', userId: 'operator', requestId: 'request' };
  return (request, response) => endpoint.handle(request, response, client);
}

/** Line 1.x: a server and a transport per session. */
function sdkSession(): RequestListener {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new SessionServer(INFO, CAPABILITIES);
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => echoed(params.arguments));
    await server.connect(transport);
    return transport;
  };
  const serve: AsyncListener = async (request, response) => {
    const transport = sessions.get(String(request.headers['mcp-session-id'])) ?? (await open());
    await transport.handleRequest(request, response);
  };
  return (request, response) => void serve(request, response);
}

/** Line 2.x: a server per request. It speaks Request and Response, so a few lines carry those to node:http. */
function sdkHandler(): RequestListener {
  const handler = createMcpHandler(() => {
    const server = new Server(INFO, CAPABILITIES);
    server.fallbackRequestHandler = async ({ params }) =>
      echoed((params as { arguments: unknown }).arguments);
    return server;
  });
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    readBody(request, (body) => {
      const headers = request.headers as Record<string, string>;
      const asked = new Request(`http://${request.headers.host}${request.url}`, {
        method: 'POST',
        headers,
        body,
      });
      void handler.fetch(asked).then(async (answer) => {
        const text = await answer.text();
        response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
      });
    });
  return serve;
}

const kinds: Record<string, () => RequestListener> = {
  bare,
  own,
  'sdk-session': sdkSession,
  'sdk-handler': sdkHandler,
};
const make = kinds[process.argv[2] ?? ''];
if (!make) throw new Error(`usage: edge-server.js ${Object.keys(kinds).join(' | ')}`);
listen(make());
