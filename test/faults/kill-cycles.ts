import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import type { Client } from '../../src/contract/routes/client.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { pause } from './calls.ts';

export interface KillResult {
  cycles: number;
  acknowledged: number;
  executed: number;
  /** Acknowledged calls without a record that says how they ended. */
  lost: string[];
  /** Changes that ran and left no record. */
  traceless: string[];
  twice: string[];
  unknown: number;
  verdict: string;
  /** From the start of the process until /readyz says yes, in ms. */
  readyMs: number[];
}

const KINDS = [
  { tool: 'read_only', variant: 'call_tool_read', operation: 'read' },
  { tool: 'writer_not_destructive', variant: 'call_tool_write', operation: 'write' },
  { tool: 'destructive', variant: 'call_tool_destructive', operation: 'destructive' },
] as const;
const CALLERS = 6;

/** The built program with a server that writes down what it executes, killed under load at random moments, again and again. */
export async function killCycles(
  cycles: number,
  settings: { database_url?: string } = {},
): Promise<KillResult> {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-kill-'));
  const log = join(dir, 'executions.jsonl');
  const config = { ...settings, mcpServers: { up: fixture('annotated.mjs', '--log', log) } };
  const acknowledged = new Set<string>();
  const readyMs: number[] = [];
  let proxy: RunningProxy | undefined;
  try {
    for (let cycle = 0; cycle < cycles; cycle++) {
      const start = performance.now();
      proxy = await startProxy(proxy ? { home: proxy.home } : { config });
      readyMs.push(Math.round(performance.now() - start));
      await loadUntilKilled(proxy, cycle, acknowledged);
    }
    proxy = await startProxy({ home: proxy!.home });
    const executed = existsSync(log)
      ? lines<{ tool: string; args: { nonce?: string } }>(readFileSync(log, 'utf8'))
      : [];
    return { cycles, readyMs, ...(await judge(proxy, acknowledged, executed)) };
  } finally {
    await proxy?.dispose();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function loadUntilKilled(proxy: RunningProxy, cycle: number, acknowledged: Set<string>): Promise<void> {
  const before = acknowledged.size;
  const dead = { yes: false };
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let i = 0; !dead.yes; i++) {
      const nonce = `nonce-c${cycle}-${caller}-${i}`;
      if (await call(proxy.rest, KINDS[(caller + i) % KINDS.length]!, nonce)) acknowledged.add(nonce);
      else return;
    }
  });
  // Now and then before the first answer; mostly once there are some, however busy the machine is.
  if (cycle % 3) await poll('some answers', proxy.stderr, () => acknowledged.size >= before + 3 || undefined);
  await pause(50 + Math.random() * 450);
  await proxy.stop('SIGKILL');
  dead.yes = true;
  await Promise.all(callers);
}

/** False where no answer came. */
async function call(
  rest: Client,
  { tool, variant, operation }: (typeof KINDS)[number],
  nonce: string,
): Promise<boolean> {
  const body = {
    tool_variant: variant,
    name: `up:${tool}`,
    args: { nonce },
    intent: { operation_type: operation },
  };
  try {
    await rest.request('callTool', { body });
    return true;
  } catch {
    return false;
  }
}

async function judge(
  proxy: RunningProxy,
  acknowledged: Set<string>,
  executed: Array<{ tool: string; args: { nonce?: string } }>,
): Promise<Omit<KillResult, 'cycles' | 'readyMs'>> {
  const { body } = await proxy.rest.open(
    'exportActivity',
    { type: 'tool_call' },
    { signal: AbortSignal.timeout(60_000) },
  );
  const records = lines<ActivityRecord>(await new Response(body).text());
  const nonceOf = (record: ActivityRecord) => (record.arguments as { nonce: string }).nonce;
  const recorded = new Map(records.map((record) => [nonceOf(record), record.status]));
  const runs = new Map<string, number>();
  for (const { args } of executed) if (args.nonce) runs.set(args.nonce, (runs.get(args.nonce) ?? 0) + 1);
  const changes = executed.filter(({ tool, args }) => tool !== 'read_only' && args.nonce);
  const { verdict } = await proxy.rest.request('verifyActivity', {});
  return {
    acknowledged: acknowledged.size,
    executed: executed.length,
    lost: [...acknowledged].filter((nonce) => recorded.get(nonce) !== 'success'),
    traceless: changes.map(({ args }) => args.nonce!).filter((nonce) => !recorded.has(nonce)),
    twice: [...runs].filter(([, n]) => n > 1).map(([nonce]) => nonce),
    unknown: records.filter(({ status }) => status === 'unknown').length,
    verdict,
  };
}

/** A line that the kill cut short is no line. */
function lines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as T);
}
