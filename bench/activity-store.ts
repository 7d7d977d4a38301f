import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createActivity } from '../src/log/log.ts';
import type { Activity } from '../src/log/activity.ts';
import type { RecordDraft } from '../src/log/record/record.ts';
import { openDatabase } from '../src/db/database.ts';
import type { SqliteDatabase } from '../src/db/sqlite/database.ts';
import type { SqliteHandle } from '../src/db/sqlite/sqlite.ts';
import { systemClock, newId } from '../src/lib/clock.ts';
import { createLog } from '../src/lib/log.ts';

export interface BenchLog {
  dir: string;
  db: SqliteDatabase;
  activity: Activity;
  remove(): Promise<void>;
}

export const settings = () => ({
  retention_days: 90,
  max_records: 100_000_000,
  max_size_mb: 102_400,
  keep_changes_days: 30,
  max_arguments_bytes: 65_536,
  max_response_bytes: 65_536,
  when_unavailable: 'refuse' as const,
});

/** A log as the program has it, in a directory of its own. */
export async function openBenchLog(open?: (file: string) => SqliteHandle): Promise<BenchLog> {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-bench-'));
  const log = createLog('silent');
  const db = await openDatabase({ file: join(dir, 'activity.db'), log, ...(open && { open }) });
  const activity = await createActivity({
    db,
    dataDir: dir,
    settings,
    clock: systemClock,
    log,
  });
  return {
    dir,
    db,
    activity,
    async remove() {
      await activity.close();
      await db.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export const RESPONSE = {
  content: [{ type: 'text', text: 'Echo: the quick brown fox jumps over the lazy dog' }],
};

export function readDraft(writer: number): RecordDraft {
  return {
    type: 'tool_call',
    source: 'mcp',
    server_name: 'echo',
    tool_name: `tool_${writer % 8}`,
    arguments: { message: 'the quick brown fox jumps over the lazy dog', count: 3 },
    request_id: newId(),
    session_id: `session-${writer}`,
    client: 'bench 1.0',
    operation_type: 'read',
    metadata: { tool_variant: 'call_tool_read', intent: { operation_type: 'read', reason: 'measure' } },
  };
}

/** One read: opened and closed, durable when it resolves. */
export async function append(activity: Activity, writer: number): Promise<void> {
  await activity.open(readDraft(writer)).close({ status: 'success', response: RESPONSE });
}
