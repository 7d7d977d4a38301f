import { setTimeout as pause } from 'node:timers/promises';
import { counted } from '../../../../lib/visible-text.ts';
import type { ServerView } from '../../../../contract/status.ts';
import { hint, type Context, type Reached } from '../../context.ts';
import type { ImportRow } from './rows.ts';

const WAIT_MS = 30_000;
const STEP_MS = 250;

export interface Started {
  summary: string;
  /** Why servers do not run, by alias. */
  failures: Map<string, string>;
}

/** Waits until the new servers were tried, up to a time limit, and says how many are ready. */
export async function stateSummary(
  context: Context,
  { request, embedded, signal }: Reached,
  added: readonly ImportRow[],
): Promise<Started> {
  const failures = new Map<string, string>();
  const count = `${counted(added.length, 'server')} added`;
  if (added.length === 0) return { summary: '', failures };
  if (embedded) return { summary: `${count}. They start with the proxy: mcpproxy serve`, failures };
  const names = new Set(added.flatMap(({ planned }) => (planned ? [planned.alias] : [])));
  hint(context, 'Starting the servers…');
  const end = context.io.now() + WAIT_MS;
  for (;;) {
    const { servers } = await request('listServers', {});
    const mine = servers.filter(({ name }) => names.has(name));
    const waiting = mine.filter(({ state }) => state === 'connecting').length;
    if (waiting === 0 || context.io.now() >= end || signal.aborted) return summaryOf(mine, count);
    await pause(STEP_MS);
  }
}

function summaryOf(servers: readonly ServerView[], count: string): Started {
  const failures = new Map(
    servers
      .filter(({ state }) => state === 'failed')
      .map(({ name, last_error: error = 'unknown reason' }) => [name, error]),
  );
  const counts = new Map<string, number>();
  for (const { state } of servers) if (state !== 'failed') counts.set(state, (counts.get(state) ?? 0) + 1);
  const words = [...counts].map(([state, count]) => `${count} ${state}`);
  if (failures.size > 0) words.push(`${failures.size} did not start (${[...failures.keys()].join(', ')})`);
  const next = failures.size > 0 ? 'What to do: mcpproxy doctor' : 'See them with: mcpproxy upstream list';
  return { summary: `${count}: ${words.join(', ')}. ${next}.`, failures };
}
