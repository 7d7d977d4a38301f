import { setTimeout as sleep } from 'node:timers/promises';
import type { Approval, ApprovalStatus } from '../../src/contract/approval.ts';
import { ProxyError } from '../../src/contract/errors.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { openExecutionLog } from '../fixtures/execution-log.ts';

/** Where on its way an approved call is when the proxy is killed. `anywhere`: at a random moment after the approval. */
export const STEPS = ['held', 'approved', 'spent', 'dispatched', 'answered', 'anywhere'] as const;
type Step = (typeof STEPS)[number];

export interface KillOutcome {
  step: Step;
  /** What the approval was found to be after the restart. */
  status: ApprovalStatus;
  /** How often the server ran the call for one approval. */
  executions: number;
  /** What a caller that repeats the call is told, or "ran". */
  repeated: string;
  wrong: string[];
}

/** The built program, killed with SIGKILL while a call waits for a person, or right after; restarted on the same files each time. */
export async function approvalKills(cycles: number): Promise<KillOutcome[]> {
  const log = openExecutionLog();
  const up = { ...log.server(), concurrency: 1 };
  const approvals = { require: ['destructive'], wait: '5m', ttl: '10m' };
  const runs = (mark: string) => log.executions().filter(({ args }) => args.mark === mark).length;
  let proxy = await startProxy({ config: { mcpServers: { up }, approvals } });
  const outcomes: KillOutcome[] = [];
  try {
    for (let cycle = 0; cycle < cycles; cycle++) {
      const step = STEPS[cycle % STEPS.length]!;
      const mark = `${step} ${cycle}`;
      const id = await bringTo(proxy, { step, mark }, () => runs(mark));
      await proxy.stop('SIGKILL');
      const executed = runs(mark);
      proxy = await startProxy({ home: proxy.home });
      outcomes.push(await judge(proxy, { step, mark, id, executed }, () => runs(mark)));
    }
    return outcomes;
  } finally {
    await proxy.dispose();
    log.remove();
  }
}

function call(proxy: RunningProxy, mark: string, options: { ms: number; wait: string }): Promise<string> {
  const body = {
    tool_variant: 'call_tool_destructive' as const,
    name: 'up:slow',
    args: { mark, ms: options.ms },
    intent: { operation_type: 'destructive' },
    approval_wait: options.wait,
  };
  return proxy.rest.request('callTool', { body }).then(
    () => 'ran',
    (error: unknown) => (error instanceof ProxyError ? error.code : 'no answer'),
  );
}

const MS: Record<Step, number> = {
  held: 1,
  approved: 1,
  spent: 1,
  dispatched: 5_000,
  answered: 1,
  anywhere: 1,
};

/** Makes the call, has it approved where the step is later than that, and waits until it is there. */
async function bringTo(
  proxy: RunningProxy,
  { step, mark }: { step: Step; mark: string },
  runs: () => number,
): Promise<string> {
  const occupied = step === 'spent' ? occupy(proxy) : undefined;
  if (occupied) await occupied.busy;
  const called = call(proxy, mark, { ms: MS[step], wait: step === 'approved' ? '1ms' : '5m' });
  const { id } = await approvalOf(proxy, mark);
  if (step === 'held') return id;
  if (step === 'approved') await called;
  await proxy.rest.request('decideApproval', { id, body: { decision: 'approve' } });
  if (step === 'spent' || step === 'dispatched') await approvalOf(proxy, mark, 'running');
  if (step === 'dispatched') await poll('the execution', proxy.stderr, () => runs() > 0 || undefined);
  if (step === 'answered') await called;
  if (step === 'anywhere') await sleep(Math.random() * 12);
  return id;
}

/** The server takes one call at a time, so while this one runs an approved one is used but not sent. */
function occupy(proxy: RunningProxy): { busy: Promise<unknown> } {
  const body = {
    tool_variant: 'call_tool_read' as const,
    name: 'up:slow',
    args: { ms: 60_000 },
    intent: { operation_type: 'read' },
  };
  proxy.rest.request('callTool', { body }).catch(() => {});
  const busy = poll('the server to be busy', proxy.stderr, async () => {
    const { in_flight: n } = await proxy.rest.request('getServer', { name: 'up' });
    return n > 0 || undefined;
  });
  return { busy };
}

function approvalOf(proxy: RunningProxy, mark: string, status?: ApprovalStatus): Promise<Approval> {
  return poll(`the approval of ${mark}`, proxy.stderr, async () => {
    const { approvals } = await proxy.rest.request('listApprovals', { limit: 20 });
    return approvals.find(
      (each) =>
        (each.arguments as { mark: string }).mark === mark &&
        (status === undefined || each.status === status),
    );
  });
}

const FOUND: Record<Step, ApprovalStatus[]> = {
  held: ['pending'],
  approved: ['approved'],
  spent: ['unknown'],
  dispatched: ['unknown'],
  answered: ['executed'],
  anywhere: ['approved', 'unknown', 'executed'],
};
const REPEATED: Partial<Record<ApprovalStatus, string>> = {
  approved: 'ran',
  unknown: 'OUTCOME_UNKNOWN',
  executed: 'APPROVAL_PENDING',
};

async function judge(
  proxy: RunningProxy,
  { step, mark, id, executed }: { step: Step; mark: string; id: string; executed: number },
  runs: () => number,
): Promise<KillOutcome> {
  const { status } = await proxy.rest.request('getApproval', { id });
  const wrong = FOUND[step].includes(status) ? [] : [`found ${status}`];
  if (status === 'pending') await proxy.rest.request('decideApproval', { id, body: { decision: 'approve' } });
  const repeated = await call(proxy, mark, { ms: MS[step], wait: '1ms' });
  const executions = runs();
  const expected = status === 'pending' ? 'ran' : REPEATED[status];
  if (repeated !== expected) wrong.push(`repeated: ${repeated}, expected ${expected}`);
  wrong.push(...wrongExecutions({ status, repeated, executed, executions }));
  return { step, status, executions, repeated, wrong };
}

interface Executions {
  status: ApprovalStatus;
  repeated: string;
  /** Before the call was repeated, and in all. */
  executed: number;
  executions: number;
}

function wrongExecutions({ status, repeated, executed, executions }: Executions): string[] {
  const wrong: string[] = [];
  if (executions > 1) wrong.push(`${executions} executions`);
  if (repeated === 'ran' && (executed !== 0 || executions !== 1))
    wrong.push('it ran before the approval was used');
  if (repeated !== 'ran' && executions !== executed) wrong.push('it ran without a new approval');
  if (status === 'executed' && executed !== 1) wrong.push('it counts as executed and never ran');
  return wrong;
}
