import { newId, type Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import type { OpenRecord, RecordDraft } from './record.ts';

interface Parts {
  activity: { open(draft: RecordDraft): OpenRecord };
  clock: Clock;
  log: Log;
}

export interface RejectedRequests {
  /** Counts a request that was rejected before it was read. */
  add(request: RejectedRequest): void;
  /** Writes the counts now. */
  flush(): void;
}

export interface RejectedRequest {
  /** Address of the client. */
  address: string;
  /** The caller, if it was known by then. */
  principal?: string;
  firstLine: string;
  /** Why it was rejected. */
  of: keyof typeof WHY;
}

const WHY = {
  connections: { code: 'OVERLOADED', text: 'too many connections' },
  calls: { code: 'OVERLOADED', text: 'too many calls' },
  client: { code: 'OVERLOADED', text: 'too many requests of one client' },
  keyless: { code: 'OVERLOADED', text: 'too many without a key' },
  long: { code: 'OVERLOADED', text: 'too many long messages' },
  left: { code: 'OVERLOADED', text: 'the client left before its turn' },
  time: { code: 'INVALID_REQUEST', text: 'incomplete at the time limit' },
  size: { code: 'INVALID_REQUEST', text: 'headers over 16 KB' },
  form: { code: 'INVALID_REQUEST', text: 'not HTTP/1.1' },
  rate: { code: 'OVERLOADED', text: 'more than limits.requests_per_second' },
  log: { code: 'OVERLOADED', text: 'the share of the log, limits.log_mb_per_hour, is used up' },
} as const;

interface Tally extends RejectedRequest {
  count: number;
  since: number;
}

const SPAN_MS = 1_000;
/** Who uses up a share goes on for long: one record per minute says so. */
const LONG_SPAN_MS = 60_000;
const LONG = new Set<RejectedRequest['of']>(['rate', 'log']);
/** Separate counts per span; all others share one. */
const MOST_TALLIES = 64;
const OTHERS = 'further addresses';
const MOST_SHOWN = 200;

/**
 * Counts rejected requests: one record per second, address and caller; one per minute where a share is used up. With one record per request, senders without a credential could
 * fill the disk and push the records of real calls out of the log, and the proxy would write the most when it has the least time.
 */
export function createRejectedRequests(parts: Parts): RejectedRequests {
  const short = createTallies(parts, SPAN_MS, 'a second');
  const long = createTallies(parts, LONG_SPAN_MS, 'a minute');
  return {
    add: (request) => (LONG.has(request.of) ? long : short).add(request),
    flush() {
      short.flush();
      long.flush();
    },
  };
}

function createTallies({ activity, clock, log }: Parts, spanMs: number, span: string): RejectedRequests {
  const tallies = new Map<string, Tally>();
  let timer: NodeJS.Timeout | undefined;

  function write({ address, principal = 'unknown', firstLine, of, count, since }: Tally): void {
    const lost = (error: unknown) =>
      log.error({ err: error, count }, 'rejected requests could not be recorded');
    const first = visibleLine(firstLine.slice(0, MOST_SHOWN));
    const plural = count === 1 ? 'request was' : 'requests were';
    const what = `${count} ${plural} rejected within ${span} (${address || 'address unknown'}): ${WHY[of].text}`;
    log.warn({ count, address, principal }, what);
    try {
      activity
        .open({
          type: 'bad_request',
          source: 'api',
          arguments: { excerpt: first },
          request_id: newId(),
          metadata: {
            principal,
            client_address: address,
            turned_away: count,
            since: new Date(since).toISOString(),
          },
        })
        .close({
          status: 'refused',
          error_code: WHY[of].code,
          error_message: what,
        })
        .catch(lost);
    } catch (error) {
      lost(error);
    }
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const tally of tallies.values()) write(tally);
    tallies.clear();
  }

  return {
    flush,
    add(request) {
      timer ??= setTimeout(flush, spanMs).unref();
      const exact = `${request.of} ${request.principal} ${request.address}`;
      const isOther = !tallies.has(exact) && tallies.size >= MOST_TALLIES;
      const key = isOther ? `${request.of} ${OTHERS}` : exact;
      const tally = tallies.get(key);
      const who = isOther ? { address: OTHERS, principal: 'unknown' } : {};
      if (tally) tally.count++;
      else tallies.set(key, { ...request, ...who, count: 1, since: clock.now() });
    },
  };
}
