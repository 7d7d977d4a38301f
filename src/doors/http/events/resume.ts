import type { Facts, Head } from '../../../log/index.ts';
import { QUIET_MS, type EventId, type Places } from './event-id.ts';

const LAST_ENTRIES = 50;

/**
 * Where a reader goes on that has seen everything up to an id; undefined where that cannot be told: the id comes from another database,
 * or retention has taken what came after it.
 */
export async function resumeAt(
  { time, logs }: EventId,
  heads: readonly Head[],
  facts: Pick<Facts, 'after'>,
): Promise<Places | undefined> {
  const known = new Map(heads.map((head) => [head.log, head]));
  const places: Places = new Map();
  for (const [log, n] of logs) {
    const head = known.get(log);
    if (!head || n > head.n || n < head.first - 1) return undefined;
    places.set(log, { n, time });
  }
  for (const head of heads)
    if (!logs.has(head.log))
      places.set(head.log, { n: await lastBefore(head, time - QUIET_MS, facts), time });
  return places;
}

/** The last entry of a log that was written at this time or before. */
async function lastBefore(head: Head, time: number, facts: Pick<Facts, 'after'>): Promise<number> {
  if (head.time <= time) return head.n;
  // Nearly always it is among the last ones.
  const begin = Math.max(head.first - 1, head.n - LAST_ENTRIES);
  const last = await facts.after({ log: head.log, n: begin }, LAST_ENTRIES);
  const older = last.filter((fact) => fact.time <= time);
  if (older.length > 0 || begin === head.first - 1) return older.at(-1)?.n ?? begin;
  let [low, high] = [head.first - 1, begin];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [next] = await facts.after({ log: head.log, n: middle }, 1);
    if (!next || next.time > time) high = middle;
    else low = next.n;
  }
  return low;
}
