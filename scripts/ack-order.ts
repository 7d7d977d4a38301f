/**
 * Did every acknowledged change reach the disk before its answer left? Runs the built program under strace, makes calls that carry a nonce
 * each, and reads the order of system calls: the record is written, fdatasync returns, the answer is sent.
 *
 *   npm run build && node --import tsx scripts/ack-order.ts [calls]
 *
 * Needs Linux and strace. Exit code 0: all in order, 1: violations, 2: this machine cannot trace.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProxy, type RunningProxy } from '../test/e2e/start-proxy.ts';
import { fixture } from '../test/fixtures/start.ts';
import { judgeTrace } from './trace-order.ts';

const CALLS = Number(process.argv[2] ?? 300);
const CALLERS = 8;
const KINDS = [
  { operation: 'write', tool: 'writer_not_destructive' },
  { operation: 'destructive', tool: 'destructive' },
  { operation: 'read', tool: 'read_only' },
] as const;

async function attach(pid: number, file: string): Promise<ChildProcess> {
  const calls = 'trace=write,writev,pwrite64,pwritev,sendto,sendmsg,fsync,fdatasync';
  const strace = spawn(
    'strace',
    ['-f', '-ttt', '-T', '-yy', '-s', '65535', '-e', calls, '-o', file, '-p', String(pid)],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const failed = once(strace, 'error').then(([error]) => Promise.reject(error as Error));
  const said = once(strace.stderr, 'data').then(([text]) => String(text));
  const text = await Promise.race([said, failed]);
  if (!text.includes('attached')) throw new Error(`strace: ${text.trim()}`);
  return strace;
}

async function makeCalls(proxy: RunningProxy): Promise<void> {
  let next = 0;
  const caller = async () => {
    for (let i = next++; i < CALLS; i = next++) {
      const { operation, tool } = KINDS[i % KINDS.length]!;
      const nonce = `nonce-${i.toString(16).padStart(16, '0')}`;
      const body = {
        tool_variant: `call_tool_${operation}`,
        name: `up:${tool}`,
        args: { nonce },
        intent: { operation_type: operation },
      } as const;
      await proxy.rest.request('callTool', { body });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-order-'));
const trace = join(dir, 'trace.txt');
const proxy = await startProxy({ config: { mcpServers: { up: fixture('annotated.mjs') } } });
try {
  const strace = await attach(proxy.pid, trace);
  await makeCalls(proxy);
  const ended = once(strace, 'exit');
  strace.kill('SIGINT');
  await ended;
  const kindOf = (nonce: string) => KINDS[Number.parseInt(nonce.slice(6), 16) % KINDS.length]!;
  const { answers, dispatched, records, syncs, violations } = judgeTrace(readFileSync(trace, 'utf8'), {
    logPath: join(proxy.dataDir, 'mcpproxy.db'),
    nonce: /nonce-[0-9a-f]{16}/g,
    isChange: (nonce) => kindOf(nonce).operation !== 'read',
  });
  console.log(
    `answers ${answers}  dispatched ${dispatched}  records ${records}  syncs ${syncs}  violations ${violations.length}`,
  );
  for (const text of violations.slice(0, 5)) console.log(`  ${text}`);
  process.exitCode = answers === 0 || violations.length > 0 ? 1 : 0;
} catch (error) {
  console.error(`cannot check: ${(error as Error).message}`);
  process.exitCode = 2;
} finally {
  await proxy.dispose();
  rmSync(dir, { recursive: true, force: true });
}
