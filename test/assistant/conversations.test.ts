import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConversationMessage } from '../../src/contract/chat.ts';
import { runHere } from '../e2e/cli-here.ts';
import { startAssistantProxy, type AssistantProxy } from '../fixtures/assistant-proxy.ts';

let proxy: AssistantProxy;
beforeAll(async () => {
  proxy = await startAssistantProxy();
});
afterAll(() => proxy.stop());
const cli = (...args: string[]) => runHere([...args, '--url', proxy.url, '--api-key', proxy.key]);

describe('messages at once in one conversation', () => {
  test('are answered one after the other, none is lost, and each answer follows its message', async () => {
    const ann = await proxy.person('at-once');
    const { conversation_id } = await ann.say('hello');
    const wishes = Array.from({ length: 8 }, (_, i) => `add buy item${i}`);
    const answers = await Promise.all(wishes.map((wish) => ann.say(wish, conversation_id)));
    expect(answers.map(({ reply }) => reply)).toEqual(
      wishes.map((wish) => `I have added “${wish.slice(4)}” to your list.`),
    );
    const { messages, total } = await ann.rest.request('getConversation', { id: conversation_id });
    expect([total, messages.length]).toEqual([18, 18]);
    const turns = messages.slice(2).map(({ role, content }) => [role, /item\d/.exec(content)?.[0]]);
    for (let i = 0; i < turns.length; i += 2)
      expect([turns[i]![0], turns[i + 1]![0], turns[i + 1]![1]]).toEqual(['user', 'assistant', turns[i]![1]]);
    expect((await proxy.tasks(ann)).sort()).toEqual(wishes.map((wish) => wish.slice(4)));
  });

  test('two yeses at once delete once', async () => {
    const bob = await proxy.person('two-yeses');
    for (const task of ['buy milk', 'call mom']) await bob.say(`add ${task}`);
    const { conversation_id } = await bob.say('delete buy milk');
    const answers = await Promise.all(['yes', 'yes', 'yes'].map((yes) => bob.say(yes, conversation_id)));
    const types = answers.map(({ decision }) => decision.decision_type).sort();
    expect(types).toEqual(['EXECUTE_PENDING', 'RESPOND_ONLY', 'RESPOND_ONLY']);
    const deletes = (await proxy.records(conversation_id)).filter(
      ({ tool_name, type }) => tool_name === 'delete_task' && type === 'tool_call',
    );
    expect(deletes).toHaveLength(1);
    expect(await proxy.tasks(bob)).toEqual(['call mom']);
  });

  test('a yes and a no at once: the first counts, the other finds nothing', async () => {
    const eve = await proxy.person('yes-and-no');
    await eve.say('add buy milk');
    const { conversation_id } = await eve.say('delete buy milk');
    const [yes, no] = await Promise.all([eve.say('yes', conversation_id), eve.say('no', conversation_id)]);
    const left = await proxy.tasks(eve);
    if (yes.decision.decision_type === 'EXECUTE_PENDING')
      expect([no.decision.decision_type, left]).toEqual(['RESPOND_ONLY', []]);
    else expect([no.decision.decision_type, left]).toEqual(['CANCEL_PENDING', ['buy milk']]);
  });
});

describe('titles that sound like other commands', () => {
  test('are added, changed, done and deleted by their name', async () => {
    const ann = await proxy.person('any-title');
    for (const task of ['dentist appointment', 'Netflix subscription', 'flight to Rome'])
      expect((await ann.say(`add ${task}`)).reply).toBe(`I have added “${task}” to your list.`);
    expect((await ann.say('finish Netflix subscription')).reply).toBe(
      'I have marked “Netflix subscription” as done.',
    );
    expect((await ann.say('update flight to Rome to flight to Oslo')).reply).toBe(
      'I have changed “flight to Rome” to “flight to Oslo”.',
    );
    const asked = await ann.say('delete dentist appointment');
    expect(asked.decision.decision_type).toBe('REQUEST_CONFIRMATION');
    expect((await ann.say('yes', asked.conversation_id)).reply).toBe('I have deleted “dentist appointment”.');
    expect((await proxy.tasks(ann)).sort()).toEqual(['flight to Oslo', '✓Netflix subscription']);
    const replay = await ann.rest.request('replayConversation', { id: asked.conversation_id });
    expect(replay.differences).toEqual([]);
  });

  test('a delete of what is not there is answered at once', async () => {
    const bob = await proxy.person('no-rocket');
    await bob.say('add call mom');
    expect((await bob.say('delete the rocket')).reply).toMatch(/^I found no task that fits “rocket”/);
  });
});

