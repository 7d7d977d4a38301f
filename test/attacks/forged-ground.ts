import type { Approval, DecisionBody } from '../../src/contract/approval.ts';
import { poll, type RunningProxy } from '../e2e/start-proxy.ts';
import type { ExecutionLog } from '../fixtures/execution-log.ts';
import type { DatabaseWriter } from './database-writer.ts';

export type Change = () => Promise<void> | void;

export interface Ground {
  proxy: RunningProxy;
  restart(change?: Change): Promise<void>;
  /** Makes the change while the proxy is stopped, and checks after its start. In small sizes several of them share one restart. */
  afterRestart(change: Change, check: () => Promise<void>): void;
  log: ExecutionLog;
  db: DatabaseWriter;
  held: (ok: boolean, what: string) => void;
}

export type Forgery = (ground: Ground) => Promise<void>;

/** Waits for the record that says that a row does not count. */
export const recorded = ({ proxy }: Ground, id: string, trouble?: string) =>
  poll(`the record of ${id}`, proxy.stderr, async () => {
    const { records } = await proxy.rest.request('listActivity', {
      type: 'finding',
      status: 'refused',
      limit: 100,
    });
    return records.find(({ metadata }) => {
      const row = metadata.row as { id?: string; trouble?: string } | undefined;
      return row?.id === id && (trouble === undefined || row.trouble === trouble);
    });
  });

export async function statusOf({ proxy }: Ground, token: string): Promise<number> {
  const answer = await fetch(`${proxy.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

export const call = ({ proxy }: Ground, text: string): Promise<string> =>
  proxy.rest
    .request('callTool', {
      body: {
        tool_variant: 'call_tool_destructive',
        name: 'up:destructive',
        args: { text },
        intent: { operation_type: 'destructive' },
      },
    })
    .then(
      () => 'ran',
      (error: unknown) => (error as { code: string }).code,
    );

/** A call that waits, and its approval. */
export async function pending(ground: Ground, mark: string): Promise<Approval> {
  const code = await call(ground, mark);
  ground.held(code === 'APPROVAL_PENDING', `a destructive call was not held: ${code}`);
  const { approvals } = await ground.proxy.rest.request('listApprovals', { status: 'pending', limit: 100 });
  return approvals.find(({ arguments: args }) => (args as { text: string }).text === mark)!;
}

export const decide = ({ proxy }: Ground, id: string, body: DecisionBody): Promise<string> =>
  proxy.rest.request('decideApproval', { id, body }).then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  );

export async function neverRuns(ground: Ground, mark: string, how: string): Promise<void> {
  const code = await call(ground, mark);
  ground.held(code !== 'ran' && ground.log.runsOf(mark) === 0, `${how}: ${code}`);
}

export const readCall = ({ proxy }: Ground, name: string, text: string): Promise<string> =>
  proxy.rest
    .request('callTool', {
      body: { tool_variant: 'call_tool_read', name, args: { text }, intent: { operation_type: 'read' } },
    })
    .then(
      () => 'ran',
      (error: unknown) => (error as { code: string }).code,
    );
