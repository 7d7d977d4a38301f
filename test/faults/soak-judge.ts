import type { Tally } from '../attacks/attack.ts';
import type { RunningProxy } from '../e2e/start-proxy.ts';
import { median, slopePerHour } from './trend.ts';

export const PER_SECOND = 50;
/** A machine that others use too may not have the time for all of them; fewer than this show nothing. */
const LEAST_PER_SECOND = 15;

export interface Minute {
  at: number;
  rss: number;
  fds: number;
  p50: number;
  p99: number;
  /** p99 of a bare server beside it. */
  bare: number;
  calls: number;
}

export interface Plan {
  seconds: number;
  everySeconds: number;
  disturbMs: number;
  stayMs: number;
  /** How long nobody calls before the descriptors are counted: connections that are kept for later are closed by then. */
  restMs: number;
}

interface Facts {
  plan: Plan;
  minutes: Minute[];
  surprises: string[];
  failures: Map<string, number>;
  /** What went wrong with disturbing the servers. */
  troubles: string[];
  fdsAtRest: [number, number];
  calls: number;
  servers: number;
  came: number;
  disturbances: number;
  half: number;
  end: number;
}

/** Half an hour tells a leak of a few megabytes per hour from none by what lives after a collection; by RSS only larger ones. */
const MOST_LIVE_GROWTH_MB = 3;
const MOST_RSS_SLOPE = 40;

export async function judgeSoak(tally: Tally, proxy: RunningProxy, facts: Facts): Promise<void> {
  const { minutes, surprises, failures, troubles, calls, servers, came, disturbances, half, end } = facts;
  const { plan } = facts;
  const [restBefore, restAfter] = facts.fdsAtRest;
  const later = minutes.slice(Math.floor(minutes.length / 2));
  const thirds = Math.max(1, Math.floor(minutes.length / 3));
  const [early, late] = [minutes.slice(thirds, 2 * thirds), minutes.slice(-thirds)];
  const slope = slopePerHour(later.map(({ at, rss }) => ({ at, value: rss })));
  const [fdsEarly, fdsLate] = [early, late].map((some) => median(some.map(({ fds }) => fds)));
  const [p99Early, p99Late] = [early, late].map((some) => median(some.map(({ p99 }) => p99)));
  const [bareEarly, bareLate] = [early, late].map((some) => median(some.map(({ bare }) => bare)));
  // On a machine that others use too, only what the proxy loses beyond a bare server is its own.
  const drift = p99Late! / p99Early! / Math.max(1, bareLate! / bareEarly!) - 1;
  const long = plan.seconds >= 600;
  tally.held(
    surprises.length === 0,
    `${surprises.length} errors that nothing explains: ${surprises.slice(0, 8).join('; ')}`,
  );
  tally.held(calls >= plan.seconds * LEAST_PER_SECOND, `only ${calls} calls were made`);
  tally.held(
    end - half < MOST_LIVE_GROWTH_MB,
    `what lives grew from ${half} to ${end} MB in the second half`,
  );
  if (long) {
    tally.held(restAfter - restBefore <= 5, `descriptors at rest: ${restBefore} and then ${restAfter}`);
    tally.held(slope < MOST_RSS_SLOPE, `memory grows by ${slope.toFixed(1)} MB per hour`);
    tally.held(drift < 0.1 || p99Late! - p99Early! < 5, `p99 ${p99Early} ms and then ${p99Late} ms`);
    const { total } = await proxy.rest.request('listActivity', { limit: 1 });
    tally.held(total < calls / 2, `retention left ${total} records`);
  }
  const { verdict } = await proxy.rest.request('verifyActivity', {});
  tally.held(verdict === 'intact', `the log: ${verdict}`);
  const last = minutes.at(-1)!;
  tally.figure(
    `${troubles.length > 0 ? `(${troubles.length} disturbances came to nothing: ${troubles[0]}) ` : ''}${calls} calls in ${plan.seconds} s (${(calls / plan.seconds).toFixed(1)}/s), ${servers} servers disturbed ${disturbances} times, ${came} clients came and went, ${surprises.length} unexplained errors (${JSON.stringify(Object.fromEntries(failures))} while a server was away)`,
  );
  tally.figure(
    `RSS ${minutes[0]!.rss} → ${last.rss} MB${long ? `, slope of the second half ${slope.toFixed(1)} MB/h` : ''}; live after collection ${half.toFixed(1)} → ${end.toFixed(1)} MB; descriptors ${fdsEarly} → ${fdsLate}${long ? ` at work, ${restBefore} → ${restAfter} at rest` : ''}; p99 ${p99Early!.toFixed(1)} → ${p99Late!.toFixed(1)} ms (a bare server ${bareEarly!.toFixed(1)} → ${bareLate!.toFixed(1)} ms); the log is ${verdict}`,
  );
}
