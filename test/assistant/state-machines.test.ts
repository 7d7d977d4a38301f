import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatAnswer } from '../../src/contract/chat.ts';
import { startAssistantProxy, type AssistantProxy, type Person } from '../fixtures/assistant-proxy.ts';

// Every transition of the two state machines, over HTTP, with the whole proxy behind it and a clock that is held still.
let proxy: AssistantProxy;
let users = 0;
beforeAll(async () => {
  proxy = await startAssistantProxy();
});
afterAll(() => proxy.stop());

const TTL_MS = 300_000;
const TASKS = ['buy milk', 'call mom', 'pay rent'];

interface Stage {
  person: Person;
  say(message: string): Promise<ChatAnswer>;
  left(): Promise<string[]>;
}

/** A person of their own with three tasks, and one conversation. */
async function stage(tasks = TASKS): Promise<Stage> {
  const person = await proxy.person(`user-${++users}`);
  let conversation: string | undefined;
  const say = async (message: string) => {
    const answer = await person.say(message, conversation);
    conversation ??= answer.conversation_id;
    expect(answer.conversation_id).toBe(conversation);
    return answer;
  };
  for (const task of tasks) await person.say(`add ${task}`);
  return { person, say, left: () => proxy.tasks(person) };
}

const calls = ({ decision }: ChatAnswer) => (decision.tool_calls ?? []).map(({ tool_name }) => tool_name);
const type = ({ decision }: ChatAnswer) => decision.decision_type;

async function pendingStage(): Promise<Stage> {
  const on = await stage();
  const asked = await on.say('delete buy milk');
  expect([type(asked), calls(asked)]).toEqual(['REQUEST_CONFIRMATION', ['list_tasks']]);
  expect(asked.reply).toMatch(/delete “buy milk”\?/);
  expect(await on.left()).toContain('buy milk');
  return on;
}

