import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Approval } from '../../src/contract/approval.ts';
import { fixture } from '../fixtures/start.ts';
import { ASKED_CLIENTS, connectAsked, textOf, type AskedClient } from './asked-clients.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

// A server asks the client within a call that a person has approved: the answer is a part of what runs, so a person sees it first.

let proxy: RunningProxy;
const open: AskedClient[] = [];
beforeAll(async () => {
  const mcpServers = {
    newer: fixture('asking.mjs'),
    older: fixture('asking.mjs', 'legacy'),
    pair: fixture('asking.mjs', 'legacy'),
    strict: fixture('asking.mjs', 'legacy'),
  };
  const require = ['older', 'newer', 'strict'].map((server) => ({
    match: { server, ...(server === 'strict' && { tool: 'leave' }) },
    action: 'ask',
  }));
  proxy = await startHere({ config: { mcpServers, approvals: { require, wait: '10m' } } });
});
afterAll(() => proxy.dispose());
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

async function nextApproval(seen: Set<string>): Promise<Approval> {
  const found = await poll('the approval request', proxy.stderr, async () => {
    const { approvals } = await proxy.rest.request('listApprovals', { status: 'pending', limit: 10 });
    return approvals.find(({ id }) => !seen.has(id));
  });
  seen.add(found.id);
  return found;
}

const decide = (id: string, decision: 'approve' | 'deny') =>
  proxy.rest.request('decideApproval', { id, body: { decision } });

const requestedSchema = { type: 'object', properties: { target: { type: 'string' } }, required: ['target'] };
const ARGS = { params: { message: 'Which target?', requestedSchema } };

describe.each(ASKED_CLIENTS)('client %s', (kind) => {
  describe.each(['older', 'newer'])('%s server', (server) => {
    test.each(['approve', 'deny'] as const)('the person decides about the answer: %s', async (decision) => {
      const elicit = () => ({ action: 'accept', content: { target: 'production' } });
      const client = await connectAsked(kind, proxy, { name: `${decision}-${server}`, elicit });
      open.push(client);
      const seen = new Set<string>();
      const result = client.call(`${server}:ask`, ARGS);
      const first = await nextApproval(seen);
      expect(first.input_responses).toBeUndefined();
      await decide(first.id, 'approve');
      const second = await nextApproval(seen);
      expect(second).toMatchObject({ server, tool: 'ask', arguments: ARGS });
      expect(JSON.stringify(second.input_responses)).toContain('"target":"production"');
      await decide(second.id, decision);
      const text = textOf(await result);
      if (decision === 'approve') expect(text).toContain('production');
      else expect(text).not.toContain('production');
      const { approvals } = await proxy.rest.request('listApprovals', { limit: 10 });
      const ended = approvals.find(({ id }) => id === second.id);
      expect(ended?.status).toBe(decision === 'approve' ? 'executed' : 'denied');
    });
  });
});

test('the record of an answer names its approval; a call that ends meanwhile withdraws the request', async () => {
  const client = await connectAsked('SDK 1.x', proxy, { name: 'leaving' });
  const seen = new Set<string>();
  const result = client.call('older:ask', ARGS).catch(() => undefined);
  await decide((await nextApproval(seen)).id, 'approve');
  const { id } = await nextApproval(seen);
  await client.close();
  await result;
  await poll('the withdrawn request', proxy.stderr, async () => {
    const { approvals } = await proxy.rest.request('listApprovals', { status: 'cancelled', limit: 10 });
    return approvals.find((each) => each.id === id);
  });
  const { records } = await proxy.rest.request('listActivity', { type: 'elicitation', limit: 100 });
  const approved = records.find(
    ({ status, client: by }) => status === 'success' && by?.startsWith('approve-'),
  );
  expect(approved?.metadata.approval).toMatchObject({ id: expect.any(String), decided_by: 'operator' });
});

/** Two calls of one client in one process of a server, over stdio, which does not say whose the question is. */
async function askBesideAnother(server: string, approveOne?: () => Promise<void>) {
  let leaving: Promise<unknown> | undefined;
  const elicit = async () => {
    await leaving;
    return { action: 'accept', content: { target: 'production' } };
  };
  const client = await connectAsked('SDK 1.x', proxy, { name: `beside-${server}`, elicit });
  open.push(client);
  const asking = client.call(`${server}:ask`, { ...ARGS, beside: true });
  leaving = client.call(`${server}:leave`);
  await approveOne?.();
  expect(textOf((await leaving) as Awaited<typeof asking>)).toContain('left');
  return { asking };
}

const answerOf = async (client: string) => {
  const { records } = await proxy.rest.request('listActivity', { type: 'elicitation', limit: 100 });
  return records.find((record) => record.client?.startsWith(client));
};

test('a question stays open when another call of the client ends first', async () => {
  expect(textOf(await (await askBesideAnother('pair')).asking)).toContain('production');
  const record = await answerOf('beside-pair');
  expect(record).toMatchObject({ status: 'success', metadata: { other_calls: [expect.any(String)] } });
});

test('an answer needs the approval of each call that the question may be about', async () => {
  const seen = new Set<string>();
  const approveOne = async () => void (await decide((await nextApproval(seen)).id, 'approve'));
  const { asking } = await askBesideAnother('strict', approveOne);
  await approveOne();
  expect(textOf(await asking)).toContain('production');
});
