import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCollector, type CollectedSpan, type Collector } from '../fixtures/collector.ts';
import { fixture, startHttpFixture, type HttpFixture } from '../fixtures/start.ts';
import { jsonLines } from '../fixtures/execution-log.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';
import { tracedClient } from './traced-client.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const META = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=abc' };
const OTHER = { traceparent: '00-11111111111111111111111111111111-2222222222222222-01' };
const SECRET = 'what-nobody-else-may-see';
const [STEP, SERVER, CLIENT] = [1, 2, 3];

let dir: string;
let collector: Collector;
const http: Record<string, HttpFixture> = {};

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'mcpproxy-traces-'));
  collector = await startCollector();
  for (const era of ['2025', '2026'])
    http[era] = await startHttpFixture('http-echo.mjs', '/mcp', '--era', era, '--log', join(dir, era));
});

afterAll(async () => {
  await collector.close();
  for (const each of Object.values(http)) await each.stop();
  rmSync(dir, { recursive: true, force: true });
});

const servers = () => ({
  pipe: fixture('traced.mjs'),
  old: fixture('traced.mjs', '--legacy'),
  web: { url: http['2026']!.url },
  webold: { url: http['2025']!.url },
});

function readOf(name: string, text = SECRET) {
  return {
    tool: 'call_tool_read',
    args: { name, args_json: JSON.stringify({ text }), intent_operation_type: 'read' },
  };
}

interface Received {
  traceparent?: string;
  tracestate?: string;
}

/** What the last call over HTTP brought with it. */
function lastRequest(era: string): { headers: Received; meta: Received } {
  const calls = jsonLines<{ headers: Received; body: string }>(readFileSync(join(dir, era), 'utf8'))
    .filter(({ body }) => body.includes('"tools/call"'))
    .map(({ headers, body }) => ({ headers, ...JSON.parse(body) }));
  const { headers, params } = calls.at(-1) as { headers: Received; params: { _meta?: Received } };
  return { headers, meta: params._meta ?? {} };
}

async function spanWhere(proxy: RunningProxy, what: string, fits: (span: CollectedSpan) => boolean) {
  return poll(what, proxy.stderr, () => collector.spans().find(fits));
}

async function recordOfCall(proxy: RunningProxy, traceId: string) {
  const { records } = await proxy.rest.request('listActivity', { type: 'tool_call', limit: 50 });
  return records.find(({ metadata }) => metadata.trace_id === traceId);
}

