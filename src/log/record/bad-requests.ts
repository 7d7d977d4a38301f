import type { ActivitySource } from '../../contract/activity.ts';
import { newId, type Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { OpenRecord, RecordDraft } from './record.ts';

/** The sender of a bad request, and the beginning of its content. */
export interface BadRequest {
  /** UNNAMED: no credential names the sender. */
  principal: string;
  tokenId?: string | undefined;
  /** Address of the client. Without a credential it tells senders apart. */
  address?: string | undefined;
  requestId: string;
  sessionId?: string | undefined;
  client?: string | undefined;
  excerpt: () => string;
  /** Recorded individually, without a quota. */
  always?: boolean;
}

/** `record`: the error code of the record; undefined if none is needed. */
interface Refused {
  record?: string | undefined;
  message: string;
}

interface Parts {
  activity: { open(draft: RecordDraft): OpenRecord };
  log: Log;
  clock: Clock;
  /** Individual records per sender and minute. */
  perMinute: number;
}

export interface BadRequests {
  /** For a request that is always recorded: resolves when its record is on disk. Answering only then limits the rate. */
  add(error: Refused, from: BadRequest, source?: ActivitySource): Promise<void> | undefined;
  /** Writes the counts of requests beyond the quota when their minute is over, or now. */
  flush(now?: boolean): void;
}

type Who = Pick<BadRequest, 'principal' | 'tokenId' | 'address'>;

interface LeftOut {
  count: number;
  source: ActivitySource;
  /** The beginning of the first request. */
  excerpt: string;
}

interface Sender {
  who: Who;
  written: number;
  left: Map<string, LeftOut>;
}

export const UNNAMED = 'unknown';

const MINUTE_MS = 60_000;
const EXCERPT_LENGTH = 500;
/** Senders per minute with their own quota, with a credential and without. All others share one quota. */
const MOST_SENDERS = 512;
/** Anybody can have many addresses: what is recorded one by one of all unnamed is so many times the quota of one. */
const UNNAMED_QUOTAS = 10;

/**
 * Records requests that never became a call. Each sender has its own quota, so no sender can use up that of another. Requests
 * beyond the quota become one record with a count per sender and error code.
 */
export function createBadRequests({ activity, log, clock, perMinute }: Parts): BadRequests {
  let windowStart = clock.now();
  const named = new Map<string, Sender>();
  const unnamed = new Map<string, Sender>();
  let writtenOfUnnamed = 0;

  async function record(draft: Omit<RecordDraft, 'type'>, code: string, message: string): Promise<void> {
    try {
      const opened = activity.open({ type: 'bad_request', ...draft });
      await opened.close({ status: 'refused', error_code: code, error_message: message });
    } catch (error) {
      log.error({ err: error, request_id: draft.request_id }, 'a bad request could not be recorded');
    }
  }

  function senderOf({ principal, tokenId, address }: Who): Sender {
    const isNamed = principal !== UNNAMED;
    const [senders, others] = isNamed
      ? [named, { principal: 'further callers' }]
      : [unnamed, { principal, address: 'further addresses' }];
    const key = (isNamed ? tokenId : address) ?? principal;
    const isOther = !senders.has(key) && senders.size >= MOST_SENDERS;
    // One credential may come from several addresses.
    const who = isOther ? others : { principal, tokenId, ...(!isNamed && { address }) };
    return entryOf(senders, isOther ? '' : key, () => ({ who, written: 0, left: new Map() }));
  }

  /** Takes one from the sender's quota; false if it is used up. */
  function hasRoom(sender: Sender): boolean {
    const isUnnamed = sender.who.principal === UNNAMED;
    if (sender.written >= perMinute) return false;
    if (isUnnamed && writtenOfUnnamed >= UNNAMED_QUOTAS * perMinute) return false;
    sender.written++;
    if (isUnnamed) writtenOfUnnamed++;
    return true;
  }

  function writeSums({ who, left }: Sender): void {
    for (const [code, { count, source, excerpt }] of left) {
      const draft = {
        source,
        arguments: { excerpt },
        request_id: newId(),
        metadata: { ...metadataOf(who), left_out: count },
      };
      const message = `${count} more requests of this sender were refused so, the first as shown; only the first ${perMinute} of a minute are recorded one by one`;
      void record(draft, code, message);
    }
  }

  function flush(now = false): void {
    if (!now && clock.now() - windowStart < MINUTE_MS) return;
    windowStart = clock.now();
    writtenOfUnnamed = 0;
    for (const senders of [named, unnamed]) {
      for (const sender of senders.values()) writeSums(sender);
      senders.clear();
    }
  }

  return {
    flush,
    add({ record: code, message }, from, source = 'mcp') {
      if (code === undefined) return undefined;
      flush();
      const sender = from.always ? undefined : senderOf(from);
      if (sender && !hasRoom(sender)) {
        const first = () => ({ count: 0, source, excerpt: from.excerpt().slice(0, EXCERPT_LENGTH) });
        entryOf(sender.left, code, first).count++;
        return undefined;
      }
      const { requestId, sessionId, client, excerpt } = from;
      const draft = {
        source,
        arguments: { excerpt: excerpt().slice(0, EXCERPT_LENGTH) },
        request_id: requestId,
        ...(sessionId && { session_id: sessionId }),
        ...(client && { client }),
        metadata: metadataOf(from),
      };
      const written = record(draft, code, message);
      return from.always ? written : undefined;
    },
  };
}

function metadataOf({ principal, tokenId, address }: Who) {
  return { principal, ...(tokenId && { token_id: tokenId }), ...(address && { client_address: address }) };
}

function entryOf<T>(entries: Map<string, T>, key: string, make: () => T): T {
  const entry = entries.get(key) ?? make();
  entries.set(key, entry);
  return entry;
}
