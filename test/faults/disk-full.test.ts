import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ErrorBody } from '../../src/contract/errors.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';

/** A disk of a few megabytes needs the right to mount one. Without it, a limit on the size of files stands in. */
interface SmallDisk {
  kind: 'tmpfs' | 'prlimit';
  fill(proxy: RunningProxy): void;
  free(proxy: RunningProxy): void;
  remove(): void;
}

const home = mkdtempSync(join(tmpdir(), 'mcpproxy-full-'));
const dataDir = join(home, '.mcpproxy');
const executions = join(home, 'executions.jsonl');
const configFile = join(home, 'mcp_config.json');
const configure = (whenUnavailable: string) =>
  writeFileSync(
    configFile,
    JSON.stringify({
      activity: { when_unavailable: whenUnavailable },
      mcpServers: { up: fixture('annotated.mjs', '--log', executions) },
    }),
    { mode: 0o600 },
  );
let disk: SmallDisk;
let proxy: RunningProxy;

function mounted(): SmallDisk | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=700', 'tmpfs', dataDir], { stdio: 'pipe' });
  } catch {
    return null;
  }
  const ballast = join(dataDir, 'ballast');
  return {
    kind: 'tmpfs',
    fill() {
      const { bavail, bsize } = statfsSync(dataDir);
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    },
    free: () => rmSync(ballast),
    remove: () => void execFileSync('umount', [dataDir]),
  };
}

function limited(): SmallDisk {
  const limit = (pid: number, size: string) =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:unlimited`]);
  return {
    kind: 'prlimit',
    fill: ({ pid }) => void limit(pid, '4096'),
    free: ({ pid }) => void limit(pid, 'unlimited'),
    remove: () => {},
  };
}

beforeAll(async () => {
  await mkdir(dataDir, { mode: 0o700 });
  disk = mounted() ?? limited();
  configure('refuse');
  proxy = await startProxy({ home });
});
afterAll(async () => {
  await proxy.stop();
  disk.remove();
  rmSync(home, { recursive: true, force: true });
});

const executed = () =>
  existsSync(executions) ? readFileSync(executions, 'utf8').trim().split('\n').filter(Boolean) : [];

async function call(operation: 'read' | 'write', bytes: number): Promise<string> {
  const response = await fetch(`${proxy.url}/api/v1/tools/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${proxy.key}` },
    body: JSON.stringify({
      tool_variant: `call_tool_${operation}`,
      name: operation === 'read' ? 'up:read_only' : 'up:writer_not_destructive',
      args: { text: 'x'.repeat(bytes) },
      intent: { operation_type: operation },
    }),
  });
  return response.ok ? 'ok' : ((await response.json()) as ErrorBody).error.code;
}

const readyz = async () => {
  const response = await fetch(`${proxy.url}/readyz`);
  return [response.status, ((await response.json()) as { log: string }).log];
};

test('a full disk: changes are refused and not made, reads follow the setting, and it goes on when there is room', async () => {
  expect([await call('write', 100), await call('read', 100)]).toEqual(['ok', 'ok']);
  disk.fill(proxy);
  await poll(
    'the disk to be full',
    proxy.stderr,
    async () => (await call('write', 100_000)) === 'AUDIT_UNAVAILABLE' || undefined,
  );

  const before = executed().length;
  expect(await call('write', 100_000)).toBe('AUDIT_UNAVAILABLE');
  expect(await call('read', 100_000)).toBe('AUDIT_UNAVAILABLE');
  expect(executed().length).toBe(before);
  expect(await readyz()).toEqual([503, 'unavailable']);
  expect((await proxy.rest.request('status', {})).activity).toMatchObject({ log: 'unavailable' });

  configure('allow_reads');
  await poll(
    'reads to be let through',
    proxy.stderr,
    async () => (await call('read', 100_000)) === 'ok' || undefined,
  );
  expect(await call('write', 100_000)).toBe('AUDIT_UNAVAILABLE');
  expect((await proxy.rest.request('status', {})).activity.waiting).toBeGreaterThan(0);

  disk.free(proxy);
  await poll(
    'the log to be written again',
    proxy.stderr,
    async () => (await readyz())[0] === 200 || undefined,
  );
  expect(await call('write', 100)).toBe('ok');
  await poll('what waited to be written', proxy.stderr, async () => {
    const { activity } = await proxy.rest.request('status', {});
    return (activity.waiting === 0 && activity.lost === 0) || undefined;
  });
  const { total } = await proxy.rest.request('listActivity', { type: 'tool_call', status: 'success' });
  expect(total).toBe(executed().length);
  expect(await proxy.rest.request('verifyActivity', {})).toMatchObject({ verdict: 'intact' });
  console.log(`the disk was made small by ${disk.kind}`);
}, 120_000);
