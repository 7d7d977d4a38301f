import { describe, expect, test } from 'vitest';
import {
  change,
  complete,
  contextOf,
  create,
  list,
  remove,
  talk,
  taskId,
  unclear,
  understood,
  yes,
} from '../../../test/fixtures/assistant.ts';
import type { MessageClause } from '../../contract/chat.ts';
import type { Decided, DecisionContext, OpenQuestion } from '../context.ts';
import { decide } from './decide.ts';

const LIST = ['buy milk', 'call mom', 'buy oat milk', '✓pay rent'];

function decided(clauses: MessageClause | MessageClause[], more: Partial<DecisionContext> = {}): Decided {
  return decide(contextOf('…', { list: LIST, ...more }), understood(...[clauses].flat()));
}

/** The first message leaves a question, the second answers it. */
function asked(first: MessageClause | MessageClause[], answer: MessageClause): Decided {
  const { question, shown, recent } = decided(first);
  return decided(answer, {
    ...(question && { question }),
    ...(shown && { shown }),
    ...(recent !== undefined && { recent }),
  });
}

const changes = ({ steps }: Decided) =>
  steps.map(({ call: { tool_name, parameters } }) => {
    const id = parameters.task_id as string | undefined;
    return [tool_name, id && Number(id.slice(-12)), parameters.description].filter(Boolean).join(' ');
  });

describe('which one?', () => {
  test.each<[string, MessageClause, MessageClause, string[]]>([
    ['yes, where two were named', complete('mlik'), yes(), []],
    ['yes to the near one', complete('call momm'), yes(), ['complete_task 2']],
    ['both', complete('milk'), unclear('both'), ['complete_task 1', 'complete_task 3']],
    ['all of them', complete('milk'), talk('all of them'), ['complete_task 1', 'complete_task 3']],
    ['two numbers', complete('milk'), talk('1 and 2'), ['complete_task 1', 'complete_task 3']],
    ['neither', complete('milk'), unclear('neither'), []],
    ['after a place that is not there', complete('#9'), talk('2'), ['complete_task 2']],
    ['both, for one text', change('milk', 'tea'), unclear('both'), []],
    ['a name that reads like talk', complete('milk'), talk('oat'), ['complete_task 3']],
  ])('%s', (...[, first, answer, expected]) => {
    expect(changes(asked(first, answer))).toEqual(expected);
  });

  test('a yes does not say which: it is asked again, and the answer after that still counts', () => {
    const again = asked(complete('milk'), yes());
    expect(again.decision).toMatchObject({ decision_type: 'ASK_CLARIFICATION' });
    expect(again.question).toMatchObject({ about: 'COMPLETE_TASK', among: 2 });
  });
  test('several deletes are one question', () => {
    const got = asked(remove('milk'), unclear('both'));
    expect([got.decision.decision_type, got.asks?.task_id]).toEqual(['REQUEST_CONFIRMATION', taskId(1)]);
    expect(got.decision.clarification_question).toMatch(/delete “buy milk” and “buy oat milk”\?/);
  });
  test('the rest of the message is done with it, in its order', () => {
    const got = asked([create('bread'), complete('milk'), list()], talk('2'));
    expect(changes(got)).toEqual(['add_task bread', 'complete_task 3', 'list_tasks']);
  });
  test('a yes to the near one, with a delete beside it, is still asked about', () => {
    const got = asked([complete('call momm'), remove('buy milk')], yes());
    expect([got.decision.decision_type, got.steps]).toEqual(['REQUEST_CONFIRMATION', []]);
    expect(got.asks?.steps.map(({ call }) => call.tool_name)).toEqual(['complete_task', 'delete_task']);
  });
});

describe('what should it say?', () => {
  const text: OpenQuestion = { about: 'UPDATE_TEXT', task_id: taskId(2) };
  test.each<[string, MessageClause, string[]]>([
    ['anything that is no request', talk('call dad 700'), ['update_task 2 call dad 700']],
    ['thanks', talk('thanks'), []],
    ['nothing', talk('nothing'), []],
    ['thinking aloud', talk('hmm let me think'), []],
    ['neither yes nor no', unclear('not sure', ['CONFIRM_YES', 'CONFIRM_NO']), []],
    ['a question', talk('what do you mean?'), []],
    ['yes', yes(), []],
  ])('%s', (_, answer, expected) => {
    expect(changes(decided(answer, { question: text }))).toEqual(expected);
  });
  test('too long, and then shorter', () => {
    expect(changes(asked(create('x'.repeat(1001)), talk('x')))).toEqual(['add_task x']);
    expect(changes(asked(change('call mom', 'x'.repeat(1001)), talk('y')))).toEqual(['update_task 2 y']);
  });
});

describe('should I …?', () => {
  test.each<[string, MessageClause, string[]]>([
    ['add', unclear('add שלום', ['CREATE_TASK']), ['add_task שלום']],
    ['complete', unclear('complete call mom', ['COMPLETE_TASK']), ['complete_task 2']],
    ['list', unclear('tasks what', ['LIST_TASKS']), ['list_tasks']],
  ])('yes: %s', (_, first, expected) => {
    expect(decided(first)).toMatchObject({
      decision: {
        decision_type: 'ASK_CLARIFICATION',
        clarification_question: expect.stringMatching(/yes or no/),
      },
      steps: [],
    });
    expect(changes(asked(first, yes()))).toEqual(expected);
    expect(changes(asked(first, talk('no idea')))).toEqual([]);
  });
  test('delete: the yes leads to the question that every delete has', () => {
    const got = asked(unclear('delete call mom', ['DELETE_TASK']), yes());
    expect([got.decision.decision_type, got.steps]).toEqual(['REQUEST_CONFIRMATION', []]);
  });
  test('everything is done: a yes shows it', () => {
    const { question } = decide(contextOf('…', { list: ['✓a'] }), understood(complete('b')));
    expect(changes(decided(yes(), { question: question! }))).toEqual(['list_tasks']);
  });
  test('words that do not begin with a wish are not offered as one', () => {
    const got = decided(unclear('would you mind deleting milk', ['DELETE_TASK']));
    expect(got.decision.clarification_question).toMatch(/Which task should I delete\?/);
    expect(got.decision.clarification_question).not.toMatch(/would you mind/);
  });
  test('longer than a task can be: said at once', () => {
    const got = decided(unclear(`add ${'very '.repeat(300)}`, ['CREATE_TASK']));
    expect(got.decision.clarification_question).toMatch(/up to 1000 characters/);
  });
});

test('several names in one phrase are several tasks, where no task is called so', () => {
  expect(changes(decided(complete('milk, mom')))).toEqual([]);
  expect(changes(decided(complete('oat milk and mom')))).toEqual(['complete_task 3', 'complete_task 2']);
  const bread = contextOf('…', { list: ['milk', 'eggs', 'bread'] });
  expect(changes(decide(bread, understood(complete('milk and eggs, then delete bread'))))).toEqual([]);
  const both = contextOf('…', { list: ['buy milk and bread', 'bread'] });
  expect(changes(decide(both, understood(complete('buy milk and bread'))))).toEqual(['complete_task 1']);
  expect(decided(remove('buy oat milk and mom')).asks?.task_id).toBe(taskId(3));
});
