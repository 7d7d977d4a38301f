import { expect, test } from 'vitest';
import type { ActivityRecord } from '../contract/activity.ts';
import { createPolicy } from '../approval/index.ts';
import { replayPolicy } from './replay.ts';

let n = 0;
function call(tool: string, verdict: string, more: Partial<ActivityRecord> = {}): ActivityRecord {
  return {
    id: `R${++n}`,
    type: 'tool_call',
    source: 'mcp',
    server_name: 'files',
    tool_name: tool,
    response_truncated: false,
    status: 'success',
    timestamp: '2026-01-01T00:00:00Z',
    request_id: 'r',
    metadata: {
      principal: 'token:ci',
      tool_variant: `call_tool_${verdict as 'read'}`,
      operation: { verdict, source: 'annotation', inferred: 'read' },
    },
    ...more,
  };
}
const range = {
  since: Date.parse('2026-01-01T00:00:00Z'),
  until: Date.parse('2026-01-05T00:00:00Z'),
  buckets: 4,
};
const signal = new AbortController().signal;
const policy = createPolicy([{ match: { tool: 'format_disk' }, action: 'refuse' }, 'destructive']);

test('counts what would have been allowed, held and refused, per tool, with examples', async () => {
  const records = [
    call('read', 'read'),
    call('delete', 'destructive'),
    call('delete', 'destructive', { status: 'error' }),
    call('format_disk', 'destructive'),
  ];
  const replay = await replayPolicy({ policy, range }, records, signal);
  expect(replay).toMatchObject({
    calls: 4,
    allow: 1,
    ask: 2,
    refuse: 1,
    truncated: false,
    policy_version: policy.version,
    rules: [1, 2],
  });
  expect(replay.tools.map(({ tool }) => tool)).toEqual(['files:format_disk', 'files:delete', 'files:read']);
  expect(replay.tools[1]).toMatchObject({ ask: 2, reason: expect.stringContaining('destructive') as string });
  expect(replay.examples.map(({ action, status }) => [action, status])).toEqual([
    ['ask', 'success'],
    ['ask', 'error'],
    ['refuse', 'success'],
  ]);
});

test('calls that never came to a policy are left out; those that one stopped are not', async () => {
  const records = [
    call('a', 'read', { status: 'refused', error_code: 'INTENT_MISMATCH' }),
    call('a', 'read', { metadata: {} }),
    call('delete', 'destructive', { status: 'refused', error_code: 'POLICY_REFUSED' }),
    call('delete', 'destructive', { status: 'denied', error_code: 'APPROVAL_DENIED' }),
    call('delete', 'destructive', { status: 'refused', error_code: 'APPROVAL_LIMIT' }),
  ];
  expect(await replayPolicy({ policy, range }, records, signal)).toMatchObject({ calls: 3, ask: 3 });
});

test('a reader that leaves ends it', async () => {
  const gone = AbortSignal.abort();
  await expect(
    replayPolicy(
      { policy, range },
      Array.from({ length: 1000 }, () => call('read', 'read')),
      gone,
    ),
  ).rejects.toThrow();
});

test('counts the calls over time, also those at and beyond the ends, and the calls of each rule', async () => {
  const at = (timestamp: string, verdict = 'destructive') => call('delete', verdict, { timestamp });
  const records = [
    at('2025-12-31T23:59:59Z'),
    at('2026-01-01T00:00:00Z', 'read'),
    at('2026-01-02T00:00:00Z'),
    at('2026-01-02T23:59:59Z'),
    at('2026-01-05T00:00:00Z'),
  ];
  const { points, rules } = await replayPolicy({ policy, range }, records, signal);
  expect(points.map(({ time, allow, ask, refuse }) => [time.slice(0, 10), allow, ask, refuse])).toEqual([
    ['2026-01-01', 1, 1, 0],
    ['2026-01-02', 0, 2, 0],
    ['2026-01-03', 0, 0, 0],
    ['2026-01-04', 0, 1, 0],
  ]);
  expect(rules).toEqual([0, 4]);
});
