import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import { API_PREFIX, type RouteName } from '../../src/contract/routes/api.ts';
import { broken, changed, headerText, json, jsonText, text } from './arbitraries.ts';
import { fuzz } from './cases.ts';
import { answered } from './in-time.ts';
import { startStage, type Stage } from './stage.ts';
import { sendAndEnd } from './raw-line.ts';
import { anyRequest, APART, encode, filled, JSON_TYPE, sendFilled, type Filled } from './rest-requests.ts';

let stage: Stage;
let server: Stage;
beforeAll(async () => {
  [stage, server] = await Promise.all([startStage(), startStage()]);
});
afterAll(() => Promise.all([stage.stop(), server.stop()]));

fuzz('rest: what the schemas allow, changed a little', anyRequest, async (given) => {
  const before = stage.calls();
  const { status, body } = await sendFilled(stage, given);
  if (status >= 400 && stage.calls() !== before)
    throw new Error(`it ran, and the answer is ${status} ${body}`);
});

const segment = fc.oneof(
  text,
  broken(fc.constantFrom('/tools/up:read_only', '/activity/x/chain', '/tools/search', '/servers/up/logs')),
);
const methods = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS');
const types = fc.oneof(
  fc.constantFrom('application/json', 'text/plain', 'application/json;x', ''),
  headerText,
);
const starts = fc.constantFrom(
  '',
  API_PREFIX,
  `${API_PREFIX}/tools/`,
  `${API_PREFIX}/activity?`,
  `${API_PREFIX}/tools/search?q=`,
  '/web/session',
  '/healthz',
  '/metrics',
  '/openapi.json',
);
/** Percent sequences or raw bytes, but nothing that would end the request line. */
const rawPath = fc.tuple(starts, segment, fc.boolean()).map(([start, rest, escape]) => {
  const path = escape
    ? encode(rest)
    : Buffer.from(rest)
        .toString('latin1')
        .replace(/[\s\0-\x20\x7f]/g, '');
  return start === '' ? `/${path}` : start + path;
});

fuzz(
  'rest: paths, queries and encodings',
  fc.tuple(methods, rawPath, types, fc.option(jsonText)),
  async ([method, path, type, body]) => {
    const before = stage.calls();
    await stage.send({ method, path, headers: [['content-type', type]], ...(body !== null && { body }) });
    if (stage.calls() !== before) throw new Error(`${method} ${path} ran something`);
  },
);

/** The signature of a cookie that does not end in time, or ends in no time at all. */
const cookie = fc.oneof(
  headerText,
  fc
    .tuple(
      fc.oneof(fc.constantFrom('0', '9'.repeat(16), '1e9', '-1', '9'.repeat(40)), headerText),
      headerText,
      fc.boolean(),
    )
    .map(([expires, nonce, isSigned]) => {
      const id = `${expires}.${nonce}`;
      const mac = createHmac('sha256', isSigned ? stage.key : 'other')
        .update(`mcpproxy web session ${id}`)
        .digest('base64url');
      return `${id}.${mac}`;
    }),
);
const login = changed(fc.oneof(fc.record({ key: text }), fc.record({ code: text })));

fuzz(
  'log-in: keys, cookies and codes',
  fc.tuple(
    methods,
    cookie,
    headerText,
    fc.option(login),
    fc.constantFrom('/web/session', `${API_PREFIX}/status`, `${API_PREFIX}/login-links`),
  ),
  async ([method, value, key, body, path]) => {
    const headers = [
      JSON_TYPE,
      ['cookie', `mcpproxy_session_${stage.port}=${value}`],
      ['authorization', `Bearer ${key}`],
      ['x-mcpproxy-csrf', key],
    ] as const;
    const { status } = await stage.send({ method, path, headers: [...headers], body: JSON.stringify(body) });
    const isOpen = status < 400 && (path !== '/web/session' || method === 'POST');
    if (isOpen) throw new Error(`${method} ${path} was opened by ${value} or ${key}`);
  },
);

const eventId = fc.oneof(
  headerText,
  broken(fc.constant('m1abc-run-1.log:1')).map((id) =>
    Buffer.from(id)
      .toString('latin1')
      .replace(/[\r\n]/g, ''),
  ),
);

fuzz('events: Last-Event-ID', eventId, async (id) => {
  await stage.send({ method: 'GET', path: `${API_PREFIX}/events`, headers: [['last-event-id', id]] });
});

const lines = fc.tuple(
  fc.oneof(
    fc.constantFrom(
      'GET /healthz HTTP/1.1',
      'POST /mcp HTTP/1.1',
      'GET http://evil/ HTTP/1.1',
      'GET /mcp HTTP/3.0',
      'CONNECT a:1 HTTP/1.1',
    ),
    text,
  ),
  fc.array(
    fc.oneof(
      fc.constantFrom(
        'Content-Length: 5',
        'Content-Length: -1',
        'Transfer-Encoding: chunked',
        'Host: 127.0.0.1',
        'Expect: 100-continue',
        'Connection: Upgrade',
        'Upgrade: websocket',
      ),
      text,
    ),
    { maxLength: 6 },
  ),
  text,
);
fuzz('http: bytes that are hardly a request', lines, async ([first, rest, body]) => {
  const before = stage.calls();
  const bytes = [first, `X-API-Key: ${stage.key}`, 'Connection: close', ...rest, '', body].join('\r\n');
  const status = await answered(sendAndEnd(stage.port, Buffer.from(`${bytes}\r\n\r\n`)), bytes);
  if (status >= 500 || stage.faults.length > 0 || stage.calls() !== before)
    throw new Error(`${status} ${stage.faults.splice(0).join('')}`);
});

/** Nothing is started and nobody is dialled but addresses that lead nowhere. */
function harmless(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    if (key === 'command' || key === 'notify') return '/nonexistent/program';
    return key === 'url' ? 'http://127.0.0.1:1/' : value;
  }
  if (key === 'notify') return null;
  if (Array.isArray(value)) return value.map((item) => harmless(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, harmless(item, name)]));
}
const apart = (name: RouteName) => filled(name).map((given) => ({ ...given, body: harmless(given.body) }));

fuzz('rest: servers', fc.oneof(...APART.slice(1).map((name) => apart(name))), async (given) => {
  await sendFilled(server, given);
});

const settings = fc.record(
  {
    intent_declaration: json,
    approvals: json,
    call_timeout: text,
    tools: json,
    activity: json,
    allowed_hosts: fc.array(text),
    quarantine: json,
    scanner: json,
    validate_arguments: json,
  },
  { requiredKeys: [] },
);
fuzz(
  'rest: settings',
  fc.oneof(
    apart('updateConfig'),
    settings.map((body): Filled => ({
      name: 'updateConfig',
      params: {},
      query: {},
      body: harmless(body),
    })),
  ),
  async (given) => {
    await sendFilled(server, given);
  },
);
