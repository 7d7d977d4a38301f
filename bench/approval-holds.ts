import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { startProxy, type RunningProxy } from '../test/e2e/start-proxy.ts';
import { fixture } from '../test/fixtures/start.ts';
import { rssMb } from './process-usage.ts';
import { percentile } from './statistics.ts';

export interface Latency {
  p50: number;
  p99: number;
  perSecond: number;
}

export interface HoldsResult {
  idleMb: number;
  heldMb: number;
  before: Latency;
  during: Latency;
  settleMs: number;
}

const LANES = 4;

/** The built program with many calls of 2026-07-28 clients that wait, each in a request of its own. */
export async function measureHolds(holds: number, calls: number): Promise<HoldsResult> {
  const approvals = { require: ['destructive'], wait: '10m', ttl: '1h', max_pending_per_caller: 10_000 };
  const proxy = await startProxy({ config: { mcpServers: { up: fixture('annotated.mjs') }, approvals } });
  const agent = new Agent({ connections: holds + LANES, headersTimeout: 0, bodyTimeout: 0 });
  const call = (tool: string, operation: string, n: number) => post(proxy, agent, { tool, operation, n });
  try {
    // Sockets, compiled code and a grown heap are there with or without approvals.
    for (let round = 0; round < 3; round++)
      await Promise.all(Array.from({ length: holds }, (_, n) => call('read_only', 'read', n)));
    await latency(call, calls);
    const before = await latency(call, calls);
    const idleMb = await settledRss(proxy.pid);
    const waiting = Array.from({ length: holds }, (_, n) => call('destructive', 'destructive', n));
    for (const each of waiting) each.catch(() => {});
    await untilPending(proxy, holds);
    const heldMb = await settledRss(proxy.pid);
    const during = await latency(call, calls);
    const settleMs = await settle(proxy, waiting);
    return { idleMb, heldMb, before, during, settleMs };
  } finally {
    await agent.destroy();
    await proxy.dispose();
  }
}

interface TestCall {
  tool: string;
  operation: string;
  n: number;
}

async function post(
  { url, key }: RunningProxy,
  dispatcher: Agent,
  { tool, operation, n }: TestCall,
): Promise<string> {
  const name = `call_tool_${operation}`;
  const params = {
    name,
    arguments: {
      name: `up:${tool}`,
      args: { text: `call ${n} `.padEnd(200, '.') },
      intent_operation_type: operation,
    },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    },
  };
  const { body } = await request(`${url}/mcp`, {
    method: 'POST',
    dispatcher,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: n, method: 'tools/call', params }),
  });
  return body.text();
}

async function latency(
  call: (tool: string, operation: string, n: number) => Promise<string>,
  calls: number,
): Promise<Latency> {
  const times: number[] = [];
  const start = performance.now();
  const lane = async () => {
    for (let i = 0; i < calls / LANES; i++) {
      const began = performance.now();
      const answer = await call('read_only', 'read', i);
      if (!answer.includes('"result"')) throw new Error(`unexpected answer: ${answer.slice(0, 300)}`);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const sorted = times.sort((a, b) => a - b);
  return {
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    perSecond: (times.length * 1000) / (performance.now() - start),
  };
}

/** The lowest value within some seconds, so that garbage does not count. */
async function settledRss(pid: number): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 20; i++) {
    await sleep(250);
    lowest = Math.min(lowest, rssMb(pid));
  }
  return lowest;
}

async function untilPending({ rest }: RunningProxy, holds: number): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if ((await rest.request('status', {})).approvals.pending >= holds) return;
    await sleep(100);
  }
  throw new Error('the calls do not wait');
}

/** Denies all of them and waits until every caller has its answer. */
async function settle({ rest }: RunningProxy, waiting: Array<Promise<string>>): Promise<number> {
  const start = performance.now();
  for (;;) {
    // Few at a time, because the waiting calls use almost all connections.
    const { approvals } = await rest.request('listApprovals', { status: 'pending', limit: 10 });
    if (approvals.length === 0) break;
    await Promise.all(
      approvals.map(({ id }) => rest.request('decideApproval', { id, body: { decision: 'deny' } })),
    );
  }
  const answers = await Promise.all(waiting);
  const wrong = answers.filter((answer) => !answer.includes('APPROVAL_DENIED'));
  if (wrong.length > 0)
    throw new Error(`${wrong.length} were not told of the denial: ${wrong[0]!.slice(0, 300)}`);
  return performance.now() - start;
}