describe('with a collector', () => {
  let proxy: RunningProxy;
  beforeAll(async () => {
    proxy = await startProxy({
      config: {
        mcpServers: servers(),
        approvals: { require: ['destructive'] },
        intent_declaration: { strict_server_validation: false },
      },
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_BSP_SCHEDULE_DELAY: '50',
        OTEL_SERVICE_NAME: 'agents-gate',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      },
    });
  });
  afterAll(() => proxy.dispose());

  const spansOf = (traceId: string) => collector.spans().filter((span) => span.traceId === traceId);
  const fresh = () => {
    const trace = crypto.randomUUID().replaceAll('-', '');
    return { trace, meta: { traceparent: `00-${trace}-${PARENT}-01`, tracestate: 'vendor=abc' } };
  };
  const whole = (traceId: string) =>
    poll('the whole trace', proxy.stderr, () => {
      const spans = spansOf(traceId);
      const server = spans.find(({ kind }) => kind === SERVER);
      return server && { server, spans };
    });

  test.each([
    ['2026', 'pipe'],
    ['2026', 'old'],
    ['2025', 'pipe'],
    ['2025', 'old'],
  ] as const)('a %s client and the pipe "%s": each span is beneath the one before', async (era, name) => {
    const { trace, meta } = fresh();
    const send = await tracedClient(era, proxy);
    const result = await send({ ...readOf(`${name}:look`), meta, headers: OTHER });
    const { server, spans } = await whole(trace);
    const client = spans.find(({ kind }) => kind === CLIENT)!;
    expect(server).toMatchObject({ name: 'tools/call call_tool_read', parentSpanId: PARENT });
    expect(client).toMatchObject({ name: 'tools/call look', parentSpanId: server.spanId });
    expect(JSON.parse(result.content![0]!.text as string)).toEqual({
      traceparent: `00-${trace}-${client.spanId}-01`,
      tracestate: 'vendor=abc',
    });
  });

  test.each([
    ['2026', 'web', '2026'],
    ['2025', 'webold', '2025'],
  ] as const)('a %s client and the server "%s" over HTTP: also in headers', async (era, name, file) => {
    const { trace, meta } = fresh();
    const send = await tracedClient(era, proxy);
    await send({ ...readOf(`${name}:echo`), headers: meta });
    const { server, spans } = await whole(trace);
    const client = spans.find(({ kind }) => kind === CLIENT)!;
    const sent = { traceparent: `00-${trace}-${client.spanId}-01`, tracestate: 'vendor=abc' };
    expect(server.parentSpanId).toBe(PARENT);
    expect(client.parentSpanId).toBe(server.spanId);
    expect(lastRequest(file).meta).toMatchObject(sent);
    expect(lastRequest(file).headers).toMatchObject(sent);
  });

  test('from a trace one finds the record, and from the record the trace', async () => {
    const { trace, meta } = fresh();
    const send = await tracedClient('2025', proxy);
    await send({ ...readOf('pipe:look'), meta });
    const { server } = await whole(trace);
    const record = await recordOfCall(proxy, trace);
    expect(server.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2025-11-25',
      'mcp.session.id': record!.session_id,
      'gen_ai.tool.name': 'call_tool_read',
      'gen_ai.operation.name': 'execute_tool',
      'network.transport': 'tcp',
      'mcpproxy.record.id': record!.id,
      'mcpproxy.request.id': record!.request_id,
      'mcpproxy.principal': 'operator',
      'mcpproxy.operation': 'read',
      'mcpproxy.server': 'pipe',
      'mcpproxy.tool': 'look',
      'mcpproxy.status': 'success',
    });
    expect(collector.resource()).toMatchObject({
      'service.name': 'agents-gate',
      'deployment.environment.name': 'test',
    });
  });

  test('a change shows the log, and a call that waits for a person shows the wait', async () => {
    const { trace, meta } = fresh();
    const send = await tracedClient('2025', proxy);
    const args = { name: 'pipe:remove', args_json: '{}', intent_operation_type: 'destructive' };
    const answered = send({ tool: 'call_tool_destructive', args, meta });
    const { id } = await poll('the call to wait', proxy.stderr, async () => {
      const { approvals } = await proxy.rest.request('listApprovals', { status: 'pending' });
      return approvals[0];
    });
    await proxy.rest.request('decideApproval', { id, body: { decision: 'approve' } });
    await answered;
    const { server, spans } = await whole(trace);
    const steps = spans.filter(({ kind }) => kind === STEP);
    expect(steps.map(({ name }) => name).sort()).toEqual(['approval', 'log closed', 'log opened']);
    for (const { parentSpanId } of steps) expect(parentSpanId).toBe(server.spanId);
  });

  test('a refusal is told by its code, and a name that is unknown is not told', async () => {
    const [mismatch, unknown] = [fresh(), fresh()];
    const send = await tracedClient('2026', proxy);
    const wrong = { ...readOf('pipe:look').args, intent_operation_type: 'write' };
    await send({ tool: 'call_tool_read', args: wrong, meta: mismatch.meta });
    await send({ ...readOf(`pipe:${SECRET}`), meta: unknown.meta });
    const refused = (await whole(mismatch.trace)).server;
    expect(refused.status).toMatchObject({ code: 2 });
    expect(refused.attributes).toMatchObject({
      'error.type': 'INTENT_MISMATCH',
      'mcpproxy.status': 'refused',
      'mcpproxy.tool': 'look',
    });
    const { server } = await whole(unknown.trace);
    expect(server.attributes['error.type']).toBe('TOOL_NOT_FOUND');
    expect(server.attributes['mcpproxy.tool']).toBeUndefined();
  });

  test('REST: named by the route, with the call beneath; what only watches is left out', async () => {
    const { trace, meta } = fresh();
    const authorization = `Bearer ${proxy.key}`;
    await fetch(`${proxy.url}/api/v1/tools/call`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...meta },
      body: JSON.stringify({ tool_variant: 'call_tool_read', ...readOf('pipe:look').args }),
    });
    const { server, spans } = await whole(trace);
    expect(server).toMatchObject({ name: 'POST /api/v1/tools/call', parentSpanId: PARENT });
    expect(server.attributes).toMatchObject({
      'http.response.status_code': 200,
      'mcpproxy.status': 'success',
    });
    expect(spans.find(({ kind }) => kind === CLIENT)?.parentSpanId).toBe(server.spanId);
    await proxy.rest.request('getTool', { name: 'pipe:look' });
    await spanWhere(proxy, 'the route', ({ name }) => name === 'GET /api/v1/tools/{name}');
    const { token } = await proxy.rest.request('createToken', {
      body: { name: 'prometheus', metrics: true },
    });
    const scrape = { headers: { authorization: `Bearer ${token}` } };
    const metrics = await (await fetch(`${proxy.url}/metrics`, scrape)).text();
    for (const path of ['/mcp', '/api/v1/status'])
      expect((await fetch(`${proxy.url}${path}`, scrape)).status).toBe(403);
    expect(Number(/^mcpproxy_spans_exported (\d+)$/m.exec(metrics)![1])).toBeGreaterThan(10);
    expect(collector.spans().some(({ attributes }) => attributes['http.route'] === '/metrics')).toBe(false);
  });

  test('a message to the assistant: each of its calls beneath it', async () => {
    const { trace, meta } = fresh();
    await fetch(`${proxy.url}/api/v1/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${proxy.key}`, 'content-type': 'application/json', ...meta },
      body: JSON.stringify({ message: 'add a task to buy milk' }),
    });
    const { server, spans } = await whole(trace);
    expect(server.name).toBe('POST /api/v1/chat');
    // The list is read before every message.
    for (const tool of ['list_tasks', 'add_task']) {
      const call = spans.find(({ name }) => name === `call tasks:${tool}`)!;
      expect(call.parentSpanId).toBe(server.spanId);
      expect(spans.filter((span) => span.kind === CLIENT && span.parentSpanId === call.spanId)).toHaveLength(
        1,
      );
    }
  });

  test('lines of the log name the request and the trace', async () => {
    const { trace, meta } = fresh();
    const lineOf = async (text: string) =>
      JSON.parse(
        await poll(text, proxy.stderr, () =>
          proxy
            .stderr()
            .split('\n')
            .find((each) => each.includes(text) && each.includes(trace)),
        ),
      ) as unknown;
    const send = await tracedClient('2026', proxy);
    await send({ ...readOf('pipe:change'), meta, headers: { 'x-request-id': 'find-me' } });
    const found = await lineOf('call allowed with a warning');
    expect(found).toMatchObject({ request_id: 'find-me', trace_id: trace });
    const stranger = { authorization: 'Bearer nobody', 'x-request-id': 'not-me', ...meta };
    const { headers } = await fetch(`${proxy.url}/mcp`, { method: 'POST', headers: stranger });
    expect(headers.get('x-request-id')).toBe('not-me');
    expect(await lineOf('wrong key or token')).toMatchObject({ request_id: 'not-me', trace_id: trace });
  });

  test('a request without a trace begins one; its siblings are traced too', async () => {
    const send = await tracedClient('2025', proxy);
    await send(readOf('pipe:look'));
    const opened = await spanWhere(proxy, 'the handshake', ({ name }) => name === 'initialize');
    expect(opened.parentSpanId ?? '').toBe('');
    expect(opened.attributes['mcp.method.name']).toBe('initialize');
  });

  test('neither arguments nor results nor keys leave with the spans', async () => {
    expect(collector.spans().length).toBeGreaterThan(20);
    const everything = Buffer.concat(collector.exports.map(({ body }) => body)).toString();
    for (const word of [SECRET, 'buy milk', proxy.key]) expect(everything).not.toContain(word);
  });
});