describe('what is left of a conversation', () => {
  test('every decision and every call is on record, with what led to it', async () => {
    const { conversation_id: id } = await proxy.say('add buy milk');
    await proxy.say('hello', id);
    await proxy.say('delete all my tasks', id);
    await proxy.say('delete buy milk', id);
    await proxy.say('yes', id);
    const records = await proxy.records(id);
    expect(records.every(({ source, conversation_id }) => source === 'chat' && conversation_id === id)).toBe(
      true,
    );
    expect(
      records.map(({ type, tool_name, status, operation_type }) => [type, tool_name, status, operation_type]),
    ).toEqual([
      ['assistant_decision', undefined, 'success', undefined],
      ['tool_call', 'list_tasks', 'success', 'read'],
      ['tool_call', 'add_task', 'success', 'write'],
      ['assistant_decision', undefined, 'success', undefined],
      ['assistant_decision', undefined, 'success', undefined],
      ['tool_call', 'list_tasks', 'success', 'read'],
      ['assistant_decision', undefined, 'success', undefined],
      ['tool_call', 'list_tasks', 'success', 'read'],
      ['assistant_decision', undefined, 'success', undefined],
      ['tool_call', 'list_tasks', 'success', 'read'],
      ['decision', 'delete_task', 'success', undefined],
      ['tool_call', 'delete_task', 'success', 'destructive'],
    ]);
    const { messages } = await proxy.rest.request('getConversation', { id });
    const decisions = records.filter(({ type }) => type === 'assistant_decision');
    expect(decisions.map(({ metadata }) => metadata.message_id)).toEqual(
      messages.filter(({ role }) => role === 'user').map((message: ConversationMessage) => message.id),
    );
    const [, , add, , , , , , yes, list, , remove] = records;
    expect(add!.metadata).toMatchObject({
      decision_id: records[0]!.id,
      message_id: records[0]!.metadata.message_id,
      sequence: 1,
      user_id: 'local',
      user_intent: { intent_type: 'CREATE_TASK', extracted_params: { description: 'buy milk' } },
      intent: { operation_type: 'write', reason: 'Asked for in chat: add buy milk' },
      tool_variant: 'call_tool_write',
    });
    expect([list!.metadata.sequence, remove!.metadata.sequence]).toEqual([1, 2]);
    expect(remove!.metadata).toMatchObject({
      decision_id: yes!.id,
      user_intent: { intent_type: 'CONFIRM_YES' },
      intent: { operation_type: 'destructive' },
      tool_variant: 'call_tool_destructive',
      approval: { scope: 'conversation', decided_from: 'conversation' },
    });
    expect(yes).toMatchObject({
      arguments: { message: 'yes' },
      response: { reply: 'I have deleted “buy milk”.', decision: { decision_type: 'EXECUTE_PENDING' } },
      metadata: {
        decision_type: 'EXECUTE_PENDING',
        because: expect.arrayContaining(['the answer is yes, and the task is as it was shown']),
      },
    });
  });

  test('and reads as a story', async () => {
    const { conversation_id: id } = await proxy.say('add pay rent');
    await proxy.say('delete pay rent', id);
    await proxy.say('yes', id);
    const { stdout, code } = await cli('activity', 'list', '--conversation', id);
    expect(code).toBe(0);
    expect(stdout.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ /gm, '')).toBe(`person: add pay rent
  CREATE_TASK → INVOKE_TOOL
  read tasks:list_tasks success
  write tasks:add_task success
  answer: I have added “pay rent” to your list.
person: delete pay rent
  DELETE_TASK → REQUEST_CONFIRMATION
  read tasks:list_tasks success
  answer: Shall I delete “pay rent”? Please say yes or no.
person: yes
  CONFIRM_YES → EXECUTE_PENDING
  read tasks:list_tasks success
  - decision approve tasks:delete_task success
  destr tasks:delete_task success
  answer: I have deleted “pay rent”.
`);
  });

  test('pages of messages and of conversations, the newest first', async () => {
    const ann = await proxy.person('pages');
    const ids: string[] = [];
    for (const word of ['one', 'two', 'three']) {
      proxy.time.now += 1000;
      ids.unshift((await ann.say(`add buy ${word}`)).conversation_id);
    }
    const first = await ann.rest.request('listConversations', { limit: 2 });
    const second = await ann.rest.request('listConversations', { limit: 2, cursor: first.next_cursor! });
    expect([...first.conversations, ...second.conversations].map(({ id }) => id)).toEqual(ids);
    expect([second.next_cursor, first.conversations[0]!.title]).toEqual([null, 'add buy three']);
    const id = ids[0]!;
    for (const word of ['four', 'five']) await ann.say(`add buy ${word}`, id);
    const last = await ann.rest.request('getConversation', { id, limit: 4 });
    const before = await ann.rest.request('getConversation', { id, limit: 4, cursor: last.next_cursor! });
    expect(
      [...before.messages, ...last.messages].map(({ content }) => /three|four|five/.exec(content)?.[0]),
    ).toEqual(['three', 'three', 'four', 'four', 'five', 'five']);
    expect(before.next_cursor).toBeNull();
    for (const cursor of ['x', '-1', '2026'.repeat(60)])
      await expect(ann.rest.request('getConversation', { id, cursor })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
  });
});

