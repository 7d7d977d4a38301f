import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Relay } from '../../../db/index.ts';
import type { Log } from '../../../lib/log.ts';
import { CODE, errorMessage, messageText, RpcError, type Outgoing, type RequestId } from '../wire.ts';
import { requestEventId } from './event-ids.ts';

/** One stored event of the answer to a request. */
export interface KeptEvent {
  /** The message as it is sent. */
  text?: string;
  /** Nothing follows. */
  isLast?: boolean;
}

export const streamTopic = (sessionId: string, stream: string) => `stream ${sessionId} ${stream}`;

interface Parts {
  relay: Relay;
  log: Log;
  sessionId: string;
  request: RequestId;
  onEnd: (stream: string) => void;
}

/** While its client is away, the proxy of a call says this often that it still runs. */
const ALIVE_MS = 3_000;
/** How long a client may stay away until it counts as gone. */
const AWAY_MS = 30_000;
const PROGRESS_MS = 1_000;
const MAX_KEPT = 4 * 1024 * 1024;
const ATTEMPTS = 20;
const AGAIN_MS = 500;

/**
 * The event stream that answers one request of a 2025 client. Requests to the client and the answer are stored, so that a client whose
 * connection breaks gets them at any proxy. Progress is sent on while it is away, and not repeated.
 */
export class KeptStream {
  readonly id = randomBytes(12).toString('hex');
  readonly #parts: Parts;
  #seq = 0;
  #awaySince: number | undefined;
  #alive: NodeJS.Timeout | undefined;
  #progressMs = 0;
  /** Events are stored in their order. */
  #stored: Promise<void> = Promise.resolve();
  #drop: () => void = () => undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The client asked for the rest at some proxy: what is left of this connection ends. */
  onResumed(drop: () => void): void {
    this.#drop = drop;
  }

  /** Whether a client that is away may still come back. */
  get isAwaited(): boolean {
    return this.#awaySince !== undefined && performance.now() - this.#awaySince < AWAY_MS;
  }

  get eventId(): string {
    return requestEventId(this.id, this.#seq, this.#parts.request);
  }

  /** Returns the id for the event. */
  add(message: Outgoing | Outgoing[], isLast = false): string {
    if (isLast || mustArrive(message)) this.#store({ text: keptText(message), ...(isLast && { isLast }) });
    else if (this.#awaySince !== undefined) this.#storeProgress(message);
    if (isLast) this.#end();
    return this.eventId;
  }

  /** The request was cancelled: there will be no answer. */
  cancelled(): void {
    this.#store({ isLast: true });
    this.#end();
  }

  /** The connection is gone. */
  away(): void {
    this.#awaySince ??= performance.now();
    this.#alive ??= setInterval(() => this.#sayAlive(), ALIVE_MS).unref();
  }

  resumed(): void {
    this.away();
    this.#awaySince = performance.now();
    this.#sayAlive();
    this.#drop();
  }

  #sayAlive(): void {
    // It is said again in a moment.
    this.#parts.relay.send(this.#topic, { alive: true }).catch(() => {});
  }

  get #topic(): string {
    return streamTopic(this.#parts.sessionId, this.id);
  }

  #storeProgress(message: Outgoing | Outgoing[]): void {
    const now = performance.now();
    if (now - this.#progressMs < PROGRESS_MS) return;
    this.#progressMs = now;
    this.#store({ text: messageText(message) });
  }

  #store(event: KeptEvent): void {
    const seq = ++this.#seq;
    this.#stored = this.#stored.then(() => this.#send(event, seq));
  }

  async #send(event: KeptEvent, seq: number): Promise<void> {
    const { relay, log } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      try {
        return await relay.send(this.#topic, event, seq);
      } catch (error) {
        if (attempt === ATTEMPTS) return log.warn({ err: error }, 'an answer to a client is not kept');
        await sleep(AGAIN_MS);
      }
    }
  }

  #end(): void {
    clearInterval(this.#alive);
    this.#parts.onEnd(this.id);
  }
}

/** Requests, answers, and what withdraws a request; a later progress replaces an earlier one. */
function mustArrive(message: Outgoing | Outgoing[]): boolean {
  return Array.isArray(message) || 'id' in message || message.method === 'notifications/cancelled';
}

function keptText(message: Outgoing | Outgoing[]): string {
  const text = messageText(message);
  if (text.length <= MAX_KEPT || Array.isArray(message) || !('id' in message)) return text;
  const why = `The call has ended, and its answer is larger than ${MAX_KEPT} characters, so it was not kept for a client that came back. The operator finds it in the activity log`;
  return messageText(errorMessage(message.id as RequestId, new RpcError(CODE.server, why)));
}
