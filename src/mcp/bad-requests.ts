import type { OpenRecord, RecordDraft } from '../activity/recorder.ts';
import { newId } from '../lib/ids.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { RpcError } from './wire.ts';

/** Whose message it was, and the beginning of what it said. */
export interface BadRequest {
  principal: string;
  requestId: string;
  sessionId?: string | undefined;
  client?: string | undefined;
  excerpt: () => string;
}

interface Parts {
  activity: { open(draft: RecordDraft): OpenRecord };
  log: Log;
  clock: Clock;
  perMinute: number;
}

export interface BadRequests {
  add(error: RpcError, from: BadRequest): void;
  /** Writes the count of what was left out, once its minute is over, or now. */
  flush(now?: boolean): void;
}

const MINUTE_MS = 60_000;
const EXCERPT_LENGTH = 500;

/** Messages that never became a call are recorded too; a flood of them becomes one record with a number. */
export function createBadRequests({ activity, log, clock, perMinute }: Parts): BadRequests {
  let windowStart = clock.now();
  let written = 0;
  let left = 0;

  function record(draft: Omit<RecordDraft, 'type' | 'source'>, code: string, message: string): void {
    const lost = (error: unknown) => log.error({ err: error }, 'a bad request could not be recorded');
    try {
      const opened = activity.open({ type: 'bad_request', source: 'mcp', ...draft });
      opened.close({ status: 'refused', error_code: code, error_message: message }).catch(lost);
    } catch (error) {
      lost(error);
    }
  }

  function flush(now = false): void {
    if (!now && clock.now() - windowStart < MINUTE_MS) return;
    windowStart = clock.now();
    written = 0;
    if (left === 0) return;
    const message = `${left} more malformed messages were refused; only the first ${perMinute} of a minute are recorded one by one`;
    record({ request_id: newId(), metadata: { left_out: left } }, 'INVALID_REQUEST', message);
    left = 0;
  }

  return {
    flush,
    add(error, { principal, requestId, sessionId, client, excerpt }) {
      if (error.record === undefined) return;
      flush();
      if (written >= perMinute) {
        left++;
        return;
      }
      written++;
      const draft = {
        arguments: { excerpt: excerpt().slice(0, EXCERPT_LENGTH) },
        request_id: requestId,
        ...(sessionId && { session_id: sessionId }),
        ...(client && { client }),
        metadata: { principal },
      };
      record(draft, error.record, error.message);
    },
  };
}
