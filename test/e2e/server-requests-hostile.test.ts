import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { CallResult } from '../../src/contract/call.ts';
import { fixture } from '../fixtures/start.ts';
import { until } from '../fixtures/upstreams.ts';
import {
  connectAsked,
  textOf,
  type AskedClient,
  type AskedClientKind,
  type AskedOptions,
} from './asked-clients.ts';
import { startProxy, type RunningProxy } from './start-proxy.ts';

// Limits of what servers ask of clients: policy, budgets, time, connections, and clients that cannot or do not answer.

const stateful = fixture('stateful.mjs');
const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const FORM = { method: 'elicitation/create', params: { message: 'Name?', requestedSchema } };
const SAMPLE = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 99_999 } };

let proxy: RunningProxy;
const open: AskedClient[] = [];
beforeAll(async () => {
  const features = {
    sampling: 'allow',
    sampling_per_call: 2,
    questions_per_call: 3,
    sampling_max_tokens: 500,
  };
  const mcpServers = {
    plain: stateful,
    limited: { ...stateful, client_features: features },
    hasty: { ...stateful, client_features: { answer_timeout: '1s' } },
    denied: { ...stateful, client_features: { sampling: 'deny', elicitation: 'deny', roots: 'deny' } },
    capped: { ...stateful, client_connections: 1, sharing: 'per_client' },
  };
  proxy = await startProxy({ config: { mcpServers } });
});
afterAll(() => proxy.dispose());
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

async function connect(
  options?: AskedOptions & { kind?: AskedClientKind; key?: string },
): Promise<AskedClient> {
  const { kind = 'SDK 1.x', key = proxy.key, ...more } = options ?? {};
  const client = await connectAsked(kind, { url: proxy.url, key }, more);
  open.push(client);
  return client;
}

const parsed = (result: CallResult) => JSON.parse(textOf(result));
const records = async (server: string, type?: 'sampling' | 'elicitation' | 'roots' | 'tool_call') =>
  (await proxy.rest.request('listActivity', { server, ...(type && { type }), limit: 100 })).records;

describe('limits', () => {
  test('a sampling loop ends at the limit of a call, and asks for no more tokens than allowed', async () => {
    const client = await connect();
    const answers = parsed(await client.call('limited:ask', { ...SAMPLE, times: 5 }));
    expect(answers.filter(({ result }: CallResult) => result)).toHaveLength(2);
    expect(answers[2].error).toEqual({
      code: -32000,
      message: expect.stringContaining('limit of 2 sampling'),
    });
    const asked = client.asked.filter(({ method }) => method === SAMPLE.method);
    expect(asked.map(({ params }) => params.maxTokens)).toEqual([500, 500]);
    expect(asked[0]!.params._meta).toEqual({ 'mcpproxy/server': 'limited' });
    const statuses = (await records('limited', 'sampling')).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'success')).toHaveLength(2);
    expect(statuses.filter((status) => status === 'refused')).toHaveLength(3);
  });

  test('a flood of questions reaches the client a few times, the log a few more, and delays nobody', async () => {
    const [flooded, other] = [await connect(), await connect()];
    const flood = flooded.call('limited:flood');
    expect(parsed(await other.call('limited:state')).roots).toEqual(['file:///home/one']);
    expect(await flood).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'ASK_REFUSED' } },
    });
    expect(flooded.asked.length).toBeLessThanOrEqual(3);
    expect(other.asked.filter(({ method }) => method === FORM.method)).toHaveLength(0);
    // Those that the limits permit, and ten more.
    expect((await records('limited', 'elicitation')).length).toBeLessThanOrEqual(2 + 3 + 10);
  });

  test('a client beyond the number of connections is refused until another has ended', async () => {
    const first = await connect();
    expect(parsed(await first.call('capped:state')).pid).toBeGreaterThan(0);
    const second = await connect();
    const refused = await second.call('capped:state');
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'SERVER_BUSY' } } });
    expect(textOf(refused)).toContain('client_connections');
    await open.shift()!.close();
    expect(parsed(await second.call('capped:state')).roots).toEqual(['file:///home/one']);
  });
});

