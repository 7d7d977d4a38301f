import type { Cancellation } from '../../contract/call.ts';
import { ProxyError } from '../../contract/errors.ts';
import { waitingText, type ServerState, type WaitingFor } from '../../contract/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { EventBus } from '../../lib/event-bus.ts';
import type { Log } from '../../lib/log.ts';
import { QUEUE_LIMIT } from '../../load/index.ts';

export interface StatusParts {
  clock: Clock;
  events: EventBus;
  log: Log;
}

const FAILURES_UNTIL_DEGRADED = 3;
const TROUBLE: readonly ServerState[] = ['failed', 'degraded', 'needs_login'];
const RETRY_AFTER_S = 1;

/** The state of one server. Each change is logged and emitted as an event. */
export class ServerStatus {
  state: ServerState = 'disabled';
  since: number;
  lastError: string | undefined;
  /** While connecting: which answer is outstanding, and since when. */
  waiting: { waiting_for: WaitingFor; waiting_since: string } | undefined;
  readonly #name: string;
  readonly #parts: StatusParts;
  #failedCalls = 0;
  #refreshFailed = false;
  /** Calls that wait until the server has started. */
  readonly #waiters = new Set<() => void>();

  constructor(name: string, parts: StatusParts) {
    this.#name = name;
    this.#parts = parts;
    this.since = parts.clock.now();
  }

  waitFor(what: WaitingFor): void {
    this.waiting = {
      waiting_for: what,
      waiting_since: new Date(this.#parts.clock.now()).toISOString(),
    };
  }

  get waitingText(): string | undefined {
    return this.waiting && waitingText(this.waiting, this.#parts.clock.now());
  }

  /** Resolves when the server has started, failed or stopped, or at the limit. Undefined: it is not starting. Throws if too many calls wait. */
  whenStarted(limitMs: () => number, signal: Cancellation): Promise<void> | undefined {
    if (this.state !== 'connecting' || signal.aborted) return undefined;
    if (this.#waiters.size >= QUEUE_LIMIT) throw this.#tooMany();
    return new Promise((done) => {
      const listener = { handleEvent: () => end() };
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', listener);
        this.#waiters.delete(end);
        done();
      };
      const timer = setTimeout(end, limitMs());
      signal.addEventListener('abort', listener);
      this.#waiters.add(end);
    });
  }

  #tooMany(): ProxyError {
    return new ProxyError(
      'SERVER_BUSY',
      `Server '${this.#name}' is starting, and ${QUEUE_LIMIT} calls wait for it already. The call was not sent; try again in a moment.`,
      { server: this.#name, queue: QUEUE_LIMIT, sent: false, retry_after_s: RETRY_AFTER_S },
    );
  }

  releaseWaiters(): void {
    for (const end of this.#waiters) end();
  }

  /** A new error in the same state is logged at debug level only. */
  set(state: ServerState, error?: string): void {
    const same = state === this.state;
    if (same && error === this.lastError) return;
    if (!same) this.since = this.#parts.clock.now();
    this.state = state;
    // While the server reconnects, the reason for the lost connection is still the last error.
    if (error !== undefined || state !== 'connecting') this.lastError = error;
    const level = TROUBLE.includes(state) ? 'warn' : 'info';
    const text = `server '${this.#name}' ${wordFor(state)}${error ? `: ${error}` : ''}`;
    this.#parts.log[same ? 'debug' : level]({ server: this.#name, state }, text);
    this.#parts.events.emit('server', { name: this.#name, state });
    if (state !== 'connecting') this.releaseWaiters();
  }

  ready(): void {
    this.#failedCalls = 0;
    this.#refreshFailed = false;
    this.set('ready');
  }

  recordCallSuccess(): void {
    if (this.#failedCalls === 0) return;
    this.#failedCalls = 0;
    this.#recover();
  }

  recordCallFailure(reason: string, connected: boolean): void {
    this.#failedCalls++;
    // A log-in comes first, whatever else fails.
    if (this.state !== 'needs_login' && connected && this.#failedCalls >= FAILURES_UNTIL_DEGRADED)
      this.set('degraded', reason);
  }

  recordRefreshSuccess(): void {
    this.#refreshFailed = false;
    this.#recover();
  }

  recordRefreshFailure(reason: string): void {
    this.#refreshFailed = true;
    if (this.state !== 'needs_login') this.set('degraded', reason);
  }

  #recover(): void {
    if (this.state === 'degraded' && !this.#refreshFailed && this.#failedCalls === 0) this.set('ready');
  }
}

function wordFor(state: ServerState): string {
  if (state === 'needs_login') return 'needs a log-in';
  return state === 'failed' ? state : `is ${state}`;
}
