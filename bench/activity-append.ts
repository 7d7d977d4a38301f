/** What one record costs: open and close of a read call, with masking, JSON, SQLite, indexes and fsync, alone and with 32 callers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createActivity, type Activity } from '../src/activity/activity.ts';
import { openDatabase } from '../src/db/database.ts';
import { systemClock } from '../src/lib/clock.ts';
import { newId } from '../src/lib/ids.ts';
import { createLog } from '../src/lib/log.ts';

const settings = () => ({
  retention_days: 90,
  max_records: 10_000_000,
  max_size_mb: 10_240,
  max_response_bytes: 65_536,
  when_unavailable: 'refuse' as 'refuse' | 'allow_reads',
});
const RESPONSE = { content: [{ type: 'text', text: 'Echo: the quick brown fox jumps over the lazy dog' }] };

async function call(activity: Activity, caller: number, durable: boolean): Promise<void> {
  const record = activity.open({
    type: 'tool_call',
    source: 'mcp',
    server_name: 'echo',
    tool_name: `tool_${caller % 8}`,
    arguments: { message: 'the quick brown fox jumps over the lazy dog', count: 3 },
    request_id: newId(),
    session_id: `session-${caller}`,
    client: 'bench 1.0',
    operation_type: 'read',
    metadata: {
      tool_variant: 'call_tool_read',
      principal: 'operator',
      intent: { operation_type: 'read', reason: 'measure' },
    },
  });
  if (durable) await record.durable();
  await record.close({
    status: 'success',
    response: RESPONSE,
    metadata: { operation: { verdict: 'read', source: 'annotation', inferred: 'read' } },
  });
}

async function measure(activity: Activity, callers: number, calls: number, durable: boolean): Promise<void> {
  const each = Math.ceil(calls / callers);
  const cpu = process.cpuUsage();
  const start = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let i = 0; i < each; i++) await call(activity, caller, durable);
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const used = process.cpuUsage(cpu);
  const n = each * callers;
  const perCall = ((used.user + used.system) / n).toFixed(1);
  console.log(
    `${String(callers).padStart(3)} callers  ${durable ? 'write' : 'read '}  ${Math.round(n / seconds)} records/s  ${perCall} µs CPU per record`,
  );
}

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-bench-'));
const log = createLog('silent');
const db = await openDatabase({ file: join(dir, 'activity.db'), log });
const activity = await createActivity({
  db,
  dataDir: dir,
  settings,
  clock: systemClock,
  log,
});
await measure(activity, 32, 20_000, false);
for (const [callers, calls] of [
  [32, 50_000],
  [1, 5000],
] as const) {
  await measure(activity, callers, calls, false);
  await measure(activity, callers, calls, true);
}
const before = process.cpuUsage();
await activity.list({ q: 'measure' }, { limit: 1 });
const indexing = process.cpuUsage(before);
console.log(`indexing of what was left: ${Math.round((indexing.user + indexing.system) / 1000)} ms CPU`);
console.log(`RSS ${Math.round(process.memoryUsage().rss / 1_048_576)} MB`);
await activity.close();
await db.close();
rmSync(dir, { recursive: true });