test('null for the conversation begins a new one', async () => {
  const { conversation_id } = await proxy.rest.request('chat', {
    body: { message: 'hello', conversation_id: null },
  });
  expect(conversation_id).toMatch(/^[0-9a-f-]{36}$/);
});

describe('replay', () => {
  const MESSAGES = [
    'add buy milk',
    'add buy oat milk',
    'add call mom',
    'show my tasks',
    'complete 2',
    'hello',
    'delete the milk task',
    '1',
    'no',
    'delete call mom',
    'yes',
    'complete the gym task',
    'groceries',
    'change buy milk to buy bread',
    'delete all my tasks',
    'add pay rent. complete buy bread.',
    'delete pay rent',
    'what was that?',
    'yes',
    'thank you',
  ];

  test('a conversation of 200 messages decides the same again', async () => {
    const { conversation_id: id } = await proxy.say(MESSAGES[0]!);
    for (let n = 1; n < 100; n++) await proxy.say(MESSAGES[n % MESSAGES.length]!, id);
    const { stdout, code } = await cli('chat', 'replay', id);
    expect([stdout, code]).toEqual(['100 decisions, no differences\n', 0]);
    expect((await proxy.rest.request('getConversation', { id, limit: 1 })).total).toBe(200);
  });

  test('what comes out otherwise is shown, with exit code 1', async () => {
    const { conversation_id: id, message_id } = await proxy.say('add buy milk');
    await proxy.say('hello', id);
    proxy.tamper('UPDATE conversation_messages SET decided = ? WHERE id = ?', [
      '{"because":["other"]}',
      message_id,
    ]);
    const { stdout, code } = await cli('chat', 'replay', id, '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      decisions: 2,
      differences: [
        {
          message_id,
          message: 'add buy milk',
          was: { because: ['other'] },
          is: { decision: { decision_type: 'INVOKE_TOOL' } },
        },
      ],
    });
  });
});

describe('a proxy that ended in the middle', () => {
  test('had asked, but nobody has seen the question: a yes is for nothing', async () => {
    const ann = await proxy.person('unseen');
    await ann.say('add buy milk');
    const { conversation_id } = await ann.say('delete buy milk');
    proxy.tamper("DELETE FROM conversation_messages WHERE conversation_id = ? AND role = 'assistant'", [
      conversation_id,
    ]);
    expect((await ann.say('yes', conversation_id)).decision.decision_type).toBe('RESPOND_ONLY');
    const { approvals } = await proxy.rest.request('listApprovals', { limit: 1 });
    expect(approvals[0]).toMatchObject({
      status: 'cancelled',
      decision_reason: 'the question was never shown',
    });
    expect(await proxy.tasks(ann)).toEqual(['buy milk']);
  });

  test('held the conversation: it goes on once the hold is too old', async () => {
    const bob = await proxy.person('held');
    const { conversation_id } = await bob.say('hello');
    const until = String(proxy.time.now + 180_000);
    proxy.tamper("UPDATE conversations SET busy_by = 'gone', busy_until = ? WHERE id = ?", [
      until,
      conversation_id,
    ]);
    proxy.time.now += 180_000;
    expect((await bob.say('hello', conversation_id)).reply).toMatch(/Hello/);
  });
});

describe('an agent’s token', () => {
  test('is held to its scope by what the assistant calls', async () => {
    const { token } = await proxy.rest.request('createToken', {
      body: { name: 'reader', user: 'reader', operations: ['read'], assistant: true },
    });
    const reader = proxy.with(token);
    expect((await reader.say('show my tasks')).reply).toMatch(/list is empty/);
    expect((await reader.say('add buy milk')).reply).toMatch(
      /I could not add “buy milk”: that is not allowed here/,
    );
    expect(await proxy.tasks(reader)).toEqual([]);
  });

  test('cannot say yes where the policy wants the operator to decide; the operator can', async () => {
    const strict = await startAssistantProxy({ approvals: { require: ['destructive'] } });
    try {
      const agent = await strict.person('agent');
      await agent.say('add buy milk');
      const asked = await agent.say('delete buy milk');
      const { reply, conversation_id } = await agent.say('yes', asked.conversation_id);
      expect(reply).toBe('Deleting needs the approval of the operator here, so nothing was deleted.');
      expect(
        (await strict.records(conversation_id)).filter(({ type }) => type === 'assistant_decision').at(-1)!
          .status,
      ).toBe('denied');
      expect(await strict.tasks(agent)).toEqual(['buy milk']);
      await strict.say('add buy milk');
      const mine = await strict.say('delete buy milk');
      expect((await strict.say('yes', mine.conversation_id)).reply).toBe('I have deleted “buy milk”.');
    } finally {
      await strict.stop();
    }
  });
});
