import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPostgres } from '../fixtures/engines.ts';
import { newRowKeyText } from '../fixtures/row-seal.ts';
import { startTaskServer, type TaskServer } from '../fixtures/task-server.ts';
import { exchange, modern } from './raw-token.ts';
import { startHere } from './start-here.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';

// Background calls that one proxy has started, at another one on the same PostgreSQL.

const KNOWS_TASKS = {
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};

let here: RunningProxy;
let there: RunningProxy;
let server: TaskServer;
let database: Awaited<ReturnType<typeof newPostgres>>;

beforeAll(async () => {
  database = await newPostgres();
  server = await startTaskServer('2026');
  const config = { database_url: database.url, mcpServers: { new: { url: server.url } } };
  const rowKey = newRowKeyText();
  here = await startProxy({ config, rowKey });
  there = await startHere({ config, rowKey });
});
afterAll(async () => {
  await here?.dispose();
  await there?.dispose();
  await server?.close();
  await database?.remove();
});

// oxlint-disable-next-line typescript/no-explicit-any -- what comes over the wire is looked at field by field
type Answer = any;

async function send(proxy: RunningProxy, method: string, params: Record<string, unknown>): Promise<Answer> {
  const request = modern(method, { ...params, _meta: KNOWS_TASKS });
  if (typeof params.taskId === 'string') request.headers['mcp-name'] = params.taskId;
  const text = await exchange(proxy.url, { token: proxy.key, ...request }).ended;
  return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text).result;
}

async function start(tool: string, label: string): Promise<string> {
  const input = { name: `new:${tool}`, args: { label }, intent_operation_type: 'read' };
  const { taskId } = await send(here, 'tools/call', { name: 'call_tool_read', arguments: input });
  return taskId;
}

/** Polls a task at a proxy until it has the state. */
function reached(proxy: RunningProxy, taskId: string, status: string): Promise<Answer> {
  return poll(`the state ${status}`, proxy.stderr, async () => {
    const task = await send(proxy, 'tasks/get', { taskId });
    return task?.status === status ? task : undefined;
  });
}

/** What the server was asked for, of the calls with this label. */
const cancelled = () => server.received.filter(({ method }) => method === 'tasks/cancel').length;

test('the state and the result of a task are the same at both', async () => {
  const taskId = await start('slow', 'shared');
  expect(await send(there, 'tasks/get', { taskId })).toMatchObject({ taskId, status: 'working' });
  server.finish('shared');
  for (const proxy of [there, here])
    expect(await reached(proxy, taskId, 'completed')).toMatchObject({
      result: { content: [{ text: 'done shared' }] },
    });
});

test('the questions of a task are answered at the other proxy', async () => {
  const taskId = await start('asking', 'answered there');
  await reached(there, taskId, 'input_required');
  const calls = server.calls();
  const answer = { action: 'accept', content: { answer: 'there' } };
  await send(there, 'tasks/update', { taskId, inputResponses: { first: answer } });
  await poll('the second question', there.stderr, async () => {
    const task = await send(there, 'tasks/get', { taskId });
    return task.inputRequests?.second;
  });
  await send(there, 'tasks/update', { taskId, inputResponses: { second: answer } });
  const { result } = await reached(there, taskId, 'completed');
  expect(JSON.parse(result.content[0].text)).toEqual({ first: answer, second: answer });
  expect(server.calls()).toBe(calls);
});

test('a task is cancelled at the other proxy, and so at its server, once', async () => {
  const taskId = await start('slow', 'cancelled there');
  const before = cancelled();
  await send(there, 'tasks/cancel', { taskId });
  for (const proxy of [there, here]) await reached(proxy, taskId, 'cancelled');
  await poll('the end at the server', there.stderr, async () => cancelled() > before || undefined);
  expect(cancelled()).toBe(before + 1);
});

test('the other proxy goes on with the tasks of one that has stopped', async () => {
  const taskId = await start('slow', 'left');
  const calls = server.calls();
  await here.stop('SIGTERM');
  expect(await send(there, 'tasks/get', { taskId })).toMatchObject({ status: 'working' });
  server.finish('left');
  expect(await reached(there, taskId, 'completed')).toMatchObject({
    result: { content: [{ text: 'done left' }] },
  });
  expect(server.calls()).toBe(calls);
  const { records } = await there.rest.request('listActivity', { type: 'tool_call', q: 'left', limit: 10 });
  expect(records.map(({ status }) => status).toSorted()).toEqual(['success', 'unknown']);
});
