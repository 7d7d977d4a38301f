import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import { deepText, headerText, jsonText, percent, text } from './arbitraries.ts';
import { fuzz } from './cases.ts';
import { ENVELOPE, legacyMessage, mayRun, modernMessage } from './messages.ts';
import { startStage, type Sent, type Stage } from './stage.ts';

let stage: Stage;
let session: string;
let batching: string;
beforeAll(async () => {
  stage = await startStage();
  session = await open('2025-11-25');
  batching = await open('2025-03-26');
});
afterAll(() => stage.stop());

type Header = readonly [string, string];
const JSON_TYPE: Header = ['content-type', 'application/json'];
const ACCEPT: Header = ['accept', 'application/json, text/event-stream'];

async function open(protocolVersion: string): Promise<string> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } };
  const { head } = await post(
    [JSON_TYPE, ACCEPT],
    JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  );
  return /mcp-session-id: ([0-9a-f]+)/.exec(head)![1]!;
}

const post = (headers: Header[], body: Sent['body']) =>
  stage.send({ path: '/mcp', headers, ...(body !== undefined && { body }) });

/** Whatever reached the server was a call that says what it is, and was answered with a result. */
async function check(headers: Header[], body: string): Promise<void> {
  const before = stage.calls();
  const answer = await post(headers, body);
  if (stage.calls() === before) return;
  if (answer.status !== 200 || !/"result"/.test(answer.body))
    throw new Error(`it ran, and the answer is ${answer.status} ${answer.body}`);
  const messages: unknown = JSON.parse(body);
  if (![messages].flat().some(mayRun)) throw new Error(`it ran, and is no call that may: ${body}`);
}

/** What a client of 2026-07-28 repeats in its headers. */
function mirrored(message: unknown): Header[] {
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { name?: unknown; uri?: unknown } | null;
  };
  const name = params?.name ?? params?.uri;
  const plain = (value: string): string =>
    /^[\x21-\x7e]+$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
  return [
    ['mcp-protocol-version', '2026-07-28'],
    ...(typeof method === 'string'
      ? [
          [
            'mcp-method',
            Buffer.from(method)
              .toString('latin1')
              .replace(/[\r\n]/g, ''),
          ] as const,
        ]
      : []),
    ...(typeof name === 'string' ? [['mcp-name', plain(name)] as const] : []),
  ];
}

fuzz('mcp: modern messages', modernMessage, (message) =>
  check([JSON_TYPE, ACCEPT, ...mirrored(message)], JSON.stringify(message) ?? ''),
);

fuzz(
  'mcp: 2025 messages',
  fc.oneof({ weight: 4, arbitrary: legacyMessage }, fc.array(legacyMessage, { maxLength: 4 })),
  (message) => {
    const id = Array.isArray(message) ? batching : session;
    return check([JSON_TYPE, ACCEPT, ['mcp-session-id', id]], JSON.stringify(message) ?? '');
  },
);

const bytes = fc.oneof(
  jsonText,
  deepText.map((deep) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`),
  fc.tuple(jsonText, jsonText).map(([a, b]) => `${a}${b}`),
  jsonText.map((one) => `\ufeff${one}`),
);
const types = fc.oneof(
  { weight: 3, arbitrary: fc.constant('application/json') },
  fc.constantFrom(
    'application/json; charset=utf-16',
    'APPLICATION/JSON;',
    'application/jsonx',
    'text/plain',
    'multipart/form-data',
  ),
  headerText,
);
const encodings = fc.option(fc.constantFrom('gzip', 'br', 'identity', 'deflate, gzip', 'x'), {
  nil: undefined,
  freq: 4,
});

fuzz(
  'mcp: bodies that are no message',
  fc.tuple(types, encodings, fc.oneof(bytes, fc.uint8Array({ maxLength: 60 })), fc.boolean()),
  async ([type, encoding, body, old]) => {
    const before = stage.calls();
    const { status } = await post(
      [
        ['content-type', type],
        ACCEPT,
        ...(encoding ? [['content-encoding', encoding] as const] : []),
        ...(old ? [['mcp-session-id', session] as const] : []),
      ],
      typeof body === 'string' ? body : Buffer.from(body),
    );
    if (stage.calls() !== before) throw new Error('it ran');
    if (status < 200 || status > 499) throw new Error(`answered with ${status}`);
  },
);

const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'call_tool_destructive',
    arguments: { name: 'up:destructive', args: {}, intent_operation_type: 'destructive' },
    _meta: ENVELOPE,
  },
};
const names = fc.constantFrom(
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'accept',
  'last-event-id',
  'mcp-param-region',
  'content-type',
  'origin',
  'x-request-id',
  'expect',
  'Mcp-Method',
  '__proto__',
  'constructor',
);
const values = fc.oneof(
  headerText,
  fc.constantFrom(
    '2026-07-28',
    '2025-06-18',
    'tools/call',
    'call_tool_read',
    'call_tool_destructive',
    'tools/list',
    '*/*',
    'null',
    '100-continue',
  ),
);
const methods = fc.oneof(
  { weight: 4, arbitrary: fc.constant('POST') },
  fc.constantFrom('GET', 'DELETE', 'PUT', 'OPTIONS', 'HEAD'),
);
const queries = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  text.map((query) => `?${percent(query)}`),
);

/** A destructive call under headers that say anything: it runs only where they all say the same as the body. */
fuzz(
  'mcp: headers',
  fc.tuple(methods, queries, fc.array(fc.tuple(names, values), { maxLength: 4 }), fc.boolean()),
  async ([method, query, extra, whole]) => {
    const before = stage.calls();
    const headers = [...(whole ? [JSON_TYPE, ACCEPT, ...mirrored(CALL)] : [JSON_TYPE, ACCEPT]), ...extra];
    const { status } = await stage.send({
      method,
      path: `/mcp${query}`,
      headers,
      body: JSON.stringify(CALL),
    });
    if (stage.calls() === before) return;
    const said = (name: string) =>
      headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value.trim());
    const agrees = (name: string, value: string) =>
      said(name).every((one) => one === value) && said(name).length === 1;
    const good =
      agrees('mcp-method', CALL.method) &&
      agrees('mcp-name', CALL.params.name) &&
      agrees('mcp-protocol-version', '2026-07-28');
    if (status !== 200 || method !== 'POST' || !good)
      throw new Error(`it ran under ${JSON.stringify(headers)}`);
  },
);