describe('a delete that waits', () => {
  test('delete request → waiting → yes: run once, and cleared', async () => {
    const on = await pendingStage();
    const done = await on.say('yes');
    expect([type(done), calls(done)]).toEqual(['EXECUTE_PENDING', ['list_tasks', 'delete_task']]);
    expect(done.reply).toBe('I have deleted “buy milk”.');
    expect(await on.left()).toEqual(['call mom', 'pay rent']);
    const again = await on.say('yes');
    expect([type(again), calls(again)]).toEqual(['RESPOND_ONLY', []]);
  });

  test('waiting → no: cancelled, and cleared', async () => {
    const on = await pendingStage();
    const done = await on.say('no');
    expect([type(done), calls(done)]).toEqual(['CANCEL_PENDING', []]);
    expect(type(await on.say('yes'))).toBe('RESPOND_ONLY');
    expect(await on.left()).toEqual(TASKS);
  });

  test.each([
    ['one millisecond before its end', TTL_MS - 1, 'EXECUTE_PENDING', ['call mom', 'pay rent']],
    ['at its end', TTL_MS, 'RESPOND_ONLY', TASKS],
    ['one millisecond after its end', TTL_MS + 1, 'RESPOND_ONLY', TASKS],
    ['a day later', 86_400_000, 'RESPOND_ONLY', TASKS],
  ] as const)('waiting → yes %s', async (...[, ms, decision, left]) => {
    const on = await pendingStage();
    proxy.time.now += ms;
    const answer = await on.say('yes');
    expect(type(answer)).toBe(decision);
    if (decision === 'RESPOND_ONLY') {
      expect(answer.reply).toMatch(/expired, and nothing was deleted/);
      expect(type(await on.say('yes'))).toBe('RESPOND_ONLY');
    }
    expect(await on.left()).toEqual(left);
  });

  test.each([
    ['one millisecond before its end', TTL_MS - 1, 'CANCEL_PENDING'],
    ['one millisecond after its end', TTL_MS + 1, 'RESPOND_ONLY'],
  ] as const)('waiting → no %s', async (_, ms, decision) => {
    const on = await pendingStage();
    proxy.time.now += ms;
    expect(type(await on.say('no'))).toBe(decision);
    expect(await on.left()).toEqual(TASKS);
  });

  test.each([
    ['add buy bread', 'INVOKE_TOOL', [...TASKS, 'buy bread']],
    ['show my tasks', 'INVOKE_TOOL', TASKS],
    ['complete call mom', 'INVOKE_TOOL', ['buy milk', 'pay rent', '✓call mom']],
    ['change call mom to call dad', 'INVOKE_TOOL', ['buy milk', 'call dad', 'pay rent']],
    ['delete pay rent', 'REQUEST_CONFIRMATION', TASKS],
    ['delete all my tasks', 'REQUEST_CONFIRMATION', TASKS],
    ['what is the weather like?', 'RESPOND_ONLY', TASKS],
    ['maybe', 'ASK_CLARIFICATION', TASKS],
  ] as const)(
    'waiting → %s: dropped and said so, then decided for itself',
    async (message, decision, left) => {
      for (const [ms, note] of [
        [0, /^I have dropped the request to delete “buy milk”/],
        [TTL_MS + 1, /^My question about deleting “buy milk” has expired, and nothing was deleted/],
      ] as const) {
        const on = await pendingStage();
        proxy.time.now += ms;
        const answer = await on.say(message);
        expect(type(answer)).toBe(decision);
        expect(answer.reply).toMatch(note);
        expect(await on.left()).toEqual(left);
        if (decision !== 'REQUEST_CONFIRMATION') expect(type(await on.say('yes'))).toBe('RESPOND_ONLY');
        expect(await on.left()).toEqual(left);
      }
    },
  );

  test('a second question replaces the first: the yes is for the second', async () => {
    const on = await pendingStage();
    await on.say('delete pay rent');
    await on.say('yes');
    expect(await on.left()).toEqual(['buy milk', 'call mom']);
  });

  test('the task is changed elsewhere before the yes: asked again, and the next yes counts', async () => {
    const on = await pendingStage();
    await on.person.say('change buy milk to buy oat milk');
    const again = await on.say('yes');
    expect(type(again)).toBe('REQUEST_CONFIRMATION');
    expect(again.reply).toMatch(/changed to “buy oat milk” since I asked.*Shall I delete “buy oat milk”/);
    expect(await on.left()).toContain('buy oat milk');
    await on.say('yes');
    expect(await on.left()).toEqual(['call mom', 'pay rent']);
  });

  test('the task is gone before the yes: success, and said so', async () => {
    const on = await pendingStage();
    const { conversation_id } = await on.person.say('delete buy milk');
    await on.person.say('yes', conversation_id);
    const answer = await on.say('yes');
    expect(type(answer)).toBe('EXECUTE_PENDING');
    expect(answer.reply).toMatch(/already gone/);
    expect(await on.left()).toEqual(['call mom', 'pay rent']);
  });

  test('a yes in another conversation is no answer', async () => {
    const on = await pendingStage();
    expect(type(await on.person.say('yes'))).toBe('RESPOND_ONLY');
    expect(await on.left()).toEqual(TASKS);
    expect(type(await on.say('yes'))).toBe('EXECUTE_PENDING');
  });

  test('the operator denies it meanwhile: the yes finds nothing', async () => {
    const on = await pendingStage();
    const { approvals } = await proxy.rest.request('listApprovals', { status: 'pending', limit: 1 });
    await proxy.rest.request('decideApproval', { id: approvals[0]!.id, body: { decision: 'deny' } });
    expect(type(await on.say('yes'))).toBe('RESPOND_ONLY');
    expect(await on.left()).toEqual(TASKS);
  });
});

