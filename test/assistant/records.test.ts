import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runHere } from '../e2e/cli-here.ts';
import { startAssistantProxy, type AssistantProxy } from '../fixtures/assistant-proxy.ts';

let proxy: AssistantProxy;
beforeAll(async () => {
  proxy = await startAssistantProxy({ assistant: { confirmation_ttl: '2m' } });
});
afterAll(() => proxy.stop());

/** The field table of the requirement, written out again. */
const FIELDS = z.strictObject({
  id: z.uuid(),
  conversation_id: z.uuid(),
  message_id: z.uuid(),
  user_id: z.string().min(1),
  tool_name: z.enum(['add_task', 'list_tasks', 'update_task', 'complete_task', 'delete_task']),
  parameters: z.looseObject({ user_id: z.string() }),
  intent_classification: z.enum([
    'CREATE_TASK',
    'LIST_TASKS',
    'COMPLETE_TASK',
    'UPDATE_TASK',
    'DELETE_TASK',
    'GENERAL_CHAT',
    'AMBIGUOUS',
    'CONFIRM_YES',
    'CONFIRM_NO',
  ]),
  result: z.unknown().refine((value) => value !== undefined),
  success: z.boolean(),
  error_message: z.string().nullable(),
  invoked_at: z.iso.datetime(),
  duration_ms: z.int().min(0),
});

const PARAMETERS: Record<string, z.ZodObject> = {
  CREATE_TASK: z.strictObject({ description: z.string().min(1) }),
  COMPLETE_TASK: z.strictObject({ task_reference: z.string().min(1) }),
  UPDATE_TASK: z.strictObject({ task_reference: z.string().min(1), new_description: z.string().min(1) }),
  DELETE_TASK: z.strictObject({ task_reference: z.string().min(1) }),
  AMBIGUOUS: z.strictObject({ possible_intents: z.array(z.string()) }),
};

const MESSAGES = [
  'add buy milk',
  'add buy oat milk',
  'add dentist at 3pm',
  'add a task',
  'call mom',
  'show my tasks',
  'complete the milk task',
  'the second one',
  'change',
  'move the dentist to 5pm',
  'update it',
  'delete the task',
  'delete buy milk',
  'yes',
  'undo',
  'hello',
];

describe('the audit records of a conversation', () => {
  test('have exactly the required fields, and the intent that led to each call', async () => {
    const ann = await proxy.person('ann');
    let id: string | undefined;
    for (const message of MESSAGES) {
      const { user_intent, conversation_id } = await ann.say(message, id);
      id = conversation_id;
      const params = (PARAMETERS[user_intent.intent_type] ?? z.strictObject({})).safeParse(
        user_intent.extracted_params,
      );
      expect([message, user_intent, params.error?.issues]).toEqual([message, user_intent, undefined]);
    }
    const { invocations } = await ann.rest.request('listInvocations', { id: id!, limit: 100 });
    for (const call of invocations)
      expect([call, FIELDS.safeParse(call).error?.issues]).toEqual([call, undefined]);
    const changes = invocations.filter(({ tool_name }) => tool_name !== 'list_tasks').reverse();
    expect(
      changes.map(({ tool_name, intent_classification }) => `${tool_name} ${intent_classification}`),
    ).toEqual([
      'add_task CREATE_TASK',
      'add_task CREATE_TASK',
      'add_task CREATE_TASK',
      'add_task CREATE_TASK',
      'complete_task COMPLETE_TASK',
      'update_task UPDATE_TASK',
      'delete_task CONFIRM_YES',
      'add_task CREATE_TASK',
    ]);
  });

  test('are shown to their person only', async () => {
    const { conversation_id: id } = await proxy.say('add call mom');
    const run = (...args: string[]) => runHere([...args, '--url', proxy.url, '--api-key', proxy.key]);
    const { stdout } = await run('chat', 'invocations', id);
    expect(stdout).toMatch(/add_task +CREATE_TASK +success/);
    const eve = await proxy.person('eve');
    await expect(eve.rest.request('listInvocations', { id })).rejects.toMatchObject({ status: 404 });
  });

  test('a call that failed is told as it was', async () => {
    const bob = await proxy.person('bob');
    const { conversation_id: id } = await bob.say('add water plants');
    proxy.tamper('UPDATE tasks SET id = upper(id) WHERE description = ?', ['water plants']);
    const { reply, decision } = await bob.say('complete water plants', id);
    expect(decision.response_text).toBe(reply);
    const { messages } = await bob.rest.request('getConversation', { id });
    expect(messages.at(-2)!.decision!.response_text).toBe(reply);
  });
});

describe('a pending delete', () => {
  test('is in the context of the conversation, for as long as is configured', async () => {
    const { conversation_id: id } = await proxy.say('add pay rent');
    await proxy.say('delete pay rent', id);
    const context = async () => (await proxy.rest.request('getConversation', { id })).decision_context;
    expect(await context()).toMatchObject({
      user_id: 'local',
      message: 'delete pay rent',
      conversation_id: id,
      message_history: [{ role: 'user', content: 'add pay rent' }, { role: 'assistant' }],
      pending_confirmation: { action_type: 'DELETE_TASK', task_description: 'pay rent' },
    });
    proxy.time.now += 120_000;
    expect((await context())!.pending_confirmation).toBeUndefined();
    expect((await proxy.say('yes', id)).reply).toMatch(/expired, and nothing was deleted/);
  });

  test.each([
    ['empty', ''],
    ['too long', 'x'.repeat(4001)],
  ])('is dropped by a message that is %s, and that is said', async (name, message) => {
    const { conversation_id: id } = await proxy.say(`add soap ${name}`);
    await proxy.say(`delete soap ${name}`, id);
    await expect(proxy.say(message, id)).rejects.toThrow(
      /request to delete was dropped; nothing was deleted/,
    );
    expect((await proxy.say('yes', id)).decision.decision_type).toBe('RESPOND_ONLY');
  });

  test('a token without the scope to delete is told so instead of asked', async () => {
    const { token } = await proxy.rest.request('createToken', {
      body: { name: 'reader', user: 'reader', assistant: true, operations: ['read', 'write'] },
    });
    const reader = proxy.with(token);
    await reader.say('add buy milk');
    const { reply, decision } = await reader.say('delete buy milk');
    expect(decision.decision_type).toBe('RESPOND_ONLY');
    expect(reply).toMatch(/does not permit deleting tasks/);
  });
});

test('several deletes are one question, one yes, and a record each', async () => {
  const person = await proxy.person('several');
  for (const task of ['buy milk', 'call mom', 'pay rent']) await person.say(`add ${task}`);
  const { conversation_id: id, reply } = await person.say('delete buy milk and pay rent');
  expect(reply).toBe('Shall I delete “buy milk” and “pay rent”? Please say yes or no.');
  expect((await person.say('yes', id)).reply).toBe('I have deleted “buy milk”. I have deleted “pay rent”.');
  expect(await proxy.tasks(person)).toEqual(['call mom']);
  const { invocations } = await person.rest.request('listInvocations', { id });
  expect(invocations.filter(({ tool_name, success }) => tool_name === 'delete_task' && success)).toHaveLength(
    2,
  );
  expect((await person.say('undo', id)).reply).toMatch(/put “pay rent” back.*put “buy milk” back/);
  expect((await proxy.tasks(person)).sort()).toEqual(['buy milk', 'call mom', 'pay rent']);
});
