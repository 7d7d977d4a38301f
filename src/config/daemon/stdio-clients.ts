import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, startOf, type ProcessIdentity } from './process-identity.ts';

/** One file for each `mcpproxy stdio` that uses the daemon of the data directory. */
const FOLDER = 'stdio';

/** Tells the daemon that this process needs it. The returned function takes that back. */
export function announceClient(dataDir: string): () => void {
  const file = join(dataDir, FOLDER, `${process.pid}.json`);
  mkdirSync(join(dataDir, FOLDER), { recursive: true, mode: 0o700 });
  const me: ProcessIdentity = { pid: process.pid, ...startOf(process.pid) };
  writeFileSync(file, JSON.stringify(me), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** The processes that need the daemon. Files of processes that ended without notice are removed. */
export function countClients(dataDir: string): number {
  const folder = join(dataDir, FOLDER);
  return filesIn(folder).filter((name) => {
    if (isClient(join(folder, name))) return true;
    rmSync(join(folder, name), { force: true });
    return false;
  }).length;
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A file that is being written is counted: it is complete by the next time. */
function isClient(file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8');
    return text === '' || isAlive(JSON.parse(text) as ProcessIdentity);
  } catch {
    return false;
  }
}
