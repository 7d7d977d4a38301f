import { describe, expect, test } from 'vitest';
import { catalogTool } from '../../../test/fixtures/catalog-tool.ts';
import type { CatalogTool } from '../../catalog/catalog-tool.ts';
import { Config } from '../../contract/config.ts';
import { ProxyError } from '../../contract/errors.ts';
import { createLog } from '../../lib/log.ts';
import { createRoad, type GivenParts } from '../road.ts';

const caller = { source: 'mcp' as const, principal: 'operator', userId: 'ann', requestId: 'R1' };

interface Given {
  timeoutMs?: number;
  token?: string[];
  /** Thrown because too many calls wait. */
  full?: ProxyError;
}

/** A road to one server that is starting. Its tools are known once it has started. */
function starting({ timeoutMs = 10_000, token, full }: Given = {}) {
  const tools = new Map<string, CatalogTool>();
  const limits: number[] = [];
  const closed: unknown[] = [];
  const sent: Array<{ since?: number | undefined }> = [];
  const stop = new AbortController();
  let end!: () => void;
  const started = new Promise<void>((done) => (end = done));
  const parts: GivenParts = {
    config: () => Config.parse({ call_timeout: '60s' }),
    catalog: { get: (name) => tools.get(name), nearest: () => [] },
    servers: {
      view: () => ({
        state: 'connecting',
        tool_count: 0,
        waiting_for: 'first_answer',
        waiting_since: new Date().toISOString(),
      }),
      whenStarted(_name, limitMs) {
        if (full) throw full;
        limits.push(limitMs());
        return started;
      },
    },
    activity: {
      state: () => ({ log: 'ok' }),
      open: () => ({
        id: 'r1',
        durable: async () => {},
        close: async ({ status, error_code: code }) => void closed.push([status, code]),
      }),
    },
    dispatch: async (request) => {
      sent.push(request);
      return { content: [] };
    },
    log: createLog('silent'),
  };
  const scope = token && { servers: token, operations: ['read' as const] };
  const answer = createRoad(parts)({
    operation: 'read',
    input: { name: 'srv:get', args: {}, intent_operation_type: 'read' },
    caller: { ...caller, ...(scope && { token: { id: '1', name: 'agent', scope } }) },
    signal: stop.signal,
    timeoutMs,
  });
  return {
    answer,
    limits,
    sent,
    closed,
    stop,
    end,
    ready: () => tools.set('srv:get', catalogTool('srv', 'get')),
  };
}

describe('a call that arrives while its server starts', () => {
  test('is sent once the server has started', async () => {
    const { answer, sent, end, ready, limits } = starting();
    ready();
    end();
    expect(await answer).toEqual({ content: [] });
    expect(sent).toHaveLength(1);
    // Time remains for the call itself.
    expect(limits).toEqual([8_000]);
  });

  test('is told that the server is still starting where the time does not suffice', async () => {
    const { answer, sent, end } = starting();
    end();
    await expect(answer).rejects.toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      message: expect.stringMatching(
        /^Server 'srv' is not connected \(starting, \d+ s\)\. The call was not sent; try again in a moment\.$/,
      ) as string,
      details: { sent: false, retry_after_s: 1 },
    });
    expect(sent).toEqual([]);
  });

  test('is refused and recorded where too many wait', async () => {
    const { answer, closed, sent } = starting({ full: new ProxyError('SERVER_BUSY', 'too many wait') });
    await expect(answer).rejects.toMatchObject({ code: 'SERVER_BUSY' });
    expect([closed, sent]).toEqual([[['error', 'SERVER_BUSY']], []]);
  });

  test('ends when its caller goes', async () => {
    const { answer, sent, end, ready, stop } = starting();
    ready();
    stop.abort();
    end();
    await expect(answer).rejects.toMatchObject({ code: 'CANCELLED', details: { sent: false } });
    expect(sent).toEqual([]);
  });

  test('does not wait for a server outside of the scope of its token', async () => {
    const { answer, limits } = starting({ token: ['other'] });
    await expect(answer).rejects.toMatchObject({ code: 'OUT_OF_SCOPE' });
    expect(limits).toEqual([]);
  });
});
