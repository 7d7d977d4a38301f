import fc from 'fast-check';
import type { Dispatcher } from 'undici';
import { HttpExchange, type ExchangeOwner } from '../../src/upstream/transport/http-exchange.ts';
import { Lane, readAnswer, type LaneError } from '../../src/upstream/transport/lane.ts';
import { LineSplitter } from '../../src/lib/message-stream.ts';
import { listTools } from '../../src/upstream/connection/list-tools.ts';
import { headersFor, paramHeaders } from '../../src/lib/param-headers.ts';
import { answerId, parseMessages, type RpcMessage } from '../../src/lib/rpc.ts';
import { createArgumentChecker } from '../../src/catalog/arguments/argument-checker.ts';
import { inferOperation } from '../../src/catalog/verdict/infer-operation.ts';
import { scanDefinition } from '../../src/scanner/scan-definition.ts';
import { broken, changed, json, jsonText, text } from './arbitraries.ts';
import { fuzz } from './cases.ts';
import { answered, inTime } from './in-time.ts';

const ID = 1_000_000_000;
const good = { jsonrpc: '2.0', id: ID, result: { content: [{ type: 'text', text: 'ok' }] } };
const message = fc.oneof(
  changed(fc.constant(good)),
  changed(
    fc.constant({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: ID, progress: 1 },
    }),
  ),
  changed(fc.constant({ jsonrpc: '2.0', id: ID, error: { code: -1, message: 'no' } })),
);
const line = fc.oneof(
  message.map((value) => JSON.stringify(value) ?? ''),
  broken(fc.constant(JSON.stringify(good))),
  jsonText,
  text,
);

/** Whatever a server writes: the one request gets one answer at most, and it is the one that names it. */
fuzz(
  'upstream: messages on a pipe',
  fc.tuple(fc.array(line, { maxLength: 6 }), fc.integer({ min: 1, max: 50 })),
  ([lines, step]) => {
    const lane = new Lane({ send: () => undefined }, undefined);
    const answers: RpcMessage[] = [];
    lane.request(
      'tools/call',
      {},
      { answered: (one) => void answers.push(one), lost: () => undefined, progressed: () => undefined },
    );
    const sink = {
      line(one: string) {
        const parsed = parseMessages(one);
        if ('messages' in parsed) for (const each of parsed.messages) lane.accept(each);
        else inTime(() => answerId(one.slice(0, 256), one.slice(-256)));
      },
      oversize: () => undefined,
      endless: () => undefined,
    };
    const splitter = new LineSplitter(sink, 100_000);
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    inTime(() => {
      for (let at = 0; at < bytes.length; at += step) splitter.push(bytes.subarray(at, at + step));
      splitter.end();
    });
    if (answers.length > 1 || answers.some(({ id }) => id !== ID))
      throw new Error('an answer that is not its own');
    for (const one of answers) inTime(() => readAnswer(one));
  },
);

const heads = fc.record(
  {
    'content-type': fc.oneof(
      fc.constantFrom('application/json', 'text/event-stream', 'text/html', 'application/problem+json'),
      text,
    ),
    'content-encoding': fc.oneof(fc.constantFrom('gzip', 'br', 'deflate', 'identity', 'zstd'), text),
    location: fc.oneof(fc.constantFrom('/other', 'http://evil/', '//evil', 'http://['), text),
  },
  { requiredKeys: ['content-type'] },
);
const bodies = fc.oneof(
  line,
  fc
    .array(
      fc.oneof(
        line.map((data) => `data: ${data}`),
        fc.constantFrom('', 'id: 1', 'retry: 5', 'retry: 99999999999', 'event: message', ': hi'),
        text,
      ),
      { maxLength: 8 },
    )
    .map((lines) => lines.join('\n')),
);
const status = fc.oneof(
  { weight: 3, arbitrary: fc.constant(200) },
  fc.constantFrom(100, 202, 204, 301, 307, 308, 400, 401, 404, 500, 599),
);

