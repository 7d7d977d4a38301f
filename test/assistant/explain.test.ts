import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChatExplainRequest } from '../../src/contract/chat.ts';
import { startAssistantProxy, type AssistantProxy } from '../fixtures/assistant-proxy.ts';

let proxy: AssistantProxy;
beforeAll(async () => {
  proxy = await startAssistantProxy();
});
afterAll(() => proxy.stop());

const pending = { task_description: 'buy milk' };
const tasks = ['buy milk', 'call mom', 'buy oat milk'];

test.each<[ChatExplainRequest, string, string, string[]]>([
  [{ message: 'remind me to buy milk' }, 'CREATE_TASK', 'INVOKE_TOOL', ['add_task']],
  [{ message: 'show my tasks' }, 'LIST_TASKS', 'INVOKE_TOOL', ['list_tasks']],
  [{ message: 'complete call mom' }, 'COMPLETE_TASK', 'INVOKE_TOOL', ['list_tasks']],
  [{ message: 'complete call mom', tasks }, 'COMPLETE_TASK', 'INVOKE_TOOL', ['list_tasks', 'complete_task']],
  [{ message: 'complete the milk task', tasks }, 'COMPLETE_TASK', 'ASK_CLARIFICATION', ['list_tasks']],
  [
    { message: 'change call mom to call dad', tasks },
    'UPDATE_TASK',
    'INVOKE_TOOL',
    ['list_tasks', 'update_task'],
  ],
  [{ message: 'delete the milk task' }, 'DELETE_TASK', 'REQUEST_CONFIRMATION', ['list_tasks']],
  [{ message: 'delete call mom', tasks }, 'DELETE_TASK', 'REQUEST_CONFIRMATION', ['list_tasks']],
  [{ message: 'delete all my tasks' }, 'DELETE_TASK', 'REQUEST_CONFIRMATION', ['list_tasks']],
  [{ message: 'hello' }, 'GENERAL_CHAT', 'RESPOND_ONLY', []],
  [{ message: 'groceries' }, 'AMBIGUOUS', 'ASK_CLARIFICATION', []],
  [{ message: 'yes' }, 'CONFIRM_YES', 'RESPOND_ONLY', []],
  [{ message: 'yes', pending }, 'CONFIRM_YES', 'EXECUTE_PENDING', ['list_tasks', 'delete_task']],
  [{ message: 'yes', pending, tasks }, 'CONFIRM_YES', 'EXECUTE_PENDING', ['list_tasks', 'delete_task']],
  [{ message: 'no', pending }, 'CONFIRM_NO', 'CANCEL_PENDING', []],
  [{ message: 'cancel', pending }, 'CONFIRM_NO', 'CANCEL_PENDING', []],
  [{ message: 'show my tasks', pending }, 'LIST_TASKS', 'INVOKE_TOOL', ['list_tasks']],
  [{ message: 'yes', pending: null }, 'CONFIRM_YES', 'RESPOND_ONLY', []],
])('%j', async (...[body, intent, type, calls]) => {
  const { user_intent, decision, because } = await proxy.rest.request('explainChat', { body });
  expect([user_intent.intent_type, decision.decision_type]).toEqual([intent, type]);
  expect((decision.tool_calls ?? []).map(({ tool_name }) => tool_name)).toEqual(calls);
  expect(because.length).toBeGreaterThan(0);
});

test('nothing is stored, run or recorded by it', async () => {
  await proxy.rest.request('explainChat', { body: { message: 'add buy milk' } });
  expect((await proxy.rest.request('listConversations', {})).conversations).toEqual([]);
  expect((await proxy.rest.request('listActivity', { type: 'tool_call' })).total).toBe(0);
  expect((await proxy.rest.request('listActivity', { type: 'assistant_decision' })).total).toBe(0);
  expect((await proxy.rest.request('listApprovals', {})).approvals).toEqual([]);
});
