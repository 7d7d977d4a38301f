/**
 * What happens when the disk fails to sync. Runs the built program, lets strace make every fsync and fdatasync fail with EIO for a while,
 * and looks at what is refused, what is executed, and how it comes back.
 *
 *   npm run build && node --import tsx scripts/faults-fsync.ts
 *
 * Needs Linux and strace. Exit code 0: as promised, 1: not, 2: could not be tried.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { poll, startProxy } from '../test/e2e/start-proxy.ts';
import { fixture } from '../test/fixtures/start.ts';

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-fsync-'));
const executions = join(dir, 'executions.jsonl');
const proxy = await startProxy({
  config: { mcpServers: { up: fixture('annotated.mjs', '--log', executions) } },
});
let sure = true;

function report(what: string, holds: boolean): void {
  sure &&= holds;
  console.log(`${holds ? 'yes' : 'NO '}  ${what}`);
}

async function call(nonce: string): Promise<string> {
  const body = {
    tool_variant: 'call_tool_write',
    name: 'up:writer_not_destructive',
    args: { nonce },
    intent: { operation_type: 'write' },
  } as const;
  const answer = await proxy.rest
    .request('callTool', { body })
    .catch((error: { code?: string }) => error.code ?? 'failed');
  return typeof answer === 'string' ? answer : 'ok';
}

const executed = (nonce: string) => readFileSync(executions, 'utf8').includes(nonce);
const ready = async () => (await fetch(`${proxy.url}/readyz`)).status;

try {
  report('a change is made while the disk works', (await call('before')) === 'ok');
  const inject = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:error=EIO'];
  const strace = spawn('strace', ['-f', '-o', '/dev/null', ...inject, '-p', String(proxy.pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await Promise.race([
    once(strace.stderr, 'data'),
    once(strace, 'error').then(([error]) => Promise.reject(error as Error)),
  ]);
  const answers = [await call('during-1'), await call('during-2'), await call('during-3')];
  report(
    `changes are refused while it does not: ${answers.join(', ')}`,
    answers.every((code) => code === 'AUDIT_UNAVAILABLE'),
  );
  report('none of them was made', !executed('during'));
  report('/readyz says 503', (await ready()) === 503);
  const { activity } = await proxy.rest.request('status', {});
  report(`status says why: ${activity.reason ?? ''}`, activity.log === 'unavailable');
  const ended = once(strace, 'exit');
  strace.kill('SIGINT');
  await ended;
  await poll('the log to be written again', proxy.stderr, async () => (await ready()) === 200 || undefined);
  report('it is ready again without a restart', true);
  report('a change is made again', (await call('after')) === 'ok');
  const { verdict, records } = await proxy.rest.request('verifyActivity', {});
  report(`the log verifies: ${verdict}, ${records} records`, verdict === 'intact');
  process.exitCode = sure ? 0 : 1;
} catch (error) {
  console.error(`could not be tried: ${(error as Error).message}`);
  process.exitCode = 2;
} finally {
  await proxy.dispose();
  rmSync(dir, { recursive: true, force: true });
}
