import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, startOf, type ProcessIdentity } from './process-identity.ts';

/** Names the `mcpproxy serve` that waits for the data directory. Only its owner can write there, so the file needs no further proof. */
const NAME = 'successor.json';

/** Asks the daemon in the background to end, and everybody else to wait. The returned function takes that back. */
export function announceSuccessor(dataDir: string): () => void {
  const file = join(dataDir, NAME);
  const me: ProcessIdentity = { pid: process.pid, ...startOf(process.pid) };
  writeFileSync(file, JSON.stringify(me), { mode: 0o600 });
  return () => {
    if (readSuccessor(dataDir)?.pid === process.pid) rmSync(file, { force: true });
  };
}

/** Whether a process that is alive waits for the data directory. */
export function hasSuccessor(dataDir: string): boolean {
  const successor = readSuccessor(dataDir);
  return successor !== undefined && isAlive(successor);
}

/** Undefined also for a file that is being written: it is complete by the next time. */
function readSuccessor(dataDir: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, NAME), 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
