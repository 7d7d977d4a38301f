import { newId } from '../lib/ids.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { visibleLine } from '../lib/visible-text.ts';
import type { OpenRecord, RecordDraft } from './recorder.ts';

interface Parts {
  activity: { open(draft: RecordDraft): OpenRecord };
  clock: Clock;
  log: Log;
}

export interface TurnedAway {
  /** A request from this address was answered with OVERLOADED before anything in it was looked at. */
  add(remote: string, firstLine: string): void;
  /** Writes what is counted now. */
  flush(): void;
}

interface Tally {
  count: number;
  firstLine: string;
  since: number;
}

const SPAN_MS = 1_000;
/** Addresses of one second that are told apart. */
const MOST_ADDRESSES = 64;
const OTHERS = 'further addresses';
const MOST_SHOWN = 200;

/**
 * Requests that are turned away at the door: every one counts, in one record for each second and address. Whoever sends them has shown no
 * key yet, and with a record for each could fill the disk and push the records of real calls out of the log.
 */
export function createTurnedAway({ activity, clock, log }: Parts): TurnedAway {
  const tallies = new Map<string, Tally>();
  let timer: NodeJS.Timeout | undefined;

  function write(remote: string, { count, firstLine, since }: Tally): void {
    const lost = (error: unknown) =>
      log.error({ err: error, count }, 'requests turned away are not recorded');
    const first = visibleLine(firstLine.slice(0, MOST_SHOWN));
    const plural = count === 1 ? 'request was' : 'requests were';
    try {
      activity
        .open({
          type: 'bad_request',
          source: 'api',
          arguments: { excerpt: first },
          request_id: newId(),
          metadata: {
            principal: 'unknown',
            remote,
            turned_away: count,
            since: new Date(since).toISOString(),
          },
        })
        .close({
          status: 'refused',
          error_code: 'OVERLOADED',
          error_message: `${count} ${plural} turned away within a second (${remote}): too many connections`,
        })
        .catch(lost);
    } catch (error) {
      lost(error);
    }
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [remote, tally] of tallies) write(remote, tally);
    tallies.clear();
  }

  return {
    flush,
    add(remote, firstLine) {
      timer ??= setTimeout(flush, SPAN_MS).unref();
      const key = tallies.has(remote) || tallies.size < MOST_ADDRESSES ? remote : OTHERS;
      const tally = tallies.get(key);
      if (tally) tally.count++;
      else tallies.set(key, { count: 1, firstLine, since: clock.now() });
    },
  };
}
