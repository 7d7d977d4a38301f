import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { PostgresServer } from '../fixtures/postgres-server.ts';

/** Stops all processes of the server, until the returned function is called. */
export function pauseServer({ dataDir }: PostgresServer): () => void {
  const first = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  // The first one stops first, so that it starts no others meanwhile.
  send('SIGSTOP', [first]);
  const others = childrenOf(first);
  send('SIGSTOP', others);
  return () => send('SIGCONT', [first, ...others]);
}

function send(signal: NodeJS.Signals, pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    // The name of the program, in parentheses, may contain anything.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return Number(parent);
  } catch {
    return undefined;
  }
}

/** A server whose disk is full may end. */
export async function restartIfDown(server: PostgresServer): Promise<void> {
  const client = new pg.Client({
    connectionString: server.url('postgres'),
    connectionTimeoutMillis: 30_000,
    query_timeout: 30_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    await client.end();
  } catch {
    await server.stop('hard');
    await server.start();
  }
}
