import { connectClient, type TestClient } from '../test/e2e/mcp-clients.ts';
import { poll } from '../test/e2e/start-proxy.ts';
import type { WebStage } from '../test/web/stage.ts';

/** What the pictures need to find the sample data. */
export interface SampleData {
  conversation: string;
  session: string;
}

const read = (name: string, args: Record<string, unknown>, reason: string) =>
  ['call_tool_read', { name, args, intent: { operation_type: 'read', reason } }] as const;

/** Calls of every operation by two agents, refusals, a pending approval, a changed tool and a conversation. */
export async function createSampleActivity(stage: WebStage): Promise<SampleData> {
  await callAsScript(stage);
  const { token } = await stage.proxy.rest.request('createToken', { body: { name: 'cursor' } });
  const agent = await connectClient('SDK 1.x', { url: stage.proxy.url, key: token });
  await runSession(stage, agent);
  const { records } = await stage.proxy.rest.request('listActivity', { filter: 'agent:cursor', limit: 1 });
  await stage.call('write', 'up:set_annotations', {
    args: { tool: 'not_read_only', annotations: { readOnlyHint: true } },
  });
  // Stays pending, so that the inbox shows it; the end of the stage ends it.
  agent.call('call_tool_destructive', deletion('release-1.2')).catch(() => {});
  await pendingApproval(stage);
  return { conversation: await chat(stage), session: records[0]!.session_id! };
}

const deletion = (text: string) => ({
  name: 'up:destructive',
  args: { text, force: true },
  intent: { operation_type: 'destructive', reason: 'the user wants this branch gone' },
});

async function callAsScript({ call }: WebStage): Promise<void> {
  for (let i = 0; i < 12; i++) {
    await call('read', 'up:get_things', {
      args: { text: `page ${i}` },
      reason: 'looking for the right file',
    });
    if (i % 3 === 0)
      await call('write', 'up:not_read_only', {
        args: { text: `note ${i}` },
        reason: 'the user asked for a note',
      });
    // Refused on purpose: the page shows a refusal.
    if (i % 5 === 0) await call('read', 'up:switchable', { reason: 'a shortcut' }).catch(() => {});
  }
  await call('destructive', 'up:writer_destructive', { args: { text: 'old drafts' }, reason: 'cleaning up' });
}

/** A search, reads, a write, a refusal, and a delete that a person approves. */
async function runSession(stage: WebStage, agent: TestClient): Promise<void> {
  const { rest } = stage.proxy;
  await agent.call('retrieve_tools', { query: 'get things' });
  await agent.call(...read('up:get_things', { text: 'branches' }, 'which branches are there'));
  await agent.call(...read('up:slow', { ms: 900 }, 'compare with the release'));
  await agent.call('call_tool_write', {
    name: 'up:not_read_only',
    args: { text: 'plan' },
    intent: { operation_type: 'write', reason: 'note the plan' },
  });
  await agent.call(...read('up:destructive', { text: 'release-1.1' }, 'a shortcut'));
  const held = agent.call('call_tool_destructive', deletion('release-1.1'));
  const id = await pendingApproval(stage);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await rest.request('decideApproval', { id, body: { decision: 'approve', reason: 'merged last week' } });
  await held;
  await agent.call(...read('up:get_things', { text: 'branches' }, 'check the outcome'));
}

function pendingApproval({ proxy: { rest, stderr } }: WebStage): Promise<string> {
  return poll('the pending call', stderr, async () => {
    const { approvals } = await rest.request('listApprovals', { status: 'pending', limit: 1 });
    return approvals[0]?.id;
  });
}

async function chat({ proxy: { rest } }: WebStage): Promise<string> {
  let conversation: string | undefined;
  for (const message of [
    'add buy milk',
    'add call the dentist',
    "what's on my list?",
    'delete the first one',
  ]) {
    const body = { message, ...(conversation && { conversation_id: conversation }) };
    conversation = (await rest.request('chat', { body })).conversation_id;
  }
  return conversation!;
}