describe('a client that does not answer', () => {
  test('of the 2025 era: the server is told in time, and the record says that it expired', async () => {
    const client = await connect({ elicit: () => new Promise(() => undefined) });
    const [answer] = parsed(await client.call('hasty:ask', FORM));
    expect(answer.error).toEqual({ code: -32000, message: 'The client did not answer within 1000 ms' });
    expect((await records('hasty', 'elicitation'))[0]).toMatchObject({ status: 'expired', tool_name: 'ask' });
  });

  test('of the 2026 era: the call is cancelled and recorded', { timeout: 600_000 }, async () => {
    const client = await connect({ kind: '2026-07-28', elicit: () => new Promise(() => undefined) });
    void client.call('hasty:ask', FORM).catch(() => undefined);
    await until('the question', () => client.asked.some(({ method }) => method === FORM.method), 280_000);
    await expect
      .poll(async () => (await records('hasty', 'tool_call')).map(({ error_code: code }) => code), {
        timeout: 280_000,
      })
      .toContain('CANCELLED');
  });

  test('and ends meanwhile: its question ends with it, and others go on', async () => {
    const client = await connect({ elicit: () => new Promise(() => undefined) });
    void client.call('plain:ask', FORM).catch(() => undefined);
    await until('the question', () => client.asked.some(({ method }) => method === FORM.method), 280_000);
    await open.shift()!.close();
    await expect.poll(async () => (await records('plain', 'elicitation'))[0]?.error_code).toBe('CANCELLED');
    expect(parsed(await (await connect()).call('plain:state')).roots).toEqual(['file:///home/one']);
  });
});

describe('nobody to ask', () => {
  test('a caller from REST: refused in the words of the protocol, and recorded', async () => {
    const body = {
      tool_variant: 'call_tool_read',
      name: 'plain:ask',
      args: FORM,
      intent: { operation_type: 'read' },
    };
    const result: CallResult = await proxy.rest.request('callTool', { body: body as never });
    expect(parsed(result)[0].error).toMatchObject({ code: -32601 });
    expect((await records('plain', 'elicitation'))[0]).toMatchObject({ source: 'api', status: 'refused' });
  });

  test('a client that declares nothing, and one that the operator denies', async () => {
    const silent = await connect({ capabilities: {} });
    const able = await connect();
    expect(parsed(await silent.call('plain:ask', FORM))[0].error).toMatchObject({ code: -32601 });
    for (const ask of [FORM, SAMPLE, { method: 'roots/list', params: {} }])
      expect(parsed(await able.call('denied:ask', ask))[0].error).toMatchObject({ code: -32601 });
    expect(able.asked).toEqual([]);
  });

  test('a person who says no to sampling', async () => {
    const client = await connect({ elicit: () => ({ action: 'accept', content: { approve: false } }) });
    expect(parsed(await client.call('plain:ask', SAMPLE))[0].error).toEqual({
      code: -1,
      message: 'User rejected sampling request',
    });
    expect((await records('plain', 'sampling'))[0]).toMatchObject({ status: 'denied' });
  });
});

describe('what belongs to one client', () => {
  test('roots change with the client, and those of an agent token are not passed on', async () => {
    const client = await connect();
    expect(parsed(await client.call('plain:state')).roots).toEqual(['file:///home/one']);
    await client.rootsChanged('file:///home/two');
    await expect
      .poll(async () => parsed(await client.call('plain:state')).roots)
      .toEqual(['file:///home/two']);
    const { token } = await proxy.rest.request('createToken', { body: { name: 'agent' } });
    const agent = await connect({ key: token, root: 'file:///' });
    expect(parsed(await agent.call('plain:state')).roots).toEqual([]);
    expect(agent.asked).toEqual([]);
  });

  test.each(['SDK 1.x', '2025 (legacy)'] as const)(
    'log messages, by the level that %s has set',
    async (kind) => {
      const [client, other] = [await connect({ kind }), await connect({ kind })];
      await client.setLevel('warning');
      await other.setLevel('emergency');
      for (const level of ['info', 'error']) await client.call('plain:log', { level, data: level });
      await other.call('plain:log', { level: 'error', data: 'x' });
      expect(client.logs).toEqual([{ level: 'error', logger: 'plain/stateful', data: 'error' }]);
      expect(other.logs).toEqual([]);
    },
  );
});
