import { describe, expect, test } from 'vitest';
import type { Outcome } from '../log/record/record.ts';
import { ProxyError } from '../contract/errors.ts';
import { createLog } from '../lib/log.ts';
import { createRoad, type GivenParts } from './road.ts';

const broken = new ProxyError('AUDIT_UNAVAILABLE', 'The activity log cannot be written (disk full)');
const caller = { source: 'api', principal: 'operator', userId: 'local', requestId: 'r1' } as const;

interface Given {
  whenUnavailable?: 'refuse' | 'allow_reads';
  /** What the log is known to be before the call. */
  log?: 'ok' | 'unavailable';
  durable?: boolean;
  closes?: boolean;
}

/** One call along the real road, with a log that fails where it is told to. */
async function call(operation: 'read' | 'write', given: Given) {
  const { whenUnavailable = 'refuse', log = 'ok', durable = true, closes = true } = given;
  const outcomes: Outcome[] = [];
  let dispatched = 0;
  const tool = {
    name: 'up:tool',
    server: 'up',
    tool: 'tool',
    enabled: true,
    operation: { verdict: operation, source: 'annotation', inferred: operation },
    constraint: { operation: null, source: 'default' },
    definition: { name: 'tool', inputSchema: { type: 'object' } },
  };
  const parts = {
    config: () => ({
      intent_declaration: { operation_type: 'inferred', strict_server_validation: true },
      activity: { when_unavailable: whenUnavailable },
    }),
    catalog: { get: () => tool, nearest: () => [] },
    activity: {
      state: () => ({ log, reason: 'disk full' }),
      open: () => ({
        id: 'r',
        durable: () => (durable ? Promise.resolve() : Promise.reject(broken)),
        close(outcome: Outcome) {
          outcomes.push(outcome);
          return closes ? Promise.resolve() : Promise.reject(broken);
        },
      }),
    },
    dispatch: () => Promise.resolve({ content: [{ type: 'text', text: String(++dispatched) }] }),
    log: createLog('silent'),
  } as unknown as GivenParts;
  const answer = await createRoad(parts)({
    operation,
    input: { name: 'up:tool', args: {} },
    caller,
    signal: new AbortController().signal,
  }).catch((error: unknown) => error as ProxyError);
  return { answer, dispatched, outcomes };
}

const refused = { code: 'AUDIT_UNAVAILABLE' };

describe('a call while the log cannot be written', () => {
  test('a change that cannot be recorded first is not made', async () => {
    for (const whenUnavailable of ['refuse', 'allow_reads'] as const) {
      const { answer, dispatched } = await call('write', { whenUnavailable, durable: false, closes: false });
      expect([answer, dispatched]).toMatchObject([refused, 0]);
    }
  });

  test('a read is refused before it is made, or let through, as the setting says', async () => {
    const strict = await call('read', { log: 'unavailable', closes: false });
    expect([strict.answer, strict.dispatched]).toMatchObject([
      { ...refused, details: { executed: false } },
      0,
    ]);
    const lax = await call('read', { log: 'unavailable', closes: false, whenUnavailable: 'allow_reads' });
    expect([lax.answer, lax.dispatched]).toMatchObject([{ content: [{ text: '1' }] }, 1]);
    expect(lax.outcomes).toMatchObject([{ status: 'success' }]);
  });

  test('what ran, but whose outcome could not be recorded, is not answered as if nothing had happened', async () => {
    for (const operation of ['read', 'write'] as const) {
      const { answer, dispatched } = await call(operation, { closes: false });
      expect([answer, dispatched]).toMatchObject([
        { code: 'RAN_UNRECORDED', status: 500, details: { executed: true } },
        1,
      ]);
      expect((answer as ProxyError).message).toContain('has run');
    }
  });
});
