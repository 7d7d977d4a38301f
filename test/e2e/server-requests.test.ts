import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
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
  const { records } = await proxy.rest.request('listActivity', { type, limit: 1 });
  return records[0];
}

describe.each(ASKED_CLIENTS)('client %s', (kind) => {
  describe('with the official server of the 2025 era', () => {
    test('elicitation: the client is asked in the name of the server, and its answer arrives', async () => {
      const client = await connect(kind);
      const result = await client.call('everything:trigger-elicitation-request', {}, 'write');
      expect(client.asked.map(({ method }) => method)).toContain('elicitation/create');
      const { params } = client.asked.find(({ method }) => method === 'elicitation/create')!;
      expect(params.message).toMatch(/^Server 'everything' asks: /);
      expect(textOf(result)).toMatch(/provided|accept/i);
      expect(await lastRecord('elicitation')).toMatchObject({
        status: 'success',
        server_name: 'everything',
        tool_name: 'trigger-elicitation-request',
        client: 'asked/1.0.0',
        response: { action: 'accept' },
      });
    });

    test('sampling: a person is asked first, then the model', async () => {
      const client = await connect(kind);
      const result = await client.call(
        'everything:trigger-sampling-request',
        { prompt: 'Say pong' },
        'write',
      );
      expect(textOf(result)).toContain('pong');
      const methods = client.asked.map(({ method }) => method).filter((method) => method !== 'roots/list');
      expect(methods).toEqual(['elicitation/create', 'sampling/createMessage']);
      expect(client.asked.find(({ method }) => method === 'elicitation/create')!.params.message).toContain(
        'Say pong',
      );
      expect(await lastRecord('sampling')).toMatchObject({
        status: 'success',
        server_name: 'everything',
        arguments: { maxTokens: 100 },
        response: { model: 'scripted' },
      });
    });

    test('roots: those of this client', async () => {
      const client = await connect(kind, { root: `file:///home/${kind.length}` });
      const result = await client.call('everything:get-roots-list');
      expect(textOf(result)).toContain(`file:///home/${kind.length}`);
    });
  });

  describe('with a server of the 2026 era', () => {
    test.each(['elicit', 'elicit-url', 'sample', 'roots', 'all', 'twice'])('%s', async (tool) => {
      const client = await connect(kind);
      const answers = JSON.parse(textOf(await client.call(`modern:${tool}`)));
      expect(answers).toMatchObject(
        {
          elicit: { name: { action: 'accept', content: { name: 'my name' } } },
          'elicit-url': { login: { action: 'accept' } },
          sample: { answer: { model: 'scripted' } },
          roots: { dirs: { roots: [{ uri: 'file:///home/one' }] } },
          all: { name: { action: 'accept' }, answer: { model: 'scripted' }, dirs: { roots: [{}] } },
          twice: { second: { action: 'accept' } },
        }[tool]!,
      );
    });
  });
});
