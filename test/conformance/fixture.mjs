// The server that stands behind the proxy while the conformance suite runs: the tools, prompts and resources that the suite names, on the
// official SDK, over Streamable HTTP. Prints "LISTENING <port>" once it is ready; ends with its stdin.
//
//   node fixture.mjs [--era 2025|2026]    2025: sessions, revision 2025-11-25 and older (default: 2026-07-28)
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import {
  McpServer,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
} from '@modelcontextprotocol/server';
import { addAskingTools } from './fixture-asks.mjs';
import { addContentTools } from './fixture-content.mjs';
import { addInputTools } from './fixture-input.mjs';
import { addPrompts, addResources } from './fixture-items.mjs';

const older = process.argv.includes('--era') && process.argv.at(-1) === '2025';
const codec = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) });
const sessions = new Map();

function createFixture() {
  const server = new McpServer(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: { tools: {}, logging: {}, prompts: {}, resources: { subscribe: true }, completions: {} },
      requestState: { verify: (...given) => codec.verify(...given) },
    },
  );
  const addTool = (name, run, inputSchema = { type: 'object', properties: {} }) =>
    server.registerTool(
      name,
      {
        description: `Fixture tool ${name}`,
        inputSchema: fromJsonSchema(inputSchema),
        annotations: { readOnlyHint: true },
      },
      run,
    );
  addContentTools(addTool);
  if (older) addAskingTools(addTool);
  addInputTools(addTool, codec);
  addPrompts(server);
  addResources(server);
  return server;
}

const modern = older ? undefined : createMcpHandler(createFixture, { legacy: 'reject' });

async function serveSession(request, body) {
  const known = sessions.get(request.headers.get('mcp-session-id'));
  if (known) return known.handleRequest(request, { parsedBody: body });
  if (body?.method !== 'initialize') return new Response('no session', { status: 404 });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await createFixture().connect(transport);
  return transport.handleRequest(request, { parsedBody: body });
}

async function answer(req, res) {
  const raw = Buffer.concat(await Readable.from(req).toArray());
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  const request = new Request(`http://${req.headers.host}${req.url}`, {
    method: req.method,
    headers: new Headers(req.headers),
    signal: gone.signal,
    ...(raw.length > 0 && { body: raw }),
  });
  const parsedBody = raw.length > 0 ? JSON.parse(raw) : undefined;
  const response = await (modern ? modern.fetch(request, { parsedBody }) : serveSession(request, parsedBody));
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) return res.end();
  res.flushHeaders();
  return Readable.fromWeb(response.body)
    .on('error', () => res.destroy())
    .pipe(res);
}

const server = createServer((req, res) => {
  answer(req, res).catch((error) => {
    process.stderr.write(`${error.stack}\n`);
    res.destroy();
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`LISTENING ${server.address().port}\n`));
process.stdin.on('end', () => process.exit(0)).resume();
