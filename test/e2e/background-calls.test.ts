import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTaskServer, type TaskServer } from '../fixtures/task-server.ts';
import { exchange, modern } from './raw-token.ts';
import { startProxy, type RunningProxy } from './start-proxy.ts';

// Calls that servers run in the background, for clients that know tasks and for those that do not, in both eras.

const EXTENSION = 'io.modelcontextprotocol/tasks';
const KNOWS_TASKS = {
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    sampling: {},
    roots: {},
    extensions: { [EXTENSION]: {} },
  },
};

let proxy: RunningProxy;
let servers: Record<'old' | 'new', TaskServer>;
beforeAll(async () => {
  servers = { old: await startTaskServer('2025'), new: await startTaskServer('2026') };
  const { url } = servers.new;
  const mcpServers = {
    old: { url: servers.old.url },
    new: { url },
    denied: { url, client_features: { sampling: 'deny', elicitation: 'deny', roots: 'deny' } },
    consent: { url, client_features: { sampling: 'ask' } },
  };
  proxy = await startProxy({ config: { mcpServers } });
});
afterAll(async () => {
  await proxy.dispose();
  await servers.old.close();
  await servers.new.close();
});

const input = (tool: string, label: string) => ({
  name: tool,
  args: { label },
  intent_operation_type: 'read',
});

// oxlint-disable-next-line typescript/no-explicit-any -- what comes over the wire is looked at field by field
type Answer = any;

async function send(request: ReturnType<typeof modern>): Promise<Answer> {
  const text = await exchange(proxy.url, { token: proxy.key, ...request }).ended;
  return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
}

/** A request of a 2026 client. */
function modernRequest(method: string, params: Record<string, unknown>, meta: object = KNOWS_TASKS) {
  const request = modern(method, { ...params, _meta: meta });
  if (typeof params.taskId === 'string') request.headers['mcp-name'] = params.taskId;
  return send(request);
}

/** A 2025-11-25 client with a session. */
async function openLegacy(path = '/mcp') {
  const headers: Record<string, string> = {};
  const post = async (body: object): Promise<Answer> => {
    const reply = exchange(proxy.url, { token: proxy.key, headers, body, path });
    const id = (await reply.headers)['mcp-session-id'];
    if (typeof id === 'string') headers['mcp-session-id'] = id;
    const text = await reply.ended;
    return text === '' ? undefined : JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
  };
  let id = 0;
  const request = (method: string, params: object) => post({ jsonrpc: '2.0', id: ++id, method, params });
  const hello = await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  });
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  /** The stream for messages that belong to no request. */
  const openStream = () => exchange(proxy.url, { token: proxy.key, method: 'GET', headers, path });
  return { hello, request, openStream };
}

