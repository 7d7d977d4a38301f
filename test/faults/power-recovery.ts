import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config } from '../../src/contract/config.ts';
import { openDatabase } from '../../src/db/database.ts';
import { createLog } from '../../src/lib/log.ts';
import { createActivity } from '../../src/log/log.ts';
import { startProxy } from '../e2e/start-proxy.ts';
import type { Recorded } from './power-record.ts';

export interface Found {
  verdict: string;
  /** Status of each call that the log knows. */
  statuses: Map<string, string>;
}

/** The program's own recovery and verification, in this process: to start one for each of some hundred cuts takes too long. */
export function createRecovery(): (dataDir: string) => Promise<Found> {
  const settings = Config.parse({}).activity;
  const log = createLog('silent');
  return async (dataDir) => {
    const db = await openDatabase({ file: join(dataDir, 'mcpproxy.db'), log });
    if (db.engine !== 'sqlite') throw new Error('not SQLite');
    const activity = await createActivity({
      db,
      dataDir,
      settings: () => settings,
      clock: { now: Date.now },
      log,
    });
    const statuses = new Map<string, string>();
    for await (const each of activity.export({ type: 'tool_call' })) note(statuses, each);
    const { verdict } = await activity.verify();
    await activity.close();
    await db.close();
    return { verdict, statuses };
  };
}

function note(
  statuses: Map<string, string>,
  { arguments: args, status }: { arguments?: unknown; status: string },
): void {
  const { nonce } = args as { nonce?: string };
  if (nonce !== undefined) statuses.set(nonce, status);
}

/** The same by the whole program. */
export async function startOn(home: string): Promise<Found> {
  const proxy = await startProxy({ home });
  try {
    const statuses = new Map<string, string>();
    const { body } = await proxy.rest.open(
      'exportActivity',
      { type: 'tool_call' },
      { signal: AbortSignal.timeout(60_000) },
    );
    for (const line of (await new Response(body).text()).split('\n').filter(Boolean))
      note(statuses, JSON.parse(line) as Parameters<typeof note>[1]);
    const { verdict } = await proxy.rest.request('verifyActivity', {});
    return { verdict, statuses };
  } finally {
    await proxy.stop();
  }
}

export function layOut(home: string, files: Map<string, Buffer>, { keys, configFile }: Recorded): string {
  const dataDir = join(home, '.mcpproxy');
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  for (const [name, data] of [...keys, ...files]) writeFileSync(join(dataDir, name), data, { mode: 0o600 });
  writeFileSync(join(home, 'mcp_config.json'), configFile, { mode: 0o600 });
  return dataDir;
}