interface Exchanged {
  code: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Bytes at a time. */
  step: number;
  /** Whether the connection breaks before the end. */
  cut: boolean;
}

/** One exchange, driven as the HTTP parser would: it ends in exactly one way. */
function exchanged({ code, headers, body, step, cut }: Exchanged): Promise<string> {
  return new Promise((resolve, reject) => {
    let ends = 0;
    const end = (how: string) => (++ends > 1 ? reject(new Error('it ended twice')) : resolve(how));
    const owner: ExchangeOwner = {
      connectMs: 10_000,
      idleMs: 10_000,
      deliver: () => undefined,
      lingers: () => undefined,
      finished: (_, error: LaneError | undefined) => end(error?.fault ?? 'answered'),
      redirected: () => false,
      bearer: undefined,
      challenged: () => undefined,
      resume: () => end('resumed'),
    };
    const exchange = new HttpExchange(owner, { jsonrpc: '2.0', id: ID, method: 'tools/call' }, {});
    const aborted: Error[] = [];
    const controller = {
      abort: (why: Error) => void aborted.push(why),
      pause: () => undefined,
      resume: () => undefined,
    };
    const as = controller as unknown as Dispatcher.DispatchController;
    exchange.onRequestStart(as);
    exchange.onResponseStart(as, code, headers);
    for (let at = 0; at < body.length && aborted.length === 0; at += step)
      exchange.onResponseData(as, body.subarray(at, at + step));
    if (aborted.length > 0 || cut) exchange.onResponseError(as, aborted[0] ?? new Error('reset'));
    else exchange.onResponseEnd();
  });
}
fuzz(
  'upstream: answers over HTTP',
  fc.tuple(status, heads, bodies, fc.integer({ min: 1, max: 100 }), fc.boolean()),
  async ([code, headers, body, step, cut]) => {
    await answered(exchanged({ code, headers, body: Buffer.from(body), step, cut }), body);
  },
);

const schema = changed(
  fc.constant({
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region', pattern: '^[a-z]+$' },
      n: { type: 'integer', minimum: 1 },
      any: { anyOf: [{ type: 'null' }, { $ref: '#/properties/n' }] },
    },
    required: ['region'],
  }),
);
const tool = changed(
  fc.record(
    {
      name: fc.oneof(text, fc.constantFrom('get', 'drop')),
      description: text,
      inputSchema: schema,
      annotations: fc.dictionary(text, json),
    },
    { requiredKeys: ['name', 'inputSchema'] },
  ),
);
const page = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      tools: fc.array(tool, { maxLength: 4 }),
      nextCursor: fc.oneof(text, fc.constant(undefined)),
    }),
  },
  json,
);
const checker = createArgumentChecker();

/** Whatever a server lists: what is kept of it has a name and a schema, and everything that is made of it can be made. */
fuzz(
  'upstream: lists of tools',
  fc.tuple(fc.array(page, { minLength: 1, maxLength: 3 }), json),
  async ([pages, given]) => {
    let at = 0;
    const next = async () => (pages[at++] ?? {}) as Record<string, unknown>;
    const { tools } = await answered(listTools(next), 'a list');
    if (new Set(tools.map(({ name }) => name)).size !== tools.length) throw new Error('a name twice');
    const args = (
      typeof given === 'object' && !Array.isArray(given) ? (given ?? {}) : { region: given }
    ) as Record<string, unknown>;
    for (const definition of tools) {
      if (typeof definition.name !== 'string' || typeof definition.inputSchema !== 'object')
        throw new Error('not a tool');
      inTime(() => scanDefinition(definition));
      inTime(() => inferOperation(definition));
      const declared = inTime(() => paramHeaders(definition.inputSchema));
      const headers = Array.isArray(declared) ? inTime(() => headersFor(declared, args)) : {};
      for (const [name, value] of Object.entries(headers))
        if (/[^\t\x20-\x7e]/.test(name + value)) throw new Error(`a header ${name}: ${value}`);
      inTime(() => checker.check({ name: `up:${definition.name}`, definition }, args));
    }
  },
);
