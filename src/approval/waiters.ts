import type { Approval } from '../contract/approval.ts';
import type { Caller, Cancellation } from '../contract/call.ts';

/** How the client of a waiting call takes part in the wait. */
export interface WaitHooks {
  /** How long the request may stay open; by default as configured. */
  readonly waitMs?: number | undefined;
  /** The same in all requests of one client for one call; absent: each request is one of its own. */
  readonly requester?: string | undefined;
  /** After the signal has fired: whether the caller withdrew its request, or only lost its connection. */
  isWithdrawn?(): boolean;
  /** Whether the caller can still receive the result. Otherwise the approval is not used. */
  isListening?(): boolean;
  /** Whether the client shows a dialog to a person: then the request stays open until the approval expires. */
  isAsking?(): boolean;
  /** The call starts to wait. Call `recheck` when `isAsking` has changed. */
  onPending?(approval: Approval, recheck: () => void): void;
  /** The call no longer waits, whatever the outcome. */
  onReleased?(): void;
}

export interface WaitOptions {
  signal: Cancellation;
  waitMs: number;
  hooks?: WaitHooks | undefined;
  onProgress?: ((progress: { progress: number; total: number; message: string }) => void) | undefined;
}

/** One request that waits for an approval. */
export interface Waiter {
  /** Resolves when the approval may have changed since the last time, after `ms`, or when the caller has gone. */
  woken(ms: number): Promise<void>;
  leave(): void;
}

export interface Waiters {
  enter(id: string, signal: Cancellation, requester?: string): Waiter;
  /** Makes every request that waits for this approval read it again. */
  wake(id: string): void;
  wakeAll(): void;
  /** Whether more than one client has asked for this approval, waiting now or between two requests. */
  isShared(id: string): boolean;
  /** The approval is settled: who asked for it no longer matters. */
  forget(id: string): void;
  ids(): string[];
}

/** The longest time that setTimeout accepts; a longer wait continues afterwards. */
const MAX_TIMEOUT_MS = 2_000_000_000;

/** Approvals whose requesters are remembered: as many as may be pending, and some. Beyond that the oldest are forgotten. */
const MAX_REMEMBERED = 20_000;

export function createWaiters(): Waiters {
  const waiting = new Map<string, Set<OpenWaiter>>();
  const requesters = new Map<string, Set<string | symbol>>();

  function remember(id: string, requester: string | symbol): void {
    requesters.set(id, (requesters.get(id) ?? new Set()).add(requester));
    if (requesters.size > MAX_REMEMBERED) requesters.delete(requesters.keys().next().value!);
  }

  function leave(id: string, waiter: OpenWaiter): void {
    const others = waiting.get(id);
    others?.delete(waiter);
    if (others?.size === 0) waiting.delete(id);
  }

  function wake(id: string): void {
    for (const waiter of waiting.get(id) ?? []) waiter.handleEvent();
  }

  return {
    enter(id, signal, requester) {
      remember(id, requester ?? Symbol());
      const waiter: OpenWaiter = new OpenWaiter(signal, () => leave(id, waiter));
      waiting.set(id, (waiting.get(id) ?? new Set()).add(waiter));
      return waiter;
    },
    wake,
    wakeAll() {
      for (const id of waiting.keys()) wake(id);
    },
    isShared: (id) => (waiting.get(id)?.size ?? 0) > 1 || (requesters.get(id)?.size ?? 0) > 1,
    forget: (id) => void requesters.delete(id),
    ids: () => [...waiting.keys()],
  };
}

/** Remembers an event that arrives between two waits, so that no change is missed. */
class OpenWaiter implements Waiter {
  readonly #signal: Cancellation;
  readonly #onLeave: () => void;
  #isWoken = false;
  #resolve: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(signal: Cancellation, onLeave: () => void) {
    this.#signal = signal;
    this.#onLeave = onLeave;
    signal.addEventListener('abort', this);
  }

  woken(ms: number): Promise<void> {
    if (this.#isWoken || this.#signal.aborted || ms <= 0) {
      this.#isWoken = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#timer = setTimeout(() => this.handleEvent(), Math.min(ms, MAX_TIMEOUT_MS));
    });
  }

  /** Called by the caller's signal, by the timer, and when the approval has changed. */
  handleEvent(): void {
    clearTimeout(this.#timer);
    const resolve = this.#resolve;
    this.#resolve = undefined;
    if (resolve) resolve();
    else this.#isWoken = true;
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this);
    this.#onLeave();
  }
}

/** Counts the waiting requests of each client: each keeps a connection open, also where many wait for the same approval. */
export interface WaitingRequests {
  count(caller: Caller): number;
  /** Adds one request. Call the returned function when it no longer waits. */
  enter(caller: Caller): () => void;
}

export function createWaitingRequests(): WaitingRequests {
  const counts = new Map<string, number>();

  function change(client: string, by: number): void {
    const count = (counts.get(client) ?? 0) + by;
    if (count > 0) counts.set(client, count);
    else counts.delete(client);
  }

  return {
    count: (caller) => counts.get(clientOf(caller)) ?? 0,
    enter(caller) {
      const client = clientOf(caller);
      change(client, 1);
      return () => change(client, -1);
    },
  };
}

const clientOf = ({ token, principal }: Caller): string => token?.id ?? principal;
