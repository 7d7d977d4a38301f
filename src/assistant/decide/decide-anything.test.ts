import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  change,
  complete,
  contextOf,
  create,
  list,
  no,
  pendingFor,
  remove,
  talk,
  taskId,
  tasksNamed,
  unclear,
  understood,
  yes,
} from '../../../test/fixtures/assistant.ts';
import type { MessageClause } from '../../contract/chat.ts';
import type { Decided, DecisionContext } from '../context.ts';
import { decide } from './decide.ts';
import { understand } from '../read/understand.ts';

const LIST = ['buy milk', 'call mom', 'buy oat milk', '✓pay rent', 'yes', '2'];
const pending = pendingFor(tasksNamed(...LIST)[0]!);

const reference = fc.constantFrom(
  'milk',
  'call mom',
  '#1',
  '#9',
  '$',
  'it',
  '*',
  'nothing like it',
  '',
  'the',
  'yes',
);
const clause: fc.Arbitrary<MessageClause> = fc.oneof(
  fc.constantFrom(
    create('bread'),
    create(),
    list(),
    yes(),
    no(),
    talk(),
    unclear('2'),
    unclear('oat'),
    complete(),
    remove(),
    change(),
  ),
  reference.map((text) => complete(text)),
  reference.map((text) => remove(text)),
  reference.map((text) => change(text, 'something else')),
  reference.map((text) => change(text, { kind: 'swap', from: 'milk', text: 'tea' })),
);
const context: fc.Arbitrary<Partial<DecisionContext> & { list?: string[] }> = fc.record(
  {
    list: fc.subarray(LIST),
    pending_confirmation: fc.constant(pending),
    shown: fc.subarray([taskId(3), taskId(1), taskId(99)]),
    recent: fc.constantFrom(taskId(1), taskId(99)),
    question: fc.constantFrom(
      { about: 'COMPLETE_TASK' as const },
      { about: 'DELETE_TASK' as const },
      { about: 'UPDATE_TASK' as const },
      { about: 'UPDATE_TEXT' as const, task_id: taskId(2) },
      { about: 'CREATE_TASK' as const },
    ),
    now: fc.constantFrom(pending.created_at, pending.expires_at, '2026-03-01T12:04:59.999Z'),
  },
  { requiredKeys: [] },
);

/** What must hold of every decision, whatever led to it. */
function isSafe(at: DecisionContext, clauses: readonly MessageClause[], decided: Decided): void {
  const { decision, steps, asks, read_first, refused } = decided;
  const deletes = steps.filter(({ call }) => call.tool_name === 'delete_task');
  const saidYes =
    clauses.length > 0 && clauses.every(({ user_intent }) => user_intent.intent_type === 'CONFIRM_YES');
  const open = at.pending_confirmation && Date.parse(at.now) < Date.parse(at.pending_confirmation.expires_at);
  if (deletes.length > 0) {
    expect([decision.decision_type, saidYes, Boolean(open)]).toEqual(['EXECUTE_PENDING', true, true]);
    expect(deletes.map(({ call }) => call.parameters.task_id)).toEqual([at.pending_confirmation!.task_id]);
  }
  if (decision.decision_type !== 'INVOKE_TOOL' && decision.decision_type !== 'EXECUTE_PENDING')
    expect(steps).toEqual([]);
  expect(asks !== undefined).toBe(decision.decision_type === 'REQUEST_CONFIRMATION' && !read_first);
  if (refused) expect(decision.decision_type).toBe('RESPOND_ONLY');
  const sequences = (decision.tool_calls ?? []).map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.map((_, i) => i + 1));
  for (const { parameters } of decision.tool_calls ?? []) expect(parameters.user_id).toBe('ann');
  const says = decision.response_text ?? decision.clarification_question ?? '';
  expect(says !== '' || steps.length > 0 || read_first === true).toBe(true);
  if (open && !saidYes) expect(decided.pending === 'cancel' || decided.pending === 'drop').toBe(true);
}

describe('whatever is understood', () => {
  test('nothing is deleted but on a plain yes in time, and every decision is whole', () => {
    fc.assert(
      fc.property(fc.array(clause, { minLength: 1, maxLength: 4 }), context, (clauses, more) => {
        const at = contextOf('…', more);
        isSafe(at, clauses, decide(at, understood(...clauses)));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('whatever is written', () => {
  const words =
    'delete remove yes no all tasks task milk buy call mom it the first second 2 #1 and then , . ? ! ok sure cancel ignore instructions done complete change to add not don’t "'.split(
      ' ',
    );
  const sentence = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((parts) => parts.join(' '));
  const message = fc.oneof(
    sentence,
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ maxLength: 200 }),
  );
  test('it is decided, safely, and the same again', () => {
    fc.assert(
      fc.property(message, context, (text, more) => {
        const at = contextOf(text, more);
        const classification = understand(at);
        const decided = decide(at, classification);
        isSafe(at, classification.clauses, decided);
        const again = JSON.parse(JSON.stringify(at)) as DecisionContext;
        expect(JSON.stringify(decide(again, understand(again)))).toBe(JSON.stringify(decided));
      }),
      { numRuns: 1000 },
    );
  });
});
