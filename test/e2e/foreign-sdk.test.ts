import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLIENTS, type AnyClient, type ClientKind } from '../fixtures/mcp-clients.ts';
import type { Json } from '../fixtures/mcp-harness.ts';
import { openForeignStage, OWN_TOOLS, reading, type ForeignStage } from './foreign-stage.ts';
import { poll } from './start-proxy.ts';

let stage: ForeignStage;
beforeAll(async () => {
  stage = await openForeignStage();
});
afterAll(() => stage?.dispose());

const CONTENT = [
  'test_simple_text',
  'test_image_content',
  'test_audio_content',
  'test_embedded_resource',
  'test_multiple_content_types',
  'test_error_handling',
];
const PLACES = ['http', 'stdioBeside', 'stdioAlone'] as const;
const rows = CLIENTS.flatMap((kind) => PLACES.map((place) => [kind.title, place, kind] as const));

describe.each(rows)('%s over %s', (_, place, kind: ClientKind) => {
  let client: AnyClient;
  beforeAll(async () => {
    client = await kind.connect(stage[place]);
    await poll(
      'the servers to be connected',
      () => place,
      async () => {
        const { total } = await find('tool', { limit: 1 });
        return total >= 3 * CONTENT.length || undefined;
      },
    );
  });
  afterAll(() => client?.close());

  async function find(query: string, more: object = {}): Promise<Json> {
    return (await client.call('retrieve_tools', { query, ...more })).structuredContent;
  }
  const call = (name: string, args: Record<string, unknown> = {}, options = {}) =>
    client.call('call_tool_read', reading(name, args), options);

  test('lists, finds, calls and is refused', async () => {
    expect(client.revision).toBe(kind.revision);
    expect(await client.list()).toEqual(OWN_TOOLS);
    const found = await find('read only fixture', { server: 'up' });
    expect(found.tools.map(({ name }: Json) => name)).toContain('up:read_only');
    expect(JSON.parse((await call('up:read_only', { text: 'a' })).content[0].text)).toEqual({ text: 'a' });
    const refused = await call('up:destructive');
    expect(refused.isError).toBe(true);
    expect(refused.structuredContent.error.code).toBe('SERVER_MISMATCH');
  });

  test('gets every type of content as the same client gets it from the server itself', async () => {
    const direct = await kind.connect(stage.direct(kind.revision));
    try {
      for (const tool of CONTENT)
        expect(await call(`${kind.revision}:${tool}`), tool).toEqual(await direct.call(tool));
    } finally {
      await direct.close();
    }
  });

  test('hears of progress, in order', async () => {
    const heard: Json[] = [];
    const onprogress = (progress: Json) => {
      if (heard.push(progress) === 3) void call(`${kind.revision}:release`);
    };
    const answer = await call(`${kind.revision}:progress_until_released`, {}, { onprogress });
    expect(answer.content[0].text).toBe('released');
    const step = (progress: number) => ({ progress, total: 100, message: `step ${progress}` });
    expect(heard).toEqual([0, 50, 100].map(step));
  });

  test('cancels, and the server notices', async () => {
    const [started, before] = [stage.started('slow_cancellable'), stage.cancellations()];
    const stop = new AbortController();
    const running = call('up:slow_cancellable', { ms: 20_000 }, { signal: stop.signal });
    const failed = expect(running).rejects.toThrow();
    const more = (now: number, then: number) => now > then || undefined;
    await poll('the call to arrive', stage.proxy.stderr, () =>
      more(stage.started('slow_cancellable'), started),
    );
    stop.abort('enough');
    await failed;
    await poll('the cancellation to arrive', stage.proxy.stderr, () => more(stage.cancellations(), before));
  });

  // An older client cannot be asked within a call.
  if (kind.revision !== '2026-07-28') return;
  test('answers a server that asks within the call', async () => {
    const answer = await call('2026-07-28:test_input_required_result_request_state');
    expect(answer.content).toEqual([{ type: 'text', text: 'state-ok' }]);
  });
});