describe('nothing waits', () => {
  test.each([
    ['create', 'remind me to water the plants', 'INVOKE_TOOL', ['add_task'], /added “water the plants”/],
    ['create, without saying what', 'add a task', 'ASK_CLARIFICATION', [], /What should I put/],
    [
      'list',
      'what do I need to do?',
      'INVOKE_TOOL',
      ['list_tasks'],
      /You have 3 tasks to do:\n1\. buy milk\n2\. call mom\n3\. pay rent/,
    ],
    [
      'complete: read first, matched',
      'I called mom',
      'INVOKE_TOOL',
      ['list_tasks', 'complete_task'],
      /“call mom” as done/,
    ],
    [
      'complete: read first, no match',
      'complete the gym task',
      'ASK_CLARIFICATION',
      ['list_tasks'],
      /no task that fits/,
    ],
    [
      'complete: by place',
      'mark my first task as done',
      'INVOKE_TOOL',
      ['list_tasks', 'complete_task'],
      /“buy milk” as done/,
    ],
    [
      'update: read first, matched',
      'change call mom to call mom at 5pm',
      'INVOKE_TOOL',
      ['list_tasks', 'update_task'],
      /to “call mom at 5pm”/,
    ],
    [
      'update: read first, no match',
      'change the gym task to swim',
      'ASK_CLARIFICATION',
      ['list_tasks'],
      /no task that fits/,
    ],
    [
      'delete: asked first',
      'get rid of the milk',
      'REQUEST_CONFIRMATION',
      ['list_tasks'],
      /Shall I delete “buy milk”/,
    ],
    ['delete: no match', 'delete the gym task', 'ASK_CLARIFICATION', ['list_tasks'], /no task that fits/],
    [
      'delete: everything',
      'delete all my tasks',
      'REQUEST_CONFIRMATION',
      ['list_tasks'],
      /Shall I delete “buy milk”, “call mom” and “pay rent”\?/,
    ],
    ['chat', 'hello', 'RESPOND_ONLY', [], /Hello/],
    ['ambiguous', 'groceries', 'ASK_CLARIFICATION', [], /not sure what to do/],
    ['yes', 'yes', 'RESPOND_ONLY', [], /nothing waiting for a yes/],
    ['no', 'no', 'RESPOND_ONLY', [], /nothing was changed/],
  ] as const)('%s: %s', async (...[, message, decision, expected, reply]) => {
    const on = await stage();
    const answer = await on.say(message);
    expect([type(answer), calls(answer)]).toEqual([decision, expected]);
    expect(answer.reply).toMatch(reply);
    expect(answer.decision.tool_calls?.map(({ sequence }) => sequence) ?? []).toEqual(
      expected.map((_, i) => i + 1),
    );
  });

  test('an empty list is no error', async () => {
    const on = await stage([]);
    expect((await on.say('show my tasks')).reply).toMatch(/Your list is empty/);
  });

  test('places refer to the list last shown, and a new task does not move them', async () => {
    const on = await stage();
    await on.say('show my tasks');
    await on.person.say('add buy bread');
    expect((await on.say('complete 2')).reply).toMatch(/“call mom” as done/);
    expect((await on.say('delete the third one')).reply).toMatch(/delete “pay rent”/);
  });

  test('several fit: asked with numbers, and the number answers', async () => {
    const on = await stage(['buy milk', 'buy oat milk']);
    const asked = await on.say('complete the milk task');
    expect([type(asked), asked.reply]).toEqual([
      'ASK_CLARIFICATION',
      expect.stringContaining('1. buy milk\n2. buy oat milk'),
    ]);
    expect((await on.say('the second one')).reply).toMatch(/“buy oat milk” as done/);
  });

  test('a bare number answers too, and a delete is asked about all the same', async () => {
    const on = await stage(['buy milk', 'buy oat milk']);
    await on.say('delete the milk task');
    expect((await on.say('2')).reply).toMatch(/Shall I delete “buy oat milk”/);
    expect(type(await on.say('yes'))).toBe('EXECUTE_PENDING');
    expect(await on.left()).toEqual(['buy milk']);
  });

  test('several wishes run in order', async () => {
    const on = await stage();
    const answer = await on.say('add buy bread. complete call mom');
    expect(calls(answer)).toEqual(['list_tasks', 'add_task', 'complete_task']);
    expect(answer.reply).toBe('I have added “buy bread” to your list. I have marked “call mom” as done.');
  });

  test('one of them destroys: asked first, nothing is done; the yes does it all', async () => {
    const on = await stage();
    const asked = await on.say('add buy bread and then delete the call mom task');
    expect(type(asked)).toBe('REQUEST_CONFIRMATION');
    expect(await on.left()).toEqual(TASKS);
    await on.say('yes');
    expect(await on.left()).toEqual(['buy milk', 'pay rent', 'buy bread']);
  });
});
