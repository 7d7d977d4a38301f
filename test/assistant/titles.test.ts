import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/assistant/decide/decide.ts';
import { classifyContext } from '../../src/assistant/read/classify.ts';
import type { IntentType } from '../../src/contract/chat.ts';
import { contextOf, pendingFor, tasksNamed } from '../fixtures/assistant.ts';
import { formsOf, titleOutcomes } from '../fixtures/title-commands.ts';

const titlesIn = (file: string) =>
  readFileSync(new URL(`../fixtures/intents/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean);
const TITLES = titlesIn('titles.txt');
const OTHER_TITLES = titlesIn('other-titles.txt');
/**
 * Verbs that are also said of works and remarks ("create a story", "note the irony"): those stay talk.
 * And forms whose last word may belong to the title ("add task to the lighthouse").
 */
const DOUBTFUL = new Set([
  'create X',
  'note X',
  'add task X',
  'new task X',
  'X -> Y',
  'put down X',
  "don't forget X",
  'remind me about X',
  'set a reminder for X',
]);

describe('a plain command does what it says, whatever the title is about', () => {
  test('the titles are many and of every sort', () => {
    expect(TITLES.length).toBeGreaterThan(150);
  });

  test.each(formsOf('plain').map((form) => [form.name, form] as const))('%s', (name, form) => {
    const outcomes = titleOutcomes(form, TITLES);
    const wrong = outcomes.filter(({ isRight }) => !isRight);
    const most = (DOUBTFUL.has(name) ? 0.05 : 0.015) * TITLES.length;
    expect(wrong.length, wrong.map(({ message, got }) => `${message} → ${got}`).join('\n')).toBeLessThan(
      most,
    );
  });
});

/** Each form with some of the titles, and each title with some of the forms. */
test.each([
  ['further', OTHER_TITLES],
  ['everyday', titlesIn('everyday-titles.txt')],
] as const)('%s words with other titles', (set, titles) => {
  const EACH = 7;
  const outcomes = formsOf(set).flatMap((form, i) =>
    titleOutcomes(form, titles, (at) => (at + i) % EACH === 0),
  );
  const wrong = outcomes.filter(({ isRight }) => !isRight);
  expect(wrong.length, wrong.map(({ message, got }) => `${message} → ${got}`).join('\n')).toBeLessThan(
    0.02 * outcomes.length,
  );
});

describe('a title keeps all its words', () => {
  test.each<[string, string]>([
    ['add to the lighthouse', 'to the lighthouse'],
    ['make a task for to the lighthouse', 'to the lighthouse'],
    ['add the boiler man', 'the boiler man'],
    ['one more: the boiler man', 'the boiler man'],
    ['add museum tickets (4) as a task', 'museum tickets (4)'],
    ['create a task called bread, butter and jam', 'bread, butter and jam'],
    ['would you mind adding haircut', 'haircut'],
    ['add mow lawn as a task', 'mow lawn'],
  ])('%s', (message, title) => {
    expect(stepsOf(['x'], message)).toEqual([`add ${title}`]);
  });
  test('"should be removed" is no new text', () => {
    expect(stepsOf(['mow lawn', 'x'], 'mow lawn should be removed')).toEqual([]);
    expect(asked(['mow lawn', 'x'], 'mow lawn should be removed')).toMatch(/delete “mow lawn”\?/);
  });
});

function outcome(list: string[], message: string) {
  const context = contextOf(message, { list });
  return decide(context, classifyContext(context));
}
const stepsOf = (list: string[], message: string) => outcome(list, message).steps.map(({ wish }) => wish);
const asked = (list: string[], message: string) =>
  outcome(list, message).decision.clarification_question ?? '';

describe('an update changes what it was asked to change', () => {
  test.each<[string, string, string]>([
    ['buy milk', 'change milk to oat milk', 'buy oat milk'],
    ['buy milk', 'replace milk with bread', 'buy bread'],
    ['buy milk', 'change buy milk to oat milk', 'oat milk'],
    ['dentist', 'change the time of dentist to 5pm', 'dentist at 5pm'],
    ['3pm dentist', 'change the time of the dentist to 5pm', '5pm dentist'],
    ['dentist at 3pm', 'change dentist to 5pm', 'dentist at 5pm'],
    ['report', 'update the report to include Q3 numbers', 'report and Q3 numbers'],
    ['pay rent', 'replace rent with bills in pay rent', 'pay bills'],
    ['gym', 'change gym to read a book', 'read a book'],
    ['gym', 'change 1 to read a book', 'read a book'],
    ['reply to Kim', 'rename reply to Kim to write to Kim', 'write to Kim'],
    ['pay rent', "change pay rent's name to pay the landlord", 'pay the landlord'],
  ])('%s: %s', (title, message, text) => {
    expect(stepsOf([title, 'call mom'], message)).toEqual([`change ${title} to ${text}`]);
  });

  test.each<[string, string, RegExp]>([
    ['buy milk', 'change the milk task to oat milk', /“buy milk” to “oat milk”\?/],
    [
      'call the bank at 5pm about the loan',
      'change the bank task to call the post office',
      /to “call the post office”\?/,
    ],
    ['report', 'update report with Q3 numbers', /“report” to “Q3 numbers”\?/],
    ['dentist', 'change the deadline of dentist to after the holidays', /What should “dentist” say/],
    ['report', 'change the status of report to blocked', /What should “report” say/],
    ['report', 'update the notes of report to see appendix', /What should “report” say/],
    ['buy lights', 'change the lights to blue', /“buy lights” to “buy blue”\?/],
    ['call mom', 'change call mom', /What should “call mom” say/],
  ])('%s: %s is asked about, with what would become of it', (title, message, question) => {
    expect(stepsOf([title, 'x'], message)).toEqual([]);
    expect(asked([title, 'x'], message)).toMatch(question);
  });

  test('a yes to that question makes the change, and only a yes', () => {
    const list = ['buy milk', 'x'];
    const { question } = outcome(list, 'change the milk task to oat milk');
    const answer = (message: string) => {
      const context = contextOf(message, { list, question: question! });
      return decide(context, classifyContext(context)).steps.map(({ wish }) => wish);
    };
    expect(answer('yes')).toEqual(['change buy milk to oat milk']);
    expect(answer('no')).toEqual([]);
  });
});

describe('several orders with any titles', () => {
  const LIST = ['Netflix subscription', 'oil change', 'milk'];
  test('run in order, and a delete among them is asked about', () => {
    expect(stepsOf(LIST, 'add hotel in Lisbon and complete oil change')).toEqual([
      'add hotel in Lisbon',
      'complete oil change',
    ]);
    expect(stepsOf(LIST, 'delete Netflix subscription and complete oil change')).toEqual([]);
    expect(asked(LIST, 'delete Netflix subscription and complete oil change')).toMatch(
      /delete “Netflix subscription” and complete “oil change”/,
    );
  });
});

describe('a task that is not there', () => {
  const LIST = ['write report', 'call mom'];
  test.each(['delete the rocket', 'complete the rocket', 'rename the rocket to moon'])('%s', (message) => {
    const { steps, asks, decision } = outcome(LIST, message);
    expect([steps, asks]).toEqual([[], undefined]);
    expect(decision.clarification_question).toMatch(/^I found no task that fits “(?:the )?rocket”\./);
  });
  test('near ones are offered', () => {
    expect(asked(LIST, 'delete call mum')).toMatch(/no task that fits “call mum”.*\n1\. call mom/);
  });
});

describe('what is no command stays none', () => {
  const LIST = ['milk', 'song', 'meeting', 'report'];
  const TASK: readonly IntentType[] = ['CREATE_TASK', 'COMPLETE_TASK', 'UPDATE_TASK', 'DELETE_TASK'];
  test.each([
    "don't delete milk",
    'do not add bread',
    'should I add bread?',
    'should I delete milk?',
    'did you delete milk?',
    'I need to finish milk',
    'I want to finish the report',
    'is the report done?',
    'the report is not done',
    'can you add numbers?',
    'add 2 and 3',
    'add up the bill',
    'add insult to injury',
    'add me to the group',
    'add this song to my road trip playlist',
    'add two tablespoons of sugar to the mixture',
    'create a story about a dragon',
    'note the irony',
    'cancel my flight',
    'finish my sentence',
    'change my mind about coffee',
    'who finished the report',
    'he said delete milk',
  ])('%s', (message) => {
    const { steps, asks, user_intent } = outcome(LIST, message);
    expect([steps.filter(({ call }) => call.tool_name !== 'list_tasks'), asks]).toEqual([[], undefined]);
    expect(TASK).not.toContain(user_intent.intent_type);
  });

  test('reading the list without a match is not reported as a tool call', () => {
    const { decision } = outcome(LIST, 'finish my sentence');
    expect([decision.decision_type, decision.tool_calls]).toEqual(['RESPOND_ONLY', undefined]);
  });
});

describe('words and signs of a new title are kept', () => {
  test.each<[string, string]>([
    ['add web task foo', 'web task foo'],
    ['add school task maths', 'school task maths'],
    ['add a new school task maths', 'school task maths'],
    ['create school task maths', 'school task maths'],
    ['add a grocery task to buy milk', 'grocery task to buy milk'],
    ['set a 5pm reminder to call mom', '5pm reminder to call mom'],
    ['add grocery task buy <milk>', 'grocery task buy <milk>'],
    ['add web task <b>x</b>', 'web task <b>x</b>'],
    ['add a task called <b>', '<b>'],
    ['add a task to fix <title>', 'fix <title>'],
    ['remind me to escape <b>x</b>', 'escape <b>x</b>'],
    ['remind me to pay 100$', 'pay 100$'],
  ])('%s', (message, title) => {
    expect(stepsOf(['x'], message)).toEqual([`add ${title}`]);
  });

  test.each<[string, string]>([
    ['add a task called foo', 'foo'],
    ['add the task to buy milk', 'buy milk'],
    ['add a new task buy milk', 'buy milk'],
    ['add a school task called maths', 'maths'],
    ['add an urgent task to call mom', 'call mom'],
    ['(remind me to call mom)', 'call mom'],
  ])('%s: the words before the title are not part of it', (message, title) => {
    expect(stepsOf(['x'], message)).toEqual([`add ${title}`]);
  });
});

describe('something is to be made, perhaps by the person', () => {
  test.each<[string, string]>([
    ['create a birthday cake', 'a birthday cake'],
    ['create a presentation for Monday', 'a presentation for Monday'],
    ['please create the slides for Ann', 'the slides for Ann'],
    ['make a dentist appointment', 'make a dentist appointment'],
  ])('%s is asked about, and a yes adds it', (message, title) => {
    const { question, steps } = outcome(['x'], message);
    expect(steps).toEqual([]);
    expect(asked(['x'], message)).toContain(`Should I put “${title}” on your list?`);
    const context = contextOf('yes', { list: ['x'], question: question! });
    expect(decide(context, classifyContext(context)).steps.map(({ wish }) => wish)).toEqual([`add ${title}`]);
  });

  test.each([
    'create a story about a dragon',
    'create a playlist for the party',
    'make a joke about my cat',
    'make me a sandwich',
  ])('%s stays talk', (message) => {
    expect(outcome(['x'], message).user_intent.intent_type).toBe('GENERAL_CHAT');
  });
});

describe('a command that says too little, or nothing new', () => {
  test('a change to what the title says already is no question', () => {
    const { steps, decision } = outcome(
      ['dentist appointment at 5pm', 'x'],
      'change dentist appointment to 5pm',
    );
    expect(steps).toEqual([]);
    expect(decision.clarification_question).toBeUndefined();
    expect(decision.response_text).toMatch(/“dentist appointment at 5pm” says that already/);
  });

  test.each(['rename', 'change', 'Edit.', 'please update', 'modify'])('%s asks which task', (message) => {
    expect(asked(['milk', 'x'], message)).toMatch(/Which (?:task|one) should I change/);
    expect(asked(['milk', 'x'], message)).not.toMatch(/(?:add|delete|change) (?:rename|change|edit)/i);
  });

  test('a title that begins with a command verb, said alone, is that task', () => {
    const question = asked(['change the tires', 'x'], 'change the tires');
    expect(question).toMatch(/“complete change the tires”, “change change the tires to …”/);
    expect(stepsOf(['change the tires', 'x'], 'change the tires')).toEqual([]);
  });
});

describe('a yes to a delete with another wish behind it', () => {
  const LIST = ['cheese', 'call mom'];
  const answer = (message: string) => {
    const pending_confirmation = pendingFor(tasksNamed(...LIST)[0]!);
    const context = contextOf(message, { list: LIST, pending_confirmation });
    return decide(context, classifyContext(context));
  };
  test.each(['yes, and add cheddar', 'yes and add cheddar', 'yep, then add cheddar'])(
    '%s is asked about as a whole',
    (message) => {
      const { steps, asks, decision } = answer(message);
      expect(steps).toEqual([]);
      expect(asks?.steps.map(({ wish }) => wish)).toEqual(['delete cheese', 'add cheddar']);
      expect(decision.clarification_question).toMatch(/delete “cheese” and add “cheddar”/);
      expect(decision.response_text ?? '').not.toMatch(/dropped/);
    },
  );
  test('a no with another wish drops the delete', () => {
    expect(answer('no, add cheddar').steps.map(({ wish }) => wish)).toEqual(['add cheddar']);
  });
  test('another wish for the same task takes the place of the delete', () => {
    const { steps, asks } = answer('yes, complete cheese');
    expect([steps.map(({ wish }) => wish), asks]).toEqual([['complete cheese'], undefined]);
  });
  test('another delete is asked about alone', () => {
    const { steps, asks } = answer('yes, delete call mom');
    expect([steps, asks?.task_description]).toEqual([[], 'call mom']);
  });
});

/** None of the named tasks is left out without a word. */
test.each([
  ['delete 1, 2 and gym', 'Shall I delete “ring grandma”, “call dentist” and “gym”?'],
  ['delete stamps and fence', 'Shall I delete “10 stamps” and “fence”?'],
  ['delete gym and unicorn', 'I found no task that fits “unicorn”.'],
  ['complete gym and unicorn', 'I found no task that fits “unicorn”.'],
  ['wash the car pls', 'Should I put “wash the car” on your list?'],
])('%s', (message, asked) => {
  const context = contextOf(message, { list: ['ring grandma', 'call dentist', 'gym', '10 stamps', 'fence'] });
  const { decision, steps } = decide(context, classifyContext(context));
  expect(steps).toEqual([]);
  expect(decision.clarification_question ?? decision.response_text).toContain(asked);
});
