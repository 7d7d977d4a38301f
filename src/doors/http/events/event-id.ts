/** Where a reader is in each log of the activity: the last entry that it has seen, and when that was written. */
export type Places = Map<string, { n: number; time: number }>;

/** What an event id says. Any proxy on the same database can go on from it; events beside the activity only the one that gave it. */
export interface EventId {
  /** When the id was given, in milliseconds. */
  time: number;
  logs: Map<string, number>;
  /** The run of the proxy that gave it, and the last of its events that are not kept. */
  run: string;
  number: number;
}

/** A log that was quiet for this long is left out: whatever it gets later is younger than the id minus this. */
export const QUIET_MS = 86_400_000;
const MAX_LOGS = 200;
const MAX_LENGTH = 8_192;
const FORM = /^([0-9a-z]{1,11})-([0-9a-z]{1,20})-([0-9a-z]{1,11})((?:\.[0-9A-Za-z_]{1,40}:[0-9a-z]{1,11})*)$/;

export function eventId(places: Places, at: { time: number; run: string; number: number }): string {
  const alive = [...places].filter(([, { time }]) => time > at.time - QUIET_MS);
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
