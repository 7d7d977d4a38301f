// Sends long texts at a steady pace from a process of its own: to every place where a text is looked at, one after the other, whether the
// answers are there or not. Reads its job as JSON from its first argument, builds all bodies, prints "ready", and begins when a line comes
// in; prints what became of the requests as JSON.
//
//   {"url", "key", "pieces", "characters", "perSecond", "forMs"}; without pieces it asks for answers of that length
import { once } from 'node:events';
import { Agent, request } from 'node:http';

const { url, key, pieces, characters, perSecond, forMs } = JSON.parse(process.argv[2]);
const META = 'io.modelcontextprotocol';
const LIMIT_MS = 60_000;
const agent = new Agent({ keepAlive: true, maxSockets: 200 });
const filled = (piece, length) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

const envelope = {
  [`${META}/protocolVersion`]: '2026-07-28',
  [`${META}/clientInfo`]: { name: 'texts', version: '1' },
  [`${META}/clientCapabilities`]: {},
};
function said(name, input) {
  const params = { name, arguments: input, _meta: envelope };
  return {
    path: '/mcp',
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
    body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })),
  };
}
const posted = (path, body) => ({ path, headers: {}, body: Buffer.from(JSON.stringify(body)) });

/** The tools answer with their arguments, so that each text comes back as a result. */
function placesOf(piece) {
  const text = filled(piece, characters);
  const call = (more) =>
    said('call_tool_read', { name: 'up:read_only', intent_operation_type: 'read', ...more });
  return [
    () => call({ args: { text } }),
    () => call({ args_json: JSON.stringify({ text }) }),
    () => call({ args: { [text]: 1 } }),
    () => call({ args: {}, intent_reason: text }),
    () =>
      said('call_tool_write', { name: 'up:not_destructive', intent_operation_type: 'write', args: { text } }),
    () => said('retrieve_tools', { query: text }),
    () => said('describe_tool', { names: [text] }),
    () =>
      posted('/api/v1/tools/call', {
        tool_variant: 'call_tool_read',
        name: 'up:read_only',
        args: { text },
        intent: { operation_type: 'read' },
      }),
    () => posted('/api/v1/chat', { message: filled(piece, 4000) }),
  ];
}

function send({ path, headers, body }) {
  const began = performance.now();
  return new Promise((resolve) => {
    const done = (status) => resolve({ status, ms: performance.now() - began });
    const all = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': body.length,
      ...headers,
    };
    const req = request(`${url}${path}`, { method: 'POST', agent, headers: all, timeout: LIMIT_MS });
    req.on('timeout', () => req.destroy(new Error('late'))).on('error', () => done(0));
    req.on('response', (res) => res.resume().on('close', () => done(res.statusCode)));
    req.end(body);
  });
}

// By place and not by piece, and far apart, so that neighbours are as different as can be.
const byPiece = pieces.map(placesOf);
const asked = () =>
  posted('/api/v1/tools/call', {
    tool_variant: 'call_tool_read',
    name: 'giants:long',
    args: { characters },
    intent: { operation_type: 'read' },
  });
const makers = byPiece[0]?.flatMap((_, place) => byPiece.map((places) => places[place])) ?? [asked];
const STRIDE = 31;
const count = Math.ceil((forMs * perSecond) / 1000);
const made = new Map();
for (let n = 0; n < count; n++) {
  const which = (n * STRIDE) % makers.length;
  if (!made.has(which)) made.set(which, makers[which]());
}
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
const began = performance.now();
const sent = [];
for (let n = 0; n < count; n++) {
  const due = began + (n * 1000) / perSecond;
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
  sent.push(send(made.get((n * STRIDE) % makers.length)));
}
const answers = await Promise.all(sent);
process.stdout.write(`${JSON.stringify(answers)}\n`, () => process.exit(0));
