import { expect, onTestFinished, test } from 'vitest';
import { startAssistantProxy } from '../fixtures/assistant-proxy.ts';
import { connectClient } from '../e2e/mcp-clients.ts';

test("calls of the assistant are none over MCP with the operator's key; those of an agent are", async () => {
  const proxy = await startAssistantProxy();
  onTestFinished(() => proxy.stop());
  const calledAt = async () => (await proxy.rest.request('status', {})).tokens.operator_mcp_call_at;
  await proxy.say('add buy milk');
  expect(await calledAt()).toBeNull();
  const client = await connectClient('2026-07-28', { url: proxy.url, key: proxy.key });
  await client.call('call_tool_read', { name: 'tasks:list_tasks', args: {}, intent_operation_type: 'read' });
  await client.close();
  expect(await calledAt()).not.toBeNull();
});