async function until<T>(ask: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const value = await ask();
    if (isDone(value)) return value;
    if (tries > 3000) throw new Error(`did not come; the last was ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

const messagesOf = (text: string): Answer[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!));

/** Resolves when the server has got a call with this label. */
const called = (era: 'old' | 'new', label: string) =>
  until(
    async () => servers[era].received,
    (all) =>
      all.some(({ method, params }) => method === 'tools/call' && JSON.stringify(params).includes(label)),
  );

const record = async (label: string) => {
  const { records } = await proxy.rest.request('listActivity', { type: 'tool_call', q: label, limit: 10 });
  return records;
};

describe.each(['old', 'new'] as const)('a server of the %s era', (era) => {
  test('a caller that knows nothing of tasks gets the result of a tool that runs in the background only', async () => {
    const waiting = proxy.rest.request('callTool', {
      body: {
        tool_variant: 'call_tool_read',
        name: `${era}:background`,
        args: { label: `${era} plain` },
        intent: { operation_type: 'read' },
      },
    });
    await called(era, `${era} plain`);
    servers[era].finish(`${era} plain`);
    expect(JSON.stringify(await waiting)).toContain(`done ${era} plain`);
    expect((await record(`${era} plain`)).map(({ status }) => status)).toEqual(['success']);
  });

  test('a 2025 client runs a call as a task, and its record closes with the task', async () => {
    const { hello, request, openStream } = await openLegacy();
    expect(hello.result.capabilities.tasks).toBeDefined();
    const stream = openStream();
    expect(await stream.status).toBe(200);
    const label = `${era} as task`;
    const made = await request('tools/call', {
      name: 'call_tool_read',
      arguments: input(`${era}:background`, label),
      task: { ttl: 120_000 },
    });
    const { taskId } = made.result.task;
    expect(made.result.task).toMatchObject({ status: 'working', ttl: 120_000 });
    await called(era, label);
    expect((await request('tasks/get', { taskId })).result.status).toBe('working');
    expect((await request('tasks/list', {})).result.tasks).toContainEqual(
      expect.objectContaining({ taskId }),
    );
    servers[era].finish(label);
    const { result } = await request('tasks/result', { taskId });
    expect(result).toMatchObject({
      content: [{ type: 'text', text: `done ${label}` }],
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    });
    expect((await request('tasks/get', { taskId })).result.status).toBe('completed');
    const told = await until(
      async () => messagesOf(stream.text()),
      (all) => all.some(({ params }) => params?.status === 'completed'),
    );
    stream.close();
    const states = told.filter(({ method }) => method === 'notifications/tasks/status');
    expect(states.at(-1).params).toMatchObject({ taskId, status: 'completed', ttl: 120_000 });
    expect((await request('tasks/cancel', { taskId })).error.code).toBe(-32602);
    expect((await record(label)).map(({ status }) => status)).toEqual(['success']);
  });

  test('a tool by its name in direct mode is offered and runs as a task', async () => {
    const { request } = await openLegacy('/mcp/direct');
    const { result } = await request('tools/list', {});
    const tool = result.tools.find(({ name }: { name: string }) => name === `${era}__background`);
    expect(tool.execution).toEqual({ taskSupport: 'optional' });
    const label = `${era} direct task`;
    const made = await request('tools/call', { name: tool.name, arguments: { label }, task: {} });
    await called(era, label);
    servers[era].finish(label);
    const done = await request('tasks/result', { taskId: made.result.task.taskId });
    expect(done.result.content).toEqual([{ type: 'text', text: `done ${label}` }]);
  });

  test('a task that fails has the error of its server', async () => {
    const { request } = await openLegacy();
    const label = `${era} fails`;
    const made = await request('tools/call', {
      name: 'call_tool_read',
      arguments: input(`${era}:slow`, label),
      task: {},
    });
    const { taskId } = made.result.task;
    await called(era, label);
    servers[era].finish(label, { error: { code: -32000, message: 'it broke' } });
    const { result } = await request('tasks/result', { taskId });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).toContain('it broke');
    expect((await record(label))[0]).toMatchObject({ status: 'error', error_code: 'UPSTREAM_FAILED' });
  });

  test('a cancelled task is cancelled at its server', async () => {
    const { request } = await openLegacy();
    const label = `${era} cancelled`;
    const made = await request('tools/call', {
      name: 'call_tool_read',
      arguments: input(`${era}:background`, label),
      task: {},
    });
    const { taskId } = made.result.task;
    // Once it is a task of the server.
    await until(
      async () => (await request('tasks/get', { taskId })).result,
      ({ statusMessage }) => statusMessage === `Server '${era}' says: is working`,
    );
    expect((await request('tasks/cancel', { taskId })).result.status).toBe('cancelled');
    await until(
      async () => servers[era].received,
      (all) => all.some(({ method }) => method === 'tasks/cancel'),
    );
    expect(servers[era].received.some(({ method }) => method === 'tasks/cancel')).toBe(true);
    await until(
      () => record(label),
      ([only]) => only !== undefined && only.status !== 'pending',
    );
    expect((await record(label))[0]).toMatchObject({ error_code: 'CANCELLED' });
  });
});

describe('a client of 2026-07-28', () => {
  const call = (tool: string, label: string, meta?: object) =>
    modernRequest('tools/call', { name: 'call_tool_read', arguments: input(tool, label) }, meta);

  test('gets a task where the server makes one, with the result in it at the end', async () => {
    const { result: made } = await call('new:slow', 'modern');
    expect(made).toMatchObject({ resultType: 'task', status: 'working' });
    const get = () => modernRequest('tasks/get', { taskId: made.taskId });
    expect((await get()).result).toMatchObject({ resultType: 'complete', status: 'working' });
    servers.new.finish('modern');
    const { result } = await until(get, ({ result: task }) => task.status !== 'working');
    expect(result).toMatchObject({ status: 'completed', result: { content: [{ text: 'done modern' }] } });
    expect((await modernRequest('tasks/cancel', { taskId: made.taskId })).result.resultType).toBe('complete');
  });

  test('without the extension it gets results only, and may not ask about tasks', async () => {
    const { result } = await call('new:slow', 'plain', {});
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'at once plain' }] });
    expect((await call('new:background', 'plain', {})).error.code).toBe(-32021);
    expect((await modernRequest('tasks/get', { taskId: 'x' }, {})).error.code).toBe(-32021);
    expect((await modernRequest('tasks/get', { taskId: 'x' })).error.code).toBe(-32602);
  });

  test('answers the questions of a task, one after the other; they name the server', async () => {
    const { result: made } = await call('new:asking', 'questions');
    const get = async () => (await modernRequest('tasks/get', { taskId: made.taskId })).result;
    const asked = await until(get, ({ status }) => status === 'input_required');
    expect(Object.keys(asked.inputRequests)).toEqual(['first', 'second']);
    expect(asked.inputRequests.first.params.message).toBe("Server 'new' asks: one?");
    const answer = (key: string) =>
      modernRequest('tasks/update', {
        taskId: made.taskId,
        inputResponses: { [key]: { action: 'accept', content: { answer: key } } },
      });
    expect((await answer('first')).result.resultType).toBe('complete');
    expect(Object.keys((await get()).inputRequests)).toEqual(['second']);
    await answer('second');
    const done = await until(get, ({ status }) => status === 'completed');
    expect(JSON.stringify(done.result)).toContain('second');
  });

  test('is told about the tasks that it subscribes to, and about no others', async () => {
    const { result: made } = await call('new:slow', 'watched');
    const { token } = await proxy.rest.request('createToken', { body: { name: 'watcher' } });
    const listen = (key: string, meta: object = KNOWS_TASKS) => {
      const notifications = { taskIds: [made.taskId, 'unknown'] };
      return exchange(proxy.url, {
        token: key,
        ...modern('subscriptions/listen', { notifications, _meta: meta }, 7),
      });
    };
    expect(await listen(proxy.key, {}).ended).toContain('-32021');
    // Nothing of it belongs to this caller, so the subscription ends at once.
    expect(await listen(token).ended).not.toContain(made.taskId);
    const stream = listen(proxy.key);
    const told = () => messagesOf(stream.text());
    await until(
      async () => told(),
      ({ length }) => length >= 2,
    );
    expect(told()[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [made.taskId] } },
    });
    servers.new.finish('watched');
    await until(
      async () => stream.text(),
      (text) => text.includes('done watched'),
    );
    expect(
      told()
        .slice(1)
        .map(({ method, params }) => [method, params.taskId, params.status]),
    ).toEqual([
      ['notifications/tasks', made.taskId, 'working'],
      ['notifications/tasks', made.taskId, 'completed'],
    ]);
    stream.close();
  });

  const SAMPLED = { role: 'assistant', model: 'm', content: { type: 'text', text: 'thought' } };
  const OPEN_ANSWERS = {
    form: { action: 'accept', content: { answer: 'x' } },
    model: SAMPLED,
    roots: { roots: [{ uri: 'file:///home' }] },
  };
  const update = (taskId: string, inputResponses: object) =>
    modernRequest('tasks/update', { taskId, inputResponses });
  const updates = (label: string) =>
    servers.new.received.filter(
      ({ method, params }) => method === 'tasks/update' && JSON.stringify(params).includes(label),
    );
  const asksOf = async (server: string) => {
    const types = ['elicitation', 'sampling', 'roots'] as const;
    const found = await Promise.all(
      types.map((type) => proxy.rest.request('listActivity', { type, server, limit: 10 })),
    );
    return found.flatMap(({ records }) => records.map(({ type, status }) => `${type} ${status}`)).sort();
  };

  test('is not shown what the operator denies, and its answers do not reach the server', async () => {
    const { result: made } = await call('denied:prying', 'denied');
    const get = async () => (await modernRequest('tasks/get', { taskId: made.taskId })).result;
    const before = updates('').length;
    await update(made.taskId, OPEN_ANSWERS);
    const ended = await until(get, ({ status }) => status !== 'working');
    expect(ended.inputRequests).toBeUndefined();
    expect(JSON.stringify(ended)).toContain('the operator does not allow it');
    expect(updates('').length).toBe(before);
    expect(await record('denied:prying')).toMatchObject([{ error_code: 'ASK_REFUSED' }]);
    const refused = ['elicitation refused', 'roots refused', 'sampling refused'];
    expect(
      await until(
        () => asksOf('denied'),
        (asks) => asks.every((ask) => refused.includes(ask)),
      ),
    ).toEqual(refused);
  });

  test('allows a request to its model within a task first, and answers only what it was asked', async () => {
    const { result: made } = await call('consent:prying', 'consent');
    const get = async () => (await modernRequest('tasks/get', { taskId: made.taskId })).result;
    const asked = await until(get, ({ status }) => status === 'input_required');
    expect(Object.keys(asked.inputRequests).sort()).toEqual(['form', 'model', 'roots']);
    expect(asked.inputRequests.model).toMatchObject({
      method: 'elicitation/create',
      params: { message: expect.stringContaining("mcpproxy asks: server 'consent' wants to use your model") },
    });
    await update(made.taskId, {
      ...OPEN_ANSWERS,
      model: { action: 'accept', content: { approve: true } },
      other: SAMPLED,
    });
    const next = await until(get, ({ inputRequests }) => inputRequests?.['model-2'] !== undefined);
    expect(next.inputRequests['model-2'].method).toBe('sampling/createMessage');
    await update(made.taskId, { model: SAMPLED, 'model-2': SAMPLED });
    const { result } = await until(get, ({ status }) => status === 'completed');
    expect(JSON.parse(result.content[0].text)).toEqual(OPEN_ANSWERS);
    expect(await asksOf('consent')).toEqual(['elicitation success', 'roots success', 'sampling success']);
  });

  test('a task is found by its own caller only', async () => {
    const { result: made } = await call('new:slow', 'private');
    const { token } = await proxy.rest.request('createToken', { body: { name: 'other' } });
    const request = modern('tasks/get', { taskId: made.taskId, _meta: KNOWS_TASKS });
    request.headers['mcp-name'] = made.taskId;
    const text = await exchange(proxy.url, { token, ...request }).ended;
    expect(JSON.parse(text).error.code).toBe(-32602);
    servers.new.finish('private');
  });
});

test('a restart goes on with the tasks of servers, and calls nothing again', async () => {
  const { result: made } = await modernRequest('tools/call', {
    name: 'call_tool_read',
    arguments: input('new:slow', 'restarted'),
  });
  const { result: asking } = await modernRequest('tools/call', {
    name: 'call_tool_read',
    arguments: input('new:asking', 'asks again'),
  });
  const { request } = await openLegacy();
  const old = await request('tools/call', {
    name: 'call_tool_read',
    arguments: input('old:background', 'restarted'),
    task: {},
  });
  const { taskId } = old.result.task;
  await until(
    async () => (await request('tasks/get', { taskId })).result,
    ({ statusMessage }) => statusMessage === "Server 'old' says: is working",
  );
  const calls = servers.new.calls() + servers.old.calls();
  await proxy.stop('SIGTERM');
  proxy = await startProxy({ home: proxy.home });
  servers.new.finish('restarted');
  servers.old.finish('restarted');
  const get = async () => (await modernRequest('tasks/get', { taskId: made.taskId })).result;
  expect((await until(get, ({ status }) => status === 'completed')).result).toMatchObject({
    content: [{ text: 'done restarted' }],
  });
  const question = async () => (await modernRequest('tasks/get', { taskId: asking.taskId })).result;
  await until(question, ({ status }) => status === 'input_required');
  const answer = { action: 'accept', content: { answer: 'late' } };
  await modernRequest('tasks/update', {
    taskId: asking.taskId,
    inputResponses: { first: answer, second: answer, third: answer },
  });
  const { result: answered } = await until(question, ({ status }) => status === 'completed');
  expect(JSON.parse(answered.content[0].text)).toEqual({ first: answer, second: answer });
  const again = await openLegacy();
  expect((await again.request('tasks/result', { taskId })).result).toMatchObject({
    content: [{ text: 'done restarted' }],
  });
  expect(servers.new.calls() + servers.old.calls()).toBe(calls);
  for (const method of ['tasks/cancel'])
    expect(
      servers.new.received.filter(
        (one) => one.method === method && JSON.stringify(one.params).includes('restarted'),
      ),
    ).toEqual([]);
  const records = await until(
    () => record('restarted'),
    (found) => found.filter(({ status }) => status === 'success').length === 2,
  );
  expect(records.map(({ status }) => status).sort()).toEqual(['success', 'success', 'unknown', 'unknown']);
});
