import { expect, test } from 'vitest';
import { contextOf, complete, create, list, understood } from '../../../test/fixtures/assistant.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { StepOutcome } from '../act/call-task-tool.ts';
import { decide } from '../decide/decide.ts';
import { replyTo } from './reply.ts';

const failed = (code: ErrorCode): StepOutcome => ({ state: 'failed', code });
const added: StepOutcome = { state: 'done', value: { task: { task_id: 'x' } } };

test.each<[ErrorCode, string]>([
  ['POLICY_REFUSED', 'I could not add “bread”: that is not allowed here.'],
  ['OUT_OF_SCOPE', 'I could not add “bread”: that is not allowed here.'],
  ['SERVER_MISMATCH', 'I could not add “bread”: that is not allowed here.'],
  ['TOOL_DISABLED', 'I could not add “bread”: that is switched off here.'],
  [
    'APPROVAL_PENDING',
    'I could not add “bread”: it needs an approval first, which is pending. Say “add bread” to try again.',
  ],
  ['SERVER_UNAVAILABLE', 'I could not add “bread” just now. Say “add bread” to try again.'],
])('%s: to try again is said only where it can help', (code, expected) => {
  expect(replyTo(decide(contextOf('…'), understood(create('bread'))), [failed(code)]).text).toBe(expected);
});

test('a list that cannot be read does not take back what was done before it', () => {
  const decided = decide(contextOf('…'), understood(create('bread'), list()));
  expect(replyTo(decided, [added, failed('SERVER_UNAVAILABLE')]).text).toBe(
    'I have added “bread” to your list. I cannot read your list just now; please try again in a moment.',
  );
  expect(replyTo(decided, [added, failed('OUT_OF_SCOPE')]).text).toMatch(
    /I could not read your list: that is not allowed here\.$/,
  );
});

test('a change that needs a list that may not be read says why', () => {
  const at = contextOf('…', { tasks: null, unread: 'APPROVAL_PENDING' });
  const { decision } = decide(at, understood(complete('milk')));
  expect(decision.response_text).toBe(
    'I could not read your list: it needs an approval first, which is pending. I have changed nothing.',
  );
});
