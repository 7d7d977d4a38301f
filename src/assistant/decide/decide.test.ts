import { describe, expect, test } from 'vitest';
import {
  change,
  complete,
  contextOf,
  create,
  list,
  no,
  NOW,
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
import { undoSteps } from '../act/undo-steps.ts';
import type { Decided, DecisionContext, DeleteQuestion, PendingDelete } from '../context.ts';
import { decide } from './decide.ts';

const LIST = ['buy milk', 'call mom', 'buy oat milk', '✓pay rent'];
type More = Parameters<typeof contextOf>[1];

function decided(clauses: MessageClause | MessageClause[], more: More = {}): Decided {
  return decide(contextOf('…', more), understood(...[clauses].flat()));
}
const calls = ({ decision }: Decided) =>
  (decision.tool_calls ?? []).map(({ tool_name, sequence, parameters }) => {
    const id = parameters.task_id as string | undefined;
    return `${sequence} ${tool_name}${id ? ` ${Number(id.slice(-12))}` : ''}${parameters.description ? ` "${parameters.description as string}"` : ''}`;
  });
const said = ({ decision }: Decided) =>
  [decision.response_text, decision.clarification_question].filter(Boolean).join(' ');
const at = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString();
const milk = tasksNamed(...LIST)[0]!;

describe('nothing waits: one clause', () => {
  test.each<[string, MessageClause, string, string[], RegExp]>([
    ['create', create('buy bread'), 'INVOKE_TOOL', ['1 add_task "buy bread"'], /added “buy bread”/],
    ['create, no text', create(), 'ASK_CLARIFICATION', [], /What should I put/],
    ['create, too long', create('x'.repeat(1001)), 'ASK_CLARIFICATION', [], /up to 1000 characters.*1001/],
    [
      'create, longest',
      create('🦊'.repeat(1000)),
      'INVOKE_TOOL',
      [`1 add_task "${'🦊'.repeat(1000)}"`],
      /added/,
    ],
    ['list', list(), 'INVOKE_TOOL', ['1 list_tasks'], /^$/],
    ['chat', talk('hello'), 'RESPOND_ONLY', [], /Hello/],
    [
      'unclear',
      unclear('groceries', ['CREATE_TASK', 'DELETE_TASK']),
      'ASK_CLARIFICATION',
      [],
      /“add groceries” or “delete groceries”/,
    ],
    ['yes', yes(), 'RESPOND_ONLY', [], /nothing waiting for a yes/],
    ['no', no(), 'RESPOND_ONLY', [], /nothing was changed/],
    ['delete all', remove('*'), 'REQUEST_CONFIRMATION', ['1 list_tasks'], /Shall I delete “all my tasks”\?/],
  ])('%s', (...[, clause, type, expected, text]) => {
    const got = decided(clause);
    expect([got.decision.decision_type, calls(got)]).toEqual([type, expected]);
    expect(said(got)).toMatch(text);
  });

  test.each<[string, MessageClause, string, string[], RegExp]>([
    [
      'complete',
      complete('call mom'),
      'INVOKE_TOOL',
      ['1 list_tasks', '2 complete_task 2'],
      /marked “call mom” as done/,
    ],
    ['complete by word', complete('mom'), 'INVOKE_TOOL', ['1 list_tasks', '2 complete_task 2'], /call mom/],
    [
      'complete, in the past',
      complete('called my mom'),
      'INVOKE_TOOL',
      ['1 list_tasks', '2 complete_task 2'],
      /call mom/,
    ],
    [
      'exact title beats words',
      complete('buy milk'),
      'INVOKE_TOOL',
      ['1 list_tasks', '2 complete_task 1'],
      /“buy milk”/,
    ],
    ['several', complete('milk'), 'ASK_CLARIFICATION', ['1 list_tasks'], /1\. buy milk\n2\. buy oat milk/],
    ['none', complete('gym'), 'ASK_CLARIFICATION', ['1 list_tasks'], /no task that fits “gym”/],
    [
      'nearly',
      complete('mlik'),
      'ASK_CLARIFICATION',
      ['1 list_tasks'],
      /one of these.*\n1\. buy milk\n2\. buy oat milk/,
    ],
    [
      'no name, several',
      complete(),
      'ASK_CLARIFICATION',
      ['1 list_tasks'],
      /Which one.*\n1\. buy milk\n2\. call mom\n3\. buy oat milk/,
    ],
    ['done already', complete('rent'), 'RESPOND_ONLY', ['1 list_tasks'], /“pay rent” was done already/],
    [
      'all',
      complete('*'),
      'ASK_CLARIFICATION',
      ['1 list_tasks'],
      /mark 3 tasks as done: “buy milk”, “call mom” and “buy oat milk”\?/,
    ],
    [
      'all of a kind',
      complete('*all the milk ones'),
      'ASK_CLARIFICATION',
      ['1 list_tasks'],
      /mark 2 tasks as done: “buy milk” and “buy oat milk”\?/,
    ],
    [
      'update',
      change('call mom', 'call mom at 5pm'),
      'INVOKE_TOOL',
      ['1 list_tasks', '2 update_task 2 "call mom at 5pm"'],
      /changed “call mom” to “call mom at 5pm”/,
    ],
    [
      'update, add to it',
      change('call mom', { kind: 'append', text: 'dad' }),
      'INVOKE_TOOL',
      ['1 list_tasks', '2 update_task 2 "call mom and dad"'],
      /mom and dad/,
    ],
    ['update, same', change('call mom', 'call mom'), 'RESPOND_ONLY', ['1 list_tasks'], /says that already/],
    [
      'update, no text',
      change('call mom'),
      'ASK_CLARIFICATION',
      ['1 list_tasks'],
      /What should “call mom” say/,
    ],
    [
      'update, no such part',
      change('call mom', { kind: 'swap', from: 'dad', text: 'bob' }),
      'ASK_CLARIFICATION',
      ['1 list_tasks'],
      /could not find “dad”/,
    ],
    [
      'update, several',
      change('milk', 'x'),
      'ASK_CLARIFICATION',
      ['1 list_tasks'],
      /Which one should I change/,
    ],
    [
      'delete',
      remove('call mom'),
      'REQUEST_CONFIRMATION',
      ['1 list_tasks'],
      /delete “call mom”\?.*yes or no/,
    ],
    ['delete, several', remove('milk'), 'ASK_CLARIFICATION', ['1 list_tasks'], /Which one should I delete/],
    ['delete, none', remove('gym'), 'ASK_CLARIFICATION', ['1 list_tasks'], /no task that fits/],
    ['delete what is done', remove('rent'), 'REQUEST_CONFIRMATION', ['1 list_tasks'], /delete “pay rent”/],
  ])('with the list read: %s', (...[, clause, type, expected, text]) => {
    const got = decided(clause, { list: LIST });
    expect([got.decision.decision_type, calls(got)]).toEqual([type, expected]);
    expect(said(got)).toMatch(text);
  });

  test.each<[string, MessageClause, string]>([
    ['complete', complete('milk'), 'INVOKE_TOOL'],
    ['update', change('milk', 'x'), 'INVOKE_TOOL'],
    ['delete', remove('milk'), 'REQUEST_CONFIRMATION'],
  ])('before the list is read, %s only says that it will be', (_, clause, type) => {
    const got = decided(clause);
    expect(got).toMatchObject({ read_first: true, steps: [], decision: { decision_type: type } });
    expect(calls(got)).toEqual(['1 list_tasks']);
    expect(got.asks).toBeUndefined();
  });

  test.each([complete('milk'), change('milk', 'x'), remove('milk')])(
    'a list that cannot be read changes nothing',
    (clause) => {
      const got = decided(clause, { tasks: null });
      expect(got.decision.decision_type).toBe('RESPOND_ONLY');
      expect(calls(got)).toEqual(['1 list_tasks']);
      expect(said(got)).toMatch(/cannot read your list.*changed nothing/);
    },
  );

  test('an empty list is no error', () => {
    expect(said(decided(complete('milk'), { list: [] }))).toMatch(/Your list is empty/);
  });
});

describe('positions', () => {
  const shown = [taskId(3), taskId(1)];
  test.each<[string, string, More, string[]]>([
    ['in the list last shown', '#1', { shown }, ['1 list_tasks', '2 complete_task 3']],
    ['the last one of it', '$', { shown }, ['1 list_tasks', '2 complete_task 1']],
    ['in the order of showing, where none was', '#2', {}, ['1 list_tasks', '2 complete_task 2']],
    ['beyond its end', '#3', { shown }, ['1 list_tasks']],
    ['a task that has gone', '#1', { shown: [taskId(77)] }, ['1 list_tasks']],
    ['spoken of before', 'it', { recent: taskId(2) }, ['1 list_tasks', '2 complete_task 2']],
    ['nothing was spoken of', 'it', {}, ['1 list_tasks']],
  ])('%s', (...[, reference, more, expected]) => {
    expect(calls(decided(complete(reference), { list: LIST, ...more }))).toEqual(expected);
  });

  test('an exact title beats a number', () => {
    const got = decided(
      { ...complete('#1'), reference: { kind: 'position', text: 'first', position: 1 } },
      { list: ['a', 'first'] },
    );
    expect(calls(got)).toEqual(['1 list_tasks', '2 complete_task 2']);
  });
  test('the numbers of a question are the list last shown', () => {
    expect(decided(complete('milk'), { list: LIST }).shown).toEqual([taskId(1), taskId(3)]);
  });
});

describe('a delete waits', () => {
  const pending_confirmation = pendingFor(milk);
  const waits = { list: LIST, pending_confirmation };

  test('yes: it is run', () => {
    const got = decided(yes(), waits);
    expect([got.decision.decision_type, calls(got), got.pending]).toEqual([
      'EXECUTE_PENDING',
      ['1 list_tasks', '2 delete_task 1'],
      'execute',
    ]);
  });
  test('no: it is cancelled', () => {
    const got = decided(no(), { pending_confirmation });
    expect([got.decision.decision_type, calls(got), got.pending]).toEqual(['CANCEL_PENDING', [], 'cancel']);
    expect(said(got)).toMatch(/“buy milk” stays on your list/);
  });
  test.each<[number, string, string | undefined]>([
    [299_999, 'EXECUTE_PENDING', 'execute'],
    [300_000, 'RESPOND_ONLY', 'expire'],
    [300_001, 'RESPOND_ONLY', 'expire'],
    [86_400_000, 'RESPOND_ONLY', 'expire'],
  ])('yes after %i ms: %s', (ms, type, fate) => {
    const got = decided(yes(), { ...waits, now: at(ms) });
    expect([got.decision.decision_type, got.pending]).toEqual([type, fate]);
    if (fate === 'expire') {
      expect(got.steps).toEqual([]);
      expect(said(got)).toMatch(/expired, and nothing was deleted/);
    }
  });
  test('no after it expired', () => {
    expect(decided(no(), { ...waits, now: at(300_000) })).toMatchObject({
      decision: { decision_type: 'RESPOND_ONLY' },
      pending: 'expire',
    });
  });
  test.each<[string, MessageClause, string]>([
    ['create', create('bread'), 'INVOKE_TOOL'],
    ['list', list(), 'INVOKE_TOOL'],
    ['complete', complete('call mom'), 'INVOKE_TOOL'],
    ['another delete', remove('call mom'), 'REQUEST_CONFIRMATION'],
    ['chat', talk('what was that task again?'), 'RESPOND_ONLY'],
    ['unclear', unclear('maybe'), 'ASK_CLARIFICATION'],
    ['all', remove('*'), 'REQUEST_CONFIRMATION'],
  ])('a new message drops it and says so: %s', (_, clause, type) => {
    const got = decided(clause, waits);
    expect([got.decision.decision_type, got.pending]).toEqual([type, 'drop']);
    expect(said(got)).toMatch(/^I have dropped the request to delete “buy milk”; it was not deleted\./);
    const late = decided(clause, { ...waits, now: at(300_000) });
    expect([late.decision.decision_type, late.pending]).toEqual([type, 'expire']);
    expect(said(late)).toMatch(
      /^My question about deleting “buy milk” has expired, and nothing was deleted\./,
    );
  });
  test('no, and something else: the no is heard, the rest is done', () => {
    const got = decided([no(), list()], waits);
    expect([got.decision.decision_type, got.pending]).toEqual(['INVOKE_TOOL', 'drop']);
  });
  test('yes and no at once are neither', () => {
    expect(decided([yes(), no()], waits)).toMatchObject({ pending: 'drop' });
  });
  test('the text has changed: asked again', () => {
    const got = decided(yes(), { list: ['buy 3 milks', ...LIST.slice(1)], pending_confirmation });
    expect([got.decision.decision_type, calls(got), got.pending]).toEqual([
      'REQUEST_CONFIRMATION',
      ['1 list_tasks'],
      'drop',
    ]);
    expect(got.asks).toMatchObject({ task_id: milk.task_id, task_description: 'buy 3 milks' });
    expect(said(got)).toMatch(/changed to “buy 3 milks” since I asked.*Shall I delete “buy 3 milks”/);
  });
  test('what is then deleted is told of by its new text', () => {
    const changed = ['buy 3 milks', ...LIST.slice(1)];
    const again = decided(yes(), { list: changed, pending_confirmation });
    const waiting = asPending(again.asks!);
    const got = decided(yes(), { list: changed, pending_confirmation: waiting });
    expect([calls(got), said(got)]).toEqual([
      ['1 list_tasks', '2 delete_task 1'],
      'I have deleted “buy 3 milks”.',
    ]);
  });
  test('it was marked as done: asked again', () => {
    expect(said(decided(yes(), { list: ['✓buy milk'], pending_confirmation }))).toMatch(
      /marked as done since I asked/,
    );
  });
  test('it has gone: run all the same, and the tool says so', () => {
    expect(
      decided(yes(), {
        list: ['call mom'],
        pending_confirmation: pendingFor({ ...milk, task_id: taskId(9) }),
      }).pending,
    ).toBe('execute');
  });
  test('it cannot be looked at: not run, and still waiting', () => {
    const got = decided(yes(), { tasks: null, pending_confirmation });
    expect([got.decision.decision_type, got.pending, got.steps]).toEqual(['RESPOND_ONLY', undefined, []]);
  });
  test('too many tasks to find it among: not run', () => {
    const tasks = { tasks: tasksNamed('other'), listed: 1000, total: 1001 };
    const got = decided(yes(), { tasks, pending_confirmation: pendingFor({ ...milk, task_id: taskId(9) }) });
    expect([got.decision.decision_type, got.pending]).toEqual(['CANCEL_PENDING', 'cancel']);
  });
  test('the question names the task and its end', () => {
    expect(decided(remove('call mom'), { list: LIST }).asks).toMatchObject({
      action_type: 'DELETE_TASK',
      task_id: taskId(2),
      task_description: 'call mom',
      created_at: NOW,
      expires_at: at(300_000),
    });
  });
});

describe('several clauses', () => {
  test('run in order', () => {
    const got = decided([create('bread'), complete('call mom'), list()], { list: LIST });
    expect(calls(got)).toEqual(['1 list_tasks', '2 add_task "bread"', '3 complete_task 2', '4 list_tasks']);
  });
  test('one is unclear: asked first, nothing is run', () => {
    const got = decided([create('bread'), unclear()], { list: LIST });
    expect([got.decision.decision_type, got.steps]).toEqual(['ASK_CLARIFICATION', []]);
    expect(said(got)).toMatch(/2 things.*done none of them/);
  });
  test('one fits several tasks: asked first, nothing is run', () => {
    expect(decided([create('bread'), complete('milk')], { list: LIST }).steps).toEqual([]);
  });
  test('one destroys: asked first; the yes runs them all in order', () => {
    const got = decided([create('bread'), remove('call mom')], { list: LIST });
    expect([got.decision.decision_type, got.steps]).toEqual(['REQUEST_CONFIRMATION', []]);
    expect(said(got)).toMatch(/Shall I add “bread” and delete “call mom”\?.*Nothing was done yet/);
    const pending_confirmation = asPending(got.asks!);
    expect(calls(decided(yes(), { list: LIST, pending_confirmation }))).toEqual([
      '1 list_tasks',
      '2 add_task "bread"',
      '3 delete_task 2',
    ]);
    expect(said(decided(no(), { list: LIST, pending_confirmation }))).toMatch(
      /not done either; say “add bread”/,
    );
  });
  test('the list beside a delete is told from the person’s side', () => {
    expect(said(decided([remove('call mom'), list()], { list: LIST }))).toMatch(/and show you your tasks\?/);
  });
  test('one text is not given to several tasks; one time may be', () => {
    const one = decided([change('#1', 'read'), change('#2', 'read')], { list: LIST });
    expect([one.decision.decision_type, one.steps]).toEqual(['ASK_CLARIFICATION', []]);
    const when = { kind: 'when', text: 'friday' } as const;
    expect(calls(decided([change('#1', when), change('#2', when)], { list: LIST }))).toEqual([
      '1 list_tasks',
      '2 update_task 1 "buy milk on friday"',
      '3 update_task 2 "call mom on friday"',
    ]);
  });
  test('the same change twice is made once', () => {
    expect(calls(decided([complete('call mom'), complete('#2')], { list: LIST }))).toEqual([
      '1 list_tasks',
      '2 complete_task 2',
    ]);
  });
  test('two deletes: one question that names both, and one yes', () => {
    const got = decided([remove('call mom'), remove('buy milk')], { list: LIST });
    expect(got.steps).toEqual([]);
    expect(said(got)).toMatch(/Shall I delete “call mom” and “buy milk”\?/);
    expect(calls(decided(yes(), { list: LIST, pending_confirmation: asPending(got.asks!) }))).toEqual([
      '1 list_tasks',
      '2 delete_task 2',
      '3 delete_task 1',
    ]);
  });
  test('two deletes, and one task has changed: asked again about both', () => {
    const { asks } = decided([remove('call mom'), remove('buy milk')], { list: LIST });
    const list = ['buy 3 milks', ...LIST.slice(1)];
    const got = decided(yes(), { list, pending_confirmation: asPending(asks!) });
    expect(got.steps).toEqual([]);
    expect(said(got)).toMatch(
      /changed to “buy 3 milks” since I asked.*delete “call mom” and “buy 3 milks”\?/,
    );
  });
  test('a delete of everything beside another wish: asked with the number, nothing is run', () => {
    const got = decided([create('bread'), remove('*')], { list: LIST });
    expect([got.decision.decision_type, got.steps]).toEqual(['REQUEST_CONFIRMATION', []]);
    expect(said(got)).toMatch(/Shall I add “bread” and delete .*“call mom”/);
  });
  test('a greeting beside a wish is no wish', () => {
    expect(calls(decided([talk('hi'), create('bread')]))).toEqual(['1 add_task "bread"']);
  });
  test('"it" is what the clause before was about', () => {
    expect(calls(decided([complete('call mom'), change('it', 'call dad')], { list: LIST }))).toEqual([
      '1 list_tasks',
      '2 complete_task 2',
      '3 update_task 2 "call dad"',
    ]);
  });
});

/** The pending delete that a question leaves behind. */
function asPending({ others = [], ...asks }: DeleteQuestion): PendingDelete {
  return {
    ...asks,
    approval_id: 'a',
    others: others.map((other, i) => ({ ...other, approval_id: `b${i}` })),
  };
}

describe('undo', () => {
  const undo = undoSteps(
    contextOf('', { list: LIST }),
    decided([create('bread'), complete('call mom'), change('buy milk', 'x')], { list: LIST }),
    [
      { state: 'done', value: { task: { task_id: taskId(9), description: 'bread' } } },
      { state: 'done', value: {} },
      { state: 'done', value: {} },
    ],
  )!;
  test.each(['undo', 'Undo that!', 'no, put it back', 'please revert', 'oops, undo'])('%s', (text) => {
    expect(calls(decided(talk(text), { list: LIST, undo: undo.slice(0, 2) }))).toEqual([
      '1 list_tasks',
      '2 update_task 1 "buy milk"',
      '3 update_task 2 "call mom"',
    ]);
  });
  test('a new task is deleted only after a yes', () => {
    const got = decided(talk('undo'), { list: [...LIST, 'x', 'x', 'x', 'x', 'bread'], undo: undo.slice(2) });
    expect(got.steps).toEqual([]);
    expect(said(got)).toMatch(/Shall I delete “bread”\?/);
    expect(got.user_intent).toMatchObject({
      intent_type: 'DELETE_TASK',
      extracted_params: { task_reference: 'bread' },
    });
  });
  test('nothing was changed: said', () => {
    const got = decided(talk('undo'), { list: LIST });
    expect([got.decision.decision_type, got.steps]).toEqual(['RESPOND_ONLY', []]);
    expect(said(got)).toMatch(/nothing was changed.*“reopen …”/);
  });
  test.each<[string, MessageClause]>([
    ['reopen', unclear('reopen pay rent')],
    ['not done', { ...complete('pay rent as not'), text: 'mark pay rent as not done' }],
    ['uncheck', talk('please uncheck pay rent')],
    ['not done yet', talk('pay rent is not done yet')],
  ])('a finished task is opened again: %s', (_, clause) => {
    const got = decided(clause, { list: ['✓pay rent', 'call mom'] });
    expect(got.steps.map(({ call }) => call.parameters)).toEqual([
      { user_id: 'ann', task_id: taskId(1), description: 'pay rent', status: 'pending' },
    ]);
    expect(said(got)).toBe('“pay rent” is open again.');
  });
  test('a new task may be called so', () => {
    expect(calls(decided({ ...create('undo the knot'), text: 'undo the knot' }))).toEqual([
      '1 add_task "undo the knot"',
    ]);
  });
});

describe('a correction', () => {
  const meant = (text: string) => ({ ...change('it', text), text: `wrong one, I meant ${text}` });
  test('that names another task gives no task its text', () => {
    const got = decided(meant('mom'), { list: LIST, recent: taskId(1) });
    expect([got.decision.decision_type, got.steps]).toEqual(['ASK_CLARIFICATION', []]);
    expect(said(got)).toMatch(/Did you mean “call mom”\? I have changed nothing/);
  });
  test('that names none is a new text', () => {
    expect(calls(decided(meant('buy tea'), { list: LIST, recent: taskId(1) }))).toEqual([
      '1 list_tasks',
      '2 update_task 1 "buy tea"',
    ]);
  });
  test('“I would rather not” is a plain no', () => {
    const answer = { ...no(), text: 'I would rather not' };
    expect(said(decided(answer, { pending_confirmation: pendingFor(milk) }))).toBe(
      'All right, “buy milk” stays on your list.',
    );
  });
  test('of a delete that waits: it stays, and how to go on is said', () => {
    const answer = { ...no(), text: 'no, I meant call mom' };
    const got = decided(answer, { pending_confirmation: pendingFor(milk) });
    expect(got.decision.decision_type).toBe('CANCEL_PENDING');
    expect(said(got)).toMatch(/stays on your list\. If you want something else done, say it once more/);
  });
});

test.each([complete(), complete('one'), change(undefined, 'x')])(
  'a change of a task that nobody named is asked about, also of the only one',
  (clause) => {
    const got = decided(clause, { list: ['buy milk'] });
    expect([got.decision.decision_type, got.steps]).toEqual(['ASK_CLARIFICATION', []]);
    expect(got.question).toMatchObject({ only: taskId(1) });
  },
);

test('a picture is not what was spoken of last', () => {
  const clause = { ...complete('it'), text: 'complete 🎉' };
  const got = decided(clause, { list: ['🎉 party', 'call mom'], recent: taskId(2) });
  expect([got.decision.decision_type, got.steps]).toEqual(['ASK_CLARIFICATION', []]);
  const thumb = { ...complete('it'), text: '✅ done 🙏' };
  expect(calls(decided(thumb, { list: ['call mom'], recent: taskId(1) }))).toEqual([
    '1 list_tasks',
    '2 complete_task 1',
  ]);
});

test('"that one" is what was spoken of, also where it is done', () => {
  const got = decided(complete('it'), { list: ['✓buy milk', 'buy bread'], recent: taskId(1) });
  expect([got.steps, said(got)]).toEqual([[], '“buy milk” was done already.']);
});

test('what is dropped can be asked for again', () => {
  const got = decided(talk('hmm'), { list: LIST, pending_confirmation: pendingFor(milk) });
  expect(said(got)).toMatch(/dropped the request.*Say “delete buy milk” if you still want it deleted\./);
});

describe('answers to a question', () => {
  const asked = (about: 'COMPLETE_TASK' | 'DELETE_TASK'): More => ({
    list: LIST,
    question: { about },
    shown: [taskId(1), taskId(3)],
  });
  test.each<[string, string, string[]]>([
    ['a number', '2', ['1 list_tasks', '2 complete_task 3']],
    ['an ordinal', 'the second one', ['1 list_tasks', '2 complete_task 3']],
    ['a title', 'buy oat milk', ['1 list_tasks', '2 complete_task 3']],
    ['a word', 'oat', ['1 list_tasks', '2 complete_task 3']],
    ['nothing of it', 'the weather', ['1 list_tasks']],
    ['a question', 'which ones?', ['1 list_tasks']],
  ])('which one? %s', (_, text, expected) => {
    expect(calls(decided(unclear(text), asked('COMPLETE_TASK')))).toEqual(expected);
  });
  test('a delete is still asked about', () => {
    expect(decided(unclear('1'), asked('DELETE_TASK')).decision.decision_type).toBe('REQUEST_CONFIRMATION');
  });
  test('what should I add?', () => {
    expect(calls(decided(unclear('buy bread'), { question: { about: 'CREATE_TASK' } }))).toEqual([
      '1 add_task "buy bread"',
    ]);
  });
  test('what should it say?', () => {
    const got = decided(unclear('call dad'), {
      list: LIST,
      question: { about: 'UPDATE_TEXT', task_id: taskId(2) },
    });
    expect(calls(got)).toEqual(['1 list_tasks', '2 update_task 2 "call dad"']);
  });
  test('a request of its own is no answer', () => {
    expect(calls(decided(list(), asked('COMPLETE_TASK')))).toEqual(['1 list_tasks']);
    expect(decided(no(), asked('COMPLETE_TASK')).decision.decision_type).toBe('RESPOND_ONLY');
  });
});

test('the same context gives the same bytes, and is left as it was', () => {
  const context: DecisionContext = contextOf('…', { list: LIST, pending_confirmation: pendingFor(milk) });
  const before = JSON.stringify(context);
  const once = JSON.stringify(decide(context, understood(yes())));
  for (let i = 0; i < 100; i++)
    expect(JSON.stringify(decide(JSON.parse(before) as DecisionContext, understood(yes())))).toBe(once);
  expect(JSON.stringify(context)).toBe(before);
});
