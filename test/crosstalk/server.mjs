// A server that keeps something for each client, on the official SDK, over Streamable HTTP. Prints "LISTENING <port>" once it is ready;
// ends with its stdin.
//
//   node server.mjs [--apart] --era 2025|2026
//     2025: sessions; keeps the roots and the log level of its client. What it asks comes on the stream of the call that caused it
//     --apart: what it asks comes on the stream of the session and does not name its call
//
// Tools: roots {} · level {} · log {tag} · elicit {tag} · sample {tag} · progress {tag} · touch {uri}: announces a change of the resource
// Resources: note:///{owner}/{number}, which can be subscribed to.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import {
  LOG_LEVEL_META_KEY,
  McpServer,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
} from '@modelcontextprotocol/server';

const isApart = process.argv.includes('--apart');
const isOlder = process.argv.at(-1) === '2025';
const sessions = new Map();
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const prompt = (tag) => ({
  messages: [{ role: 'user', content: { type: 'text', text: tag } }],
  maxTokens: 50,
});

/** What the server of the 2025 era does with the client of its session. */
function olderTools({ server }, kept) {
  server.setRequestHandler('logging/setLevel', ({ params }) => ((kept.level = params.level), {}));
  server.setRequestHandler('resources/subscribe', ({ params }) => (kept.watched.add(params.uri), {}));
  server.setRequestHandler('resources/unsubscribe', ({ params }) => (kept.watched.delete(params.uri), {}));
  const options = ({ mcpReq }) => (isApart ? {} : { relatedRequestId: mcpReq.id });
  const askRoots = async (ctx) => (await server.listRoots(undefined, options(ctx))).roots;
  server.setNotificationHandler('notifications/roots/list_changed', () => (kept.roots = undefined));
  return {
    roots: async (_args, ctx) => text((kept.roots ??= (await askRoots(ctx)).map(({ uri }) => uri))),
    level: async () => text(kept.level ?? 'none'),
    elicit: async ({ tag }, ctx) => {
      const form = { message: tag, requestedSchema: FORM };
      return text((await ctx.mcpReq.elicitInput(form, options(ctx))).content?.name);
    },
    sample: async ({ tag }, ctx) => text((await ctx.mcpReq.requestSampling(prompt(tag), options(ctx))).model),
    touch: async ({ uri }) => {
      for (const session of sessions.values())
        if (session.kept.watched.has(uri)) await session.server.sendResourceUpdated({ uri });
      return text('touched');
    },
  };
}

/** The 2026 era asks by results, and every request says everything about its client. */
const newerTools = {
  roots: async (_args, { mcpReq: { inputResponses } }) =>
    inputResponses?.roots
      ? text(inputResponses.roots.roots.map(({ uri }) => uri))
      : inputRequired({ inputRequests: { roots: inputRequired.listRoots() } }),
  level: async (_args, { mcpReq: { envelope } }) => text(envelope?.[LOG_LEVEL_META_KEY] ?? 'none'),
  elicit: async ({ tag }, { mcpReq: { inputResponses } }) =>
    inputResponses?.form
      ? text(inputResponses.form.content?.name)
      : inputRequired({
          inputRequests: { form: inputRequired.elicit({ message: tag, requestedSchema: FORM }) },
        }),
  sample: async ({ tag }, { mcpReq: { inputResponses } }) =>
    inputResponses?.said
      ? text(inputResponses.said.model)
      : inputRequired({ inputRequests: { said: inputRequired.createMessage(prompt(tag)) } }),
  touch: async ({ uri }) => {
    modern.notify.resourceUpdated(uri);
    return text('touched');
  },
};

const commonTools = {
  log: async ({ tag }, { mcpReq }) => {
    await mcpReq.log('emergency', tag);
    return text('logged');
  },
  progress: async ({ tag }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    const params = { progressToken, progress: 1, total: 2, message: tag };
    if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
    return text('done');
  },
};

function createFixture(kept) {
  const mcp = new McpServer(
    { name: 'crosstalk', version: '1.0.0' },
    { capabilities: { tools: {}, logging: {}, resources: { subscribe: true } } },
  );
  const template = new ResourceTemplate('note:///{owner}/{number}', { list: undefined });
  mcp.registerResource('note', template, {}, (uri) => ({ contents: [{ uri: uri.href, text: uri.href }] }));
  const tools = { ...commonTools, ...(kept ? olderTools(mcp, kept) : newerTools) };
  for (const [name, run] of Object.entries(tools)) {
    const properties = { tag: { type: 'string' }, uri: { type: 'string' } };
    const inputSchema = fromJsonSchema({ type: 'object', properties });
    mcp.registerTool(name, { inputSchema, annotations: { readOnlyHint: true } }, run);
  }
  return mcp;
}

const modern = isOlder ? undefined : createMcpHandler(() => createFixture(), { legacy: 'reject' });

async function serveSession(request, parsedBody) {
  const known = sessions.get(request.headers.get('mcp-session-id'));
  if (known) return known.transport.handleRequest(request, { parsedBody });
  if (parsedBody?.method !== 'initialize') return new Response('no session', { status: 404 });
  const kept = { watched: new Set() };
  const mcp = createFixture(kept);
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, { transport, kept, server: mcp.server }),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await mcp.connect(transport);
  return transport.handleRequest(request, { parsedBody });
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

const http = createServer((req, res) => {
  answer(req, res).catch((error) => {
    process.stderr.write(`${error.stack}\n`);
    res.destroy();
  });
});
// A connection that is closed as unused in the moment of its next request fails that request.
http.keepAliveTimeout = 600_000;
http.listen(0, '127.0.0.1', () => process.stdout.write(`LISTENING ${http.address().port}\n`));
process.stdin.on('end', () => process.exit(0)).resume();
