import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../../../test/fixtures/start.ts';
import { tempDir } from '../../../test/fixtures/temp-dir.ts';
import { startUpstreams, stopUpstreams, textOf } from '../../../test/fixtures/upstreams.ts';

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const ROUND = {
  clientCapabilities: { elicitation: { form: {} }, roots: {}, extensions: { 'example.com/tasks': {} } },
  inputResponses: { name: { action: 'accept', content: { name: 'Ada' } } },
  requestState: 'opaque',
};

let fixture: HttpFixture | undefined;
afterEach(async () => {
  await stopUpstreams();
  await fixture?.stop();
});

/** The params of the one call that the server was sent. */
async function paramsSent(
  era: '2025' | '2026',
  continuation?: typeof ROUND,
): Promise<Record<string, unknown>> {
  const log = join(tempDir(), 'requests.log');
  fixture = await startHttpFixture('http-echo.mjs', '/mcp', '--era', era, '--log', log);
  const { call } = await startUpstreams({ up: { url: fixture.url } });
  expect(textOf(await call('up', 'echo', { text: 'hello' }, { continuation }))).toBe('hello');
  const bodies = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { body: string }).body)
    .filter((body) => body.includes('"tools/call"'));
  expect(bodies).toHaveLength(1);
  return (JSON.parse(bodies[0]!) as { params: Record<string, unknown> }).params;
}

describe('what a caller brings to an input-required exchange', () => {
  test('reaches a 2026 server beside the arguments, with what the caller can be asked', async () => {
    const { _meta: meta, ...params } = await paramsSent('2026', ROUND);
    expect(params).toEqual({
      name: 'echo',
      arguments: { text: 'hello' },
      inputResponses: ROUND.inputResponses,
      requestState: 'opaque',
    });
    expect(meta).toMatchObject({ [CAPABILITIES]: { elicitation: { form: {} }, roots: {} } });
    expect(JSON.stringify(meta)).not.toContain('extensions');
  });

  test('is left out where the caller brings nothing, and no capability is claimed for it', async () => {
    const { _meta: meta, ...params } = await paramsSent('2026');
    expect(params).toEqual({ name: 'echo', arguments: { text: 'hello' } });
    expect(meta).toMatchObject({ [CAPABILITIES]: {} });
  });

  test('never reaches a 2025 server', async () => {
    const { _meta: meta, ...params } = await paramsSent('2025', ROUND);
    expect(params).toEqual({ name: 'echo', arguments: { text: 'hello' } });
    expect(JSON.stringify(meta ?? {})).not.toContain('clientCapabilities');
  });
});
