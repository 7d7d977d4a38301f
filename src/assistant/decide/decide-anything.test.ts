import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../../test/fixtures/cases.ts';
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
import { classifyContext } from '../read/classify.ts';

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
  const pending = at.pending_confirmation;
  const saidYes =
    clauses.length > 0 && clauses.every(({ user_intent }) => user_intent.intent_type === 'CONFIRM_YES');
  const isOpen = pending !== undefined && Date.parse(at.now) < Date.parse(pending.expires_at);
  deletesOnlyOnYes(decided, saidYes && isOpen ? pending.task_id : undefined);
  isWhole(decided);
  if (isOpen && !saidYes) expect(['cancel', 'drop']).toContain(decided.pending);
}

/** `confirmed`: the id of the task whose delete a yes in time allows. */
function deletesOnlyOnYes({ decision, steps }: Decided, confirmed: string | undefined): void {
  const deletes = steps.filter(({ call }) => call.tool_name === 'delete_task');
  if (deletes.length === 0) return;
  expect(decision.decision_type).toBe('EXECUTE_PENDING');
  expect(deletes.map(({ call }) => call.parameters.task_id)).toEqual([confirmed]);
}

function isWhole({ decision, steps, asks, read_first, refused }: Decided): void {
  const { decision_type, tool_calls = [], response_text, clarification_question } = decision;
  if (decision_type !== 'INVOKE_TOOL' && decision_type !== 'EXECUTE_PENDING') expect(steps).toEqual([]);
  expect(asks !== undefined).toBe(decision_type === 'REQUEST_CONFIRMATION' && !read_first);
  if (refused) expect(decision_type).toBe('RESPOND_ONLY');
  expect(tool_calls.map(({ sequence }) => sequence)).toEqual(tool_calls.map((_, i) => i + 1));
  for (const { parameters } of tool_calls) expect(parameters.user_id).toBe('ann');
  const says = Boolean(response_text ?? clarification_question);
  expect(says || steps.length > 0 || read_first).toBe(true);
}

describe('whatever is understood', () => {
  test('nothing is deleted but on a plain yes in time, and every decision is whole', () => {
    fc.assert(
      fc.property(fc.array(clause, { minLength: 1, maxLength: 4 }), context, (clauses, more) => {
        const at = contextOf('…', more);
        isSafe(at, clauses, decide(at, understood(...clauses)));
      }),
      { numRuns: cases(3000) },
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
        const classification = classifyContext(at);
        const decided = decide(at, classification);
        isSafe(at, classification.clauses, decided);
        const again = JSON.parse(JSON.stringify(at)) as DecisionContext;
        expect(JSON.stringify(decide(again, classifyContext(again)))).toBe(JSON.stringify(decided));
      }),
      { numRuns: cases(1000) },
    );
  });
});
