import type { ActivitySource } from '../../contract/activity.ts';
import { newId } from '../../lib/ids.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { OpenRecord, RecordDraft } from './record.ts';

/** Whose message it was, and the beginning of what it said. */
export interface BadRequest {
  principal: string;
  tokenId?: string | undefined;
  requestId: string;
  sessionId?: string | undefined;
  client?: string | undefined;
  excerpt: () => string;
}

/** `record`: the code it is recorded under; absent, it needs no record. */
interface Refused {
  record?: string | undefined;
  message: string;
}

interface Parts {
  activity: { open(draft: RecordDraft): OpenRecord };
  log: Log;
  clock: Clock;
  perMinute: number;
}

export interface BadRequests {
  add(error: Refused, from: BadRequest, source?: ActivitySource): void;
  /** Writes the count of what was left out, once its minute is over, or now. */
  flush(now?: boolean): void;
}

const MINUTE_MS = 60_000;
const EXCERPT_LENGTH = 500;

/** Requests that never became a call are recorded too; a flood of them becomes one record with a number. */
export function createBadRequests({ activity, log, clock, perMinute }: Parts): BadRequests {
  let windowStart = clock.now();
  let written = 0;
  let left = 0;

  function record(draft: Omit<RecordDraft, 'type'>, code: string, message: string): void {
    const about = { request_id: draft.request_id };
    const lost = (error: unknown) =>
      log.error({ err: error, ...about }, 'a bad request could not be recorded');
    try {
      const opened = activity.open({ type: 'bad_request', ...draft });
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
    const message = `${left} more requests like these were refused; only the first ${perMinute} of a minute are recorded one by one`;
    const draft = { source: 'system' as const, request_id: newId(), metadata: { left_out: left } };
    record(draft, 'INVALID_REQUEST', message);
    left = 0;
  }

  return {
    flush,
    add(error, { principal, tokenId, requestId, sessionId, client, excerpt }, source = 'mcp') {
      if (error.record === undefined) return;
      flush();
      if (written >= perMinute) {
        left++;
        return;
      }
      written++;
      const draft = {
        source,
        arguments: { excerpt: excerpt().slice(0, EXCERPT_LENGTH) },
        request_id: requestId,
        ...(sessionId && { session_id: sessionId }),
        ...(client && { client }),
        metadata: { principal, ...(tokenId && { token_id: tokenId }) },
      };
      record(draft, error.record, error.message);
    },
  };
}
