import type { Log } from '../lib/log.ts';

const LOOK_MS = 250;
const STALL_MS = 1000;
/** How long a stall is shown after it ended. */
const SHOWN_MS = 60_000;

export interface LoopWatch {
  /** Since the process began. */
  count(): number;
  /** The last one, while it is recent. */
  recent(): { at: string; ms: number } | undefined;
  stop(): void;
}

/** A timer that comes a second late means that the process did nothing else for that long; then every caller waited. */
export function watchLoop({
  log,
  now = () => performance.now(),
}: {
  log: Log;
  now?: () => number;
}): LoopWatch {
  let count = 0;
  let last: { at: string; ms: number; seen: number } | undefined;
  let due = now() + LOOK_MS;
  const timer = setInterval(() => {
    const late = now() - due;
    due = now() + LOOK_MS;
    if (late < STALL_MS) return;
    count++;
    last = { at: new Date().toISOString(), ms: Math.round(late), seen: now() };
    log.warn({ ms: last.ms }, 'the process stood still');
  }, LOOK_MS);
  timer.unref();
  return {
    count: () => count,
    recent: () => (last && now() - last.seen < SHOWN_MS ? { at: last.at, ms: last.ms } : undefined),
    stop: () => clearInterval(timer),
  };
}
