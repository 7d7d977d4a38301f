import type { Log } from '../lib/log.ts';

const CHECK_MS = 250;
const STALL_MS = 1000;
/** How long a stall is shown after it ended. */
const SHOWN_MS = 60_000;

export interface EventLoopWatch {
  /** Since the start. */
  count(): number;
  /** The last one, while it is recent. */
  recent(): { at: string; ms: number } | undefined;
  stop(): void;
}

/** Watches for a blocked event loop: a timer that is a second late means that every caller waited for that long. */
export function watchEventLoop({
  log,
  now = () => performance.now(),
}: {
  log: Log;
  now?: () => number;
}): EventLoopWatch {
  let count = 0;
  let last: { at: string; ms: number; seen: number } | undefined;
  let due = now() + CHECK_MS;
  const timer = setInterval(() => {
    const late = now() - due;
    due = now() + CHECK_MS;
    if (late < STALL_MS) return;
    count++;
    last = { at: new Date().toISOString(), ms: Math.round(late), seen: now() };
    log.warn({ ms: last.ms }, 'the event loop was blocked');
  }, CHECK_MS);
  timer.unref();
  return {
    count: () => count,
    recent: () => (last && now() - last.seen < SHOWN_MS ? { at: last.at, ms: last.ms } : undefined),
    stop: () => clearInterval(timer),
  };
}
