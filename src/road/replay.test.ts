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
const signal = new AbortController().signal;
const policy = createPolicy([{ match: { tool: 'format_disk' }, action: 'refuse' }, 'destructive']);

test('counts what would have been allowed, held and refused, per tool, with examples', async () => {
  const records = [
    call('read', 'read'),
    call('delete', 'destructive'),
    call('delete', 'destructive', { status: 'error' }),
    call('format_disk', 'destructive'),
  ];
  const replay = await replayPolicy(policy, records, signal);
  expect(replay).toMatchObject({
    calls: 4,
    allow: 1,
    ask: 2,
    refuse: 1,
    truncated: false,
    policy_version: policy.version,
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
  expect(await replayPolicy(policy, records, signal)).toMatchObject({ calls: 3, ask: 3 });
});

test('a reader that leaves ends it', async () => {
  const gone = AbortSignal.abort();
  await expect(
    replayPolicy(
      policy,
      Array.from({ length: 1000 }, () => call('read', 'read')),
      gone,
    ),
  ).rejects.toThrow();
});
