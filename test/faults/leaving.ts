import type { Attack, Tally } from '../attacks/attack.ts';
import type { Approval } from '../../src/contract/approval.ts';
import { toProxyError } from '../../src/contract/errors.ts';
import { exchange, modern, openSession, type Exchange } from '../e2e/raw-token.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { openExecutionLog } from '../fixtures/execution-log.ts';
import { pause } from './calls.ts';

interface Stage {
  proxy: RunningProxy;
  tally: Tally;
  runs: (mark: string) => number;
}

const calling = (mark: string) => ({
  name: 'call_tool_destructive',
  arguments: { name: 'up:destructive', args: { text: mark }, intent_operation_type: 'destructive' },
});

const approvalOf = (proxy: RunningProxy, mark: string): Promise<Approval> =>
  poll(`the approval of ${mark}`, proxy.stderr, async () => {
    const { approvals } = await proxy.rest.request('listApprovals', { limit: 20 });
    return approvals.find(({ arguments: args }) => (args as { text: string }).text === mark);
  });

const approve = (proxy: RunningProxy, id: string): Promise<string> =>
  proxy.rest.request('decideApproval', { id, body: { decision: 'approve' } }).then(
    () => 'approved',
    (error: unknown) => toProxyError(error).code,
  );

/** 2026-07-28: closing the request withdraws the approval request. */
async function leavesModern({ proxy, tally, runs }: Stage): Promise<string> {
  const mark = 'modern leaves';
  const call = exchange(proxy.url, { token: proxy.key, ...modern('tools/call', calling(mark)) });
  const { id } = await approvalOf(proxy, mark);
  call.close();
  const status = await poll('the withdrawal', proxy.stderr, async () => {
    const { status: now } = await proxy.rest.request('getApproval', { id });
    return now === 'pending' ? undefined : now;
  }).catch(() => 'pending');
  tally.held(status === 'cancelled', `2026-07-28: after the caller left it is ${status}`);
  const decided = await approve(proxy, id);
  tally.held(decided !== 'approved', '2026-07-28: a call that was taken back can be approved');
  await pause(200);
  tally.held(runs(mark) === 0, '2026-07-28: it ran');
  return `2026-07-28: ${status}, a late approval ${decided}`;
}

/** 2025: leaving means nothing. An approval is not used while nobody listens, and the result comes when the call is repeated. */
async function leavesLegacy({ proxy, tally, runs }: Stage, how: 'disconnects' | 'cancels'): Promise<string> {
  const mark = `legacy ${how}`;
  const headers = await openSession(proxy.url, proxy.key);
  const post = (body: object): Exchange => exchange(proxy.url, { token: proxy.key, headers, body });
  const request = (id: string) => post({ jsonrpc: '2.0', id, method: 'tools/call', params: calling(mark) });
  const call = request('first');
  const { id } = await approvalOf(proxy, mark);
  if (how === 'cancels')
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'first' } }).status;
  else call.close();
  await pause(300);
  const { status } = await proxy.rest.request('getApproval', { id });
  tally.held(status === 'pending', `2025 ${how}: it is ${status}`);
  const decided = await approve(proxy, id);
  await pause(300);
  tally.held(
    decided === 'approved' && runs(mark) === 0,
    `2025 ${how}: ${decided}, and it ran ${runs(mark)} times with nobody there`,
  );
  const text = await request('again').ended;
  tally.held(
    text.includes(mark) && !text.includes('"isError":true'),
    `2025 ${how}: repeated: ${text.slice(0, 300)}`,
  );
  tally.held(runs(mark) === 1, `2025 ${how}: it ran ${runs(mark)} times`);
  return `2025 ${how}: ${status}, ran once when it was approved and repeated`;
}

export const leaving: Attack = {
  threat: 'F24',
  title: 'the caller leaves while its call waits for a person',
  async run(tally) {
    const log = openExecutionLog();
    const approvals = { require: ['destructive'], wait: '20s' };
    const proxy = await startProxy({ config: { mcpServers: { up: log.server() }, approvals } });
    try {
      const stage = { proxy, tally, runs: log.runsOf };
      tally.figure(await leavesModern(stage));
      tally.figure(await leavesLegacy(stage, 'disconnects'));
      tally.figure(await leavesLegacy(stage, 'cancels'));
    } finally {
      await proxy.dispose();
      log.remove();
    }
  },
};
