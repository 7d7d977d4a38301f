import type { Facts, Head } from '../../../log/index.ts';

/** The position of a reader in each activity log: the last entry that it has seen, and when that was written. */
export type Positions = Map<string, { n: number; time: number }>;

/** A parsed event id. Any proxy on the same database can resume activity from it; other events only the proxy that issued it. */
export interface EventId {
  /** When the id was issued, in milliseconds. */
  time: number;
  logs: Map<string, number>;
  /** The run of the proxy that issued it, and the number of its last event that is not an activity. */
  run: string;
  number: number;
}

/** A log without entries for this long is left out of ids: its later entries are newer than the id minus this. */
const QUIET_MS = 86_400_000;
const MAX_LOGS = 200;
const MAX_LENGTH = 8_192;
const FORM = /^([0-9a-z]{1,11})-([0-9a-z]{1,20})-([0-9a-z]{1,11})((?:\.[0-9A-Za-z_]{1,40}:[0-9a-z]{1,11})*)$/;

export function eventId(positions: Positions, at: { time: number; run: string; number: number }): string {
  const alive = [...positions].filter(([, { time }]) => time > at.time - QUIET_MS);
  if (alive.length > MAX_LOGS) alive.sort(([, a], [, b]) => b.time - a.time).splice(MAX_LOGS);
  const logs = alive.map(([log, { n }]) => `.${log}:${n.toString(36)}`);
  return `${at.time.toString(36)}-${at.run}-${at.number.toString(36)}${logs.join('')}`;
}

export function parseEventId(text: string): EventId | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, time, run, number, logs] = FORM.exec(text) ?? [];
  if (time === undefined) return undefined;
  const pairs = logs!.split('.').slice(1);
  return {
    time: parseInt(time, 36),
    run: run!,
    number: parseInt(number!, 36),
    logs: new Map(
      pairs.map((pair) => {
        const [log, n] = pair.split(':');
        return [log!, parseInt(n!, 36)];
      }),
    ),
  };
}

const LAST_ENTRIES = 50;

/**
 * The positions of a reader that has seen everything up to an id; undefined where they are not known: the id is of another database, or
 * retention has removed later entries.
 */
export async function resumePositions(
  { time, logs }: EventId,
  heads: readonly Head[],
  facts: Pick<Facts, 'after'>,
): Promise<Positions | undefined> {
  const known = new Map(heads.map((head) => [head.log, head]));
  const positions: Positions = new Map();
  for (const [log, n] of logs) {
    const head = known.get(log);
    if (!head || n > head.n || n < head.first - 1) return undefined;
    positions.set(log, { n, time });
  }
  for (const head of heads)
    if (!logs.has(head.log))
      positions.set(head.log, { n: await lastBefore(head, time - QUIET_MS, facts), time });
  return positions;
}

/** The last entry of a log that was written at this time or before. */
async function lastBefore(head: Head, time: number, facts: Pick<Facts, 'after'>): Promise<number> {
  if (head.time <= time) return head.n;
  // It is nearly always among the last entries.
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
