import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ASK_PARITY } from '../conformance/ask-parity.ts';
import { fixture, officialServer } from '../fixtures/start.ts';
import { ASKED_CLIENTS, connectAsked, textOf, type AskedClient, type AskedOptions } from './asked-clients.ts';
import { startProxy, type RunningProxy } from './start-proxy.ts';

// What servers ask of clients: the official server of the 2025 era and one of the 2026 era, with official clients of both eras.

let proxy: RunningProxy;
const open: AskedClient[] = [];
beforeAll(async () => {
  const mcpServers = {
    everything: officialServer('everything'),
    modern: fixture('asking-sdk.mjs'),
  };
  proxy = await startProxy({ config: { mcpServers } });
});
afterAll(() => proxy.dispose());
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

async function connect(kind: (typeof ASKED_CLIENTS)[number], options?: AskedOptions): Promise<AskedClient> {
  const client = await connectAsked(kind, proxy, options);
  open.push(client);
  return client;
}

async function lastRecord(type: 'sampling' | 'elicitation' | 'roots') {
  // A server may ask once more when its call has ended, which fails and is on record too.
  const { records } = await proxy.rest.request('listActivity', { type, status: 'success', limit: 1 });
  return records[0];
}

const ANSWERS = {
  elicit: { name: { action: 'accept', content: { name: 'my name' } } },
  'elicit-url': { login: { action: 'accept' } },
  sample: { answer: { model: 'scripted' } },
  roots: { dirs: { roots: [{ uri: 'file:///home/one' }] } },
  all: { name: { action: 'accept' }, answer: { model: 'scripted' }, dirs: { roots: [{}] } },
  twice: { second: { action: 'accept' } },
};
const TYPES = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
} as const;

describe.each(ASKED_CLIENTS)('client %s', (kind) => {
  describe.each(ASK_PARITY)('$what', ({ method, older: { tool, args, variant }, newer }) => {
    test('with the official server of the 2025 era', async () => {
      // A name of its own: clients of 2026-07-28 with the same one share a connection, and what the server has asked on it.
      const name = `asked-${TYPES[method]}`;
      const client = await connect(kind, { name, root: `file:///home/${kind.length}` });
      const result = await client.call(`everything:${tool}`, args, variant);
      expect(result.isError).not.toBe(true);
      expect(client.asked.map((asked) => asked.method)).toContain(method);
      if (method === 'roots/list') expect(textOf(result)).toContain(`file:///home/${kind.length}`);
      if (method === 'sampling/createMessage') expect(textOf(result)).toContain('pong');
      for (const { params } of client.asked.filter((asked) => asked.method === 'elicitation/create'))
        expect(params.message).toMatch(
          /^(Server 'everything' asks: |mcpproxy asks: server 'everything' wants )/,
        );
      expect(await lastRecord(TYPES[method])).toMatchObject({
        status: 'success',
        server_name: 'everything',
        client: `${name}/1.0.0`,
        duration_ms: expect.any(Number),
        metadata: { principal: 'operator' },
      });
    });

    test('with a server of the 2026 era', async () => {
      const client = await connect(kind);
      expect(JSON.parse(textOf(await client.call(`modern:${newer}`)))).toMatchObject(ANSWERS[newer]);
      expect(await lastRecord(TYPES[method])).toMatchObject({
        status: 'success',
        server_name: 'modern',
        tool_name: newer,
      });
    });
  });

  test.each(['all', 'twice'] as const)('several questions: %s', async (tool) => {
    const client = await connect(kind);
    expect(JSON.parse(textOf(await client.call(`modern:${tool}`)))).toMatchObject(ANSWERS[tool]);
  });

  test('the person sees what the model would get, and the record links to the call', async () => {
    const client = await connect(kind);
    await client.call('everything:trigger-sampling-request', { prompt: 'Say pong' }, 'write');
    const [form] = client.asked.filter(({ method }) => method === 'elicitation/create');
    expect(form!.params.message).toContain('Say pong');
    const record = (await lastRecord('sampling'))!;
    expect(record).toMatchObject({ arguments: { maxTokens: 100 }, response: { model: 'scripted' } });
    const { records } = await proxy.rest.request('listActivity', { request_id: record.request_id });
    expect(records.map(({ id }) => id)).toContain(record.metadata.call_record);
  });
});

test('a server of the 2026 era that asks on and on is stopped, with a client of the 2025 era', async () => {
  const client = await connect('SDK 1.x');
  const result = await client.call('modern:forever');
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'ASK_REFUSED' } } });
  expect(client.asked.length).toBeLessThanOrEqual(20);
});
