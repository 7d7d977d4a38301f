import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attack, Tally } from '../attacks/attack.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce } from './calls.ts';
import { smallDisk, type SmallDisk } from './small-disk.ts';

interface Stage {
  proxy: RunningProxy;
  disk: SmallDisk;
  /** How many calls reached the server. */
  executed: () => number;
  configure: (whenUnavailable: string) => void;
}

const TOOLS = { read: 'up:read_only', write: 'up:writer_not_destructive' } as const;

async function call({ proxy }: Stage, operation: 'read' | 'write', bytes = 100_000): Promise<string> {
  const args = { text: 'x'.repeat(bytes) };
  return (await callOnce(proxy, TOOLS[operation], { operation, args })).code;
}

async function readyz({ proxy }: Stage): Promise<number> {
  return (await fetch(`${proxy.url}/readyz`)).status;
}

export const diskFull: Attack = {
  threat: 'F05',
  title: 'the disk is full',
  async run(tally) {
    const home = mkdtempSync(join(tmpdir(), 'mcpproxy-full-'));
    const dataDir = join(home, '.mcpproxy');
    const executions = join(home, 'executions.jsonl');
    const configure = (whenUnavailable: string) =>
      writeFileSync(
        join(home, 'mcp_config.json'),
        JSON.stringify({
          activity: { when_unavailable: whenUnavailable },
          mcpServers: { up: fixture('annotated.mjs', '--log', executions) },
        }),
        { mode: 0o600 },
      );
    const executed = () =>
      existsSync(executions) ? readFileSync(executions, 'utf8').split('\n').filter(Boolean).length : 0;
    mkdirSync(dataDir, { mode: 0o700 });
    const disk = smallDisk(dataDir);
    configure('refuse');
    const proxy = await startProxy({ home });
    try {
      await fillAndFree(tally, { proxy, disk, executed, configure });
    } finally {
      await proxy.stop();
      disk.remove();
      rmSync(home, { recursive: true, force: true });
    }
  },
};

async function fillAndFree(tally: Tally, stage: Stage): Promise<void> {
  const { proxy, disk, executed, configure } = stage;
  const expect = (found: unknown, expected: unknown, what: string) =>
    tally.held(found === expected, `${what}: ${String(found)}`);
  const activity = async () => (await proxy.rest.request('status', {})).activity;
  expect(await call(stage, 'write', 100), 'ok', 'a change before');
  expect(await call(stage, 'read', 100), 'ok', 'a read before');
  disk.fill(proxy);
  await poll(
    'the disk to be full',
    proxy.stderr,
    async () => (await call(stage, 'write')) === 'AUDIT_UNAVAILABLE' || undefined,
  );

  const before = executed();
  expect(await call(stage, 'write'), 'AUDIT_UNAVAILABLE', 'a change');
  expect(await call(stage, 'read'), 'AUDIT_UNAVAILABLE', 'a read that must be recorded');
  expect(executed(), before, 'calls that ran unrecorded');
  expect(await readyz(stage), 503, '/readyz');
  expect((await activity()).log, 'unavailable', 'the status');

  configure('allow_reads');
  await poll(
    'reads to be let through',
    proxy.stderr,
    async () => (await call(stage, 'read')) === 'ok' || undefined,
  );
  expect(await call(stage, 'write'), 'AUDIT_UNAVAILABLE', 'a change while reads are let through');
  const { waiting } = await activity();
  tally.held(waiting > 0, 'no record waits for the disk');

  disk.free(proxy);
  const freed = performance.now();
  await poll('the log to be written again', proxy.stderr, async () =>
    (await readyz(stage)) === 200 ? true : undefined,
  );
  const backMs = Math.round(performance.now() - freed);
  expect(await call(stage, 'write', 100), 'ok', 'a change afterwards');
  await poll('what waited to be written', proxy.stderr, async () => {
    const now = await activity();
    return (now.waiting === 0 && now.lost === 0) || undefined;
  });
  const { total } = await proxy.rest.request('listActivity', { type: 'tool_call', status: 'success' });
  expect(total, executed(), 'records of successes');
  const { verdict } = await proxy.rest.request('verifyActivity', {});
  expect(verdict, 'intact', 'the log');
  tally.figure(
    `${disk.kind}; refused and not made; ${waiting} records of reads waited and were written; ready ${backMs} ms after there was room; the log is ${verdict}`,
  );
}