test('protobuf by default, with headers; a collector that refuses is told of once, and so is its return', async () => {
  const other = await startCollector();
  other.answer = 400;
  const proxy = await startProxy({
    config: { mcpServers: { pipe: fixture('traced.mjs') } },
    env: {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${other.url}/take/these`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=gate',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
  });
  try {
    const send = await tracedClient('2026', proxy);
    const exportsAfter = async (count: number) => {
      await send({ ...readOf('pipe:look'), meta: META });
      await poll('an export', proxy.stderr, () => other.exports.length > count || undefined);
    };
    const says = (text: string) => proxy.stderr().split(text).length - 1;
    await exportsAfter(0);
    await exportsAfter(other.exports.length);
    const { traces } = await poll('the status', proxy.stderr, async () => {
      const status = await proxy.rest.request('status', {});
      return status.traces.failed > 0 ? status : undefined;
    });
    expect(traces).toMatchObject({ exporting: true, to: `${other.url}/take/these`, exported: 0 });
    expect(traces.problem).toBeTruthy();
    other.answer = 200;
    await exportsAfter(other.exports.length);
    await poll('the good news', proxy.stderr, () => says('spans are exported again') || undefined);
    expect(says('spans cannot be exported')).toBe(1);
    const { path, headers } = other.exports[0]!;
    // Spans that end apart from each other may be sent apart.
    const body = Buffer.concat(other.exports.map((each) => each.body));
    expect(path).toBe('/take/these');
    expect(headers).toMatchObject({ 'content-type': 'application/x-protobuf', 'x-team': 'gate' });
    for (const part of ['tools/call call_tool_read', Buffer.from(TRACE, 'hex'), Buffer.from(PARENT, 'hex')])
      expect(body.includes(part)).toBe(true);
  } finally {
    await proxy.dispose();
    await other.close();
  }
});

test('nothing is collected where it is switched off: the trace of the client is passed on as it is', async () => {
  const other = await startCollector();
  const proxy = await startProxy({
    config: { mcpServers: servers() },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: other.url, OTEL_SDK_DISABLED: 'true', OTEL_BSP_SCHEDULE_DELAY: '10' },
  });
  try {
    for (const era of ['2025', '2026'] as const) {
      const send = await tracedClient(era, proxy);
      const result = await send({ ...readOf('pipe:look'), meta: META, headers: OTHER });
      expect(JSON.parse(result.content![0]!.text as string)).toEqual(META);
      await send({ ...readOf('web:echo'), headers: META });
      expect(lastRequest('2026').headers).toMatchObject(META);
      await send({ ...readOf('webold:echo'), meta: { traceparent: 'nonsense' }, headers: META });
      expect(lastRequest('2025').meta).toMatchObject(META);
    }
    await (
      await tracedClient('2026', proxy)
    )(readOf('web:echo'));
    expect(lastRequest('2026').headers).not.toHaveProperty('traceparent');
    expect((await recordOfCall(proxy, TRACE))?.metadata.trace_id).toBe(TRACE);
    expect((await proxy.rest.request('status', {})).traces.exporting).toBe(false);
    expect(await proxy.stop()).toBe(0);
    expect(other.exports).toEqual([]);
  } finally {
    await proxy.dispose();
    await other.close();
  }
});

test('a collector that is away does no harm, and stopping does not wait for it', async () => {
  const gone = await startCollector();
  await gone.close();
  const proxy = await startProxy({
    config: { mcpServers: { pipe: fixture('traced.mjs') } },
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: gone.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      OTEL_BSP_SCHEDULE_DELAY: '10',
    },
  });
  try {
    const send = await tracedClient('2026', proxy);
    const results = await Promise.all(Array.from({ length: 10 }, () => send(readOf('pipe:look'))));
    expect(results.every(({ isError }) => isError !== true)).toBe(true);
    await poll(
      'the word of it',
      proxy.stderr,
      () => proxy.stderr().includes('spans cannot be exported') || undefined,
    );
    const { traces } = await proxy.rest.request('status', {});
    expect(traces).toMatchObject({ exported: 0, to: `${gone.url}/v1/traces` });
    expect(traces.failed).toBeGreaterThan(0);
    expect(await proxy.stop()).toBe(0);
    expect(proxy.stderr().split('spans cannot be exported').length - 1).toBe(1);
  } finally {
    await proxy.dispose();
  }
});
