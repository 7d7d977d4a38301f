import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce } from './calls.ts';
import { diskEvents, type DiskEvent } from './power-trace.ts';

const FILES = ['mcpproxy.db', 'mcpproxy.db-wal', 'checkpoints.log'];
const KEYS = ['activity-key.pem', 'activity-key.pub', 'api_key', 'proxy-id', 'row-key'];
const TRACED = 'trace=write,writev,pwrite64,sendto,sendmsg,fsync,fdatasync,ftruncate';
/** The write-ahead log is folded into the database when it has 4,000 pages. */
const NEARLY_FULL = 3_700 * 4_096;

export const isWrite = (nonce: string) => Number.parseInt(nonce.slice(6), 16) % 2 === 0;

async function call(proxy: RunningProxy, n: number): Promise<void> {
  const nonce = `nonce-${n.toString(16).padStart(8, '0')}`;
  const operation = isWrite(nonce) ? 'write' : 'read';
  await callOnce(proxy, isWrite(nonce) ? 'up:writer_not_destructive' : 'up:read_only', {
    operation,
    args: { nonce },
  });
}

async function trace(proxy: RunningProxy, file: string): Promise<ChildProcess> {
  const how = ['-f', '-ttt', '-T', '-yy', '-xx', '-s', '200000', '-e', TRACED];
  const strace = spawn('strace', [...how, '-o', file, '-p', String(proxy.pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = await Promise.race([
    once(strace.stderr, 'data').then(([text]) => String(text)),
    once(strace, 'error').then(([error]) => (error as Error).message),
  ]);
  if (!said.includes('attached')) throw new NotTraced(said.trim());
  return strace;
}

/** This machine does not let us look. */
export class NotTraced extends Error {}

export interface Recorded {
  before: Map<string, Buffer>;
  keys: Map<string, Buffer>;
  events: DiskEvent[];
  configFile: Buffer;
}

/** Everything that the built program writes, syncs, sends and answers during some calls. */
export async function record(calls: number, fold: boolean): Promise<Recorded> {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-power-'));
  const file = join(dir, 'trace');
  const proxy = await startProxy({ config: { mcpServers: { up: fixture('annotated.mjs') } } });
  try {
    const inData = (name: string) => join(proxy.dataDir, name);
    const fillTo = fold ? NEARLY_FULL : 0;
    while (statSync(inData('mcpproxy.db-wal')).size < fillTo)
      await callOnce(proxy, 'up:read_only', { args: { text: 'x'.repeat(50_000) } });
    const strace = await trace(proxy, file);
    execFileSync('sync', ['-f', proxy.dataDir]);
    const read = (names: string[]) =>
      new Map(
        names.flatMap((name) =>
          existsSync(inData(name)) ? [[name, readFileSync(inData(name))] as const] : [],
        ),
      );
    const before = read(FILES);
    let next = 0;
    const caller = async () => {
      for (let n = next++; n < calls; n = next++) await call(proxy, n);
    };
    await Promise.all(Array.from({ length: 4 }, caller));
    const ended = once(strace, 'exit');
    strace.kill('SIGINT');
    await ended;
    const events = inOrder([...diskEvents(readFileSync(file, 'latin1'), proxy.dataDir)]);
    return { before, keys: read(KEYS), events, configFile: readFileSync(proxy.configFile) };
  } finally {
    await proxy.dispose();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A write counts from its first moment, a sync when it has returned; what leaves us has left when the call begins. */
function inOrder(events: DiskEvent[]): DiskEvent[] {
  const moment = (event: DiskEvent) => (event.kind === 'sync' ? event.end : event.start);
  return events.toSorted((a, b) => moment(a) - moment(b));
}
