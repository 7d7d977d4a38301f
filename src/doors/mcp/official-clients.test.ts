import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { CLIENTS, type AnyClient } from '../../../test/fixtures/mcp-clients.ts';
import { startHarness, type Harness, type Json } from '../../../test/fixtures/mcp-harness.ts';

describe.each(CLIENTS)('$title over HTTP', ({ connect, revision }) => {
  let harness: Harness;
  let client: AnyClient;
  beforeEach(async () => {
    harness = await startHarness();
    client = await connect(harness);
  });
  afterEach(async () => {
    await client.close();
    await harness.stop();
  });

  test('agrees on its revision, lists and calls', async () => {
    expect(client.revision).toBe(revision);
    expect(await client.list()).toContain('echo');
    const result = await client.call('echo', { text: 'hé' });
    expect(result.content).toEqual([{ type: 'text', text: '{"text":"hé"}' }]);
    expect(harness.calls[0]!.caller.client).toBe('tester/9');
    expect(harness.endpoint.sessions()).toBe(revision === '2026-07-28' ? 0 : 1);
  });

  test('hears of progress', async () => {
    const seen: Json[] = [];
    const result = await client.call('slow', {}, { onprogress: (progress) => seen.push(progress) });
    expect(result.content[0].text).toBe('done');
    expect(seen).toMatchObject(
      [1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` })),
    );
  });

  test('cancels', async () => {
    const stop = new AbortController();
    const hung = client.call('hang', {}, { signal: stop.signal });
    await expect.poll(() => harness.calls.length).toBe(1);
    stop.abort('enough');
    await expect(hung).rejects.toThrow();
    await expect.poll(() => harness.aborted).toHaveLength(1);
    expect((await client.call('echo')).content[0].text).toBe('{}');
  });

  test('reads a refusal as a result, and an error as an error', async () => {
    expect(await client.call('refused')).toMatchObject({ isError: true });
    await expect(client.call('tampered')).rejects.toMatchObject({ code: -32602, data: { a: 1 } });
  });

  test('hears that tools changed', async () => {
    // The stream for it opens after the handshake, so the change is announced until it is heard.
    await expect
      .poll(() => {
        harness.endpoint.listChanged('tools');
        return client.changes();
      })
      .toBeGreaterThan(0);
  });

  test('many calls at once each get their own answer', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => client.call('echo', { n })));
    expect(answers.map((answer) => JSON.parse(answer.content[0].text).n)).toEqual(
      Array.from({ length: 50 }, (_, n) => n),
    );
  });
});

describe.each(CLIENTS.filter(({ revision }) => revision === '2026-07-28'))(
  '$title over HTTP',
  ({ connect }) => {
    test('answers what a server asks back', async () => {
      const harness = await startHarness();
      const client = await connect(harness);
      const { content } = await client.call('ask');
      expect(JSON.parse(content[0].text)).toMatchObject({
        inputResponses: { q: { action: 'accept', content: { n: 'bob' } } },
        requestState: 'opaque',
      });
      await client.close();
      await harness.stop();
    });
  },
);

test.each(CLIENTS.filter(({ revision }) => revision !== '2026-07-28'))(
  '$title reads an unfinished result of a tool with an output schema as an error',
  async ({ connect }) => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const tools = [{ name: 'ask', inputSchema: { type: 'object' }, outputSchema }];
    const harness = await startHarness({ modeOf: () => 'direct', listTools: () => ({ tools }) });
    onTestFinished(() => harness.stop());
    const client = await connect(harness);
    onTestFinished(() => client.close());
    await client.list();
    // The client checks the structured content of an error against the schema, too.
    expect(await client.call('ask')).toMatchObject({
      isError: true,
      _meta: { 'mcpproxy/error': { code: 'UPSTREAM_FAILED' } },
    });
  },
);
