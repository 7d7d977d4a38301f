import { useSyncExternalStore } from 'react';

const STEPS: ReadonlyArray<[limit: number, unit: Intl.RelativeTimeFormatUnit, ms: number]> = [
  [60_000, 'second', 1000],
  [3_600_000, 'minute', 60_000],
  [86_400_000, 'hour', 3_600_000],
  [30 * 86_400_000, 'day', 86_400_000],
  [Infinity, 'month', 30 * 86_400_000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
/** With the time zone, which is that of the browser. */
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
/** Hours and minutes of the browser's day, as in 12:56. */
export const clockTime = (time: number): string => clock.format(time);

export function relativeTime(time: number, now: number): string {
  const ms = time - now;
  if (Math.abs(ms) < 2000) return 'now';
  const [, unit, size] = STEPS.find(([limit]) => Math.abs(ms) < limit)!;
  return relative.format(Math.round(ms / size), unit);
}

let now = Date.now();
const watchers = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const watcher of watchers) watcher();
}, 1000);

/** The current time, from one timer for all components. */
export function useNow(): number {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    () => now,
  );
}

/** For evidence: the exact time, with its zone. */
export function ExactTime({ at }: { at: string }) {
  return <time dateTime={at}>{exact.format(Date.parse(at))}</time>;
}

/** Relative, with the exact time on hover. */
export function Time({ at }: { at: string }) {
  const current = useNow();
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={exact.format(time)}>
      {relativeTime(time, current)}
    </time>
  );
}
