import type { Caller, Cancellation } from '../contract/call.ts';
import type { LimitsConfig } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import { FairQueue } from './fair-queue.ts';

export interface AdmissionState {
  running: number;
  waiting: number;
  /** Since the start. */
  shed: number;
}

export interface Admission {
  /** Undefined: admitted. Otherwise resolves once admitted, and rejects when no slot is free in time. */
  enter(client: string, signal: Cancellation, limitMs?: () => number): Promise<void> | undefined;
  /** The error for one more call of this client if no slot can become free in time; undefined where it may be admitted. */
  rejection(client: string): ProxyError | undefined;
  /** To be called once for every `enter` that succeeded. */
  leave(client: string): void;
  state(): AdmissionState;
}

const MAX_WAIT_MS = 10_000;
const RETRY_AFTER_S = 1;
const UNREAD = 'Rejected before it was read';

type CallLimits = Pick<LimitsConfig, 'calls' | 'calls_per_client' | 'queue'>;

interface Waiting {
  readonly client: string;
  settle(error?: ProxyError): void;
}

/** Limits concurrent calls, in total and per client. Waiting calls are served round-robin; excess requests are rejected immediately. */
export function createAdmission(limits: () => CallLimits): Admission {
  const queue = new FairQueue<Waiting>();
  const runningOf = new Map<string, number>();
  let running = 0;
  let shed = 0;

  function start(client: string): void {
    running++;
    runningOf.set(client, (runningOf.get(client) ?? 0) + 1);
  }

  function isAtLimit(client: string): boolean {
    return (runningOf.get(client) ?? 0) + queue.countOf(client) >= limits().calls_per_client;
  }

  function overloaded(why: string, what = 'The call was not made'): ProxyError {
    shed++;
    const message = `The proxy is overloaded: ${why}. ${what}; try again in a moment.`;
    const { calls, calls_per_client, queue: maxWaiting } = limits();
    return new ProxyError('OVERLOADED', message, {
      calls,
      calls_per_client,
      queue: maxWaiting,
      running,
      waiting: queue.size,
      sent: false,
      retry_after_s: RETRY_AFTER_S,
    });
  }

  function wait(client: string, signal: Cancellation, limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = { handleEvent: () => leaveQueue(cancelled()) };
      const leaveQueue = (error: ProxyError) => queue.delete(waiting) && waiting.settle(error);
      const timer = setTimeout(
        () => leaveQueue(overloaded(`no slot was free within ${limitMs} ms`)),
        limitMs,
      );
      const waiting: Waiting = {
        client,
        settle(error) {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          if (error) return reject(error);
          start(client);
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort);
      queue.add(waiting);
    });
  }

  return {
    enter(client, signal, limitMs) {
      // An aborted signal never fires again, so the call would wait in the queue.
      if (signal.aborted) throw cancelled();
      const { calls, calls_per_client: perClient, queue: maxWaiting } = limits();
      if (isAtLimit(client)) throw overloaded(`this client has ${perClient} calls in progress`);
      if (running < calls && queue.size === 0) {
        start(client);
        return undefined;
      }
      if (queue.size >= maxWaiting) {
        const displaced = queue.displaceFor(client);
        if (!displaced) throw overloaded(`${running} calls run and ${queue.size} wait`);
        displaced.settle(overloaded(`${running} calls run, and a client with fewer calls has priority`));
      }
      return wait(client, signal, Math.min(limitMs?.() ?? MAX_WAIT_MS, MAX_WAIT_MS));
    },

    rejection(client) {
      const { calls, calls_per_client: perClient, queue: maxWaiting } = limits();
      if (isAtLimit(client)) return overloaded(`this client has ${perClient} calls in progress`, UNREAD);
      if (running < calls || queue.size < maxWaiting || queue.canDisplaceFor(client)) return undefined;
      return overloaded(`${running} calls run and ${queue.size} wait`, UNREAD);
    },

    leave(client) {
      running--;
      const left = (runningOf.get(client) ?? 1) - 1;
      if (left > 0) runningOf.set(client, left);
      else runningOf.delete(client);
      while (running < limits().calls && queue.size > 0) queue.next()!.settle();
    },

    state: () => ({ running, waiting: queue.size, shed }),
  };
}

/** The key of a client for limits and queues: its token, or its principal. */
export const clientOf = ({ token, principal }: Pick<Caller, 'token' | 'principal'>): string =>
  token?.id ?? principal;

function cancelled(): ProxyError {
  return new ProxyError('CANCELLED', 'The call was cancelled before it was sent', { sent: false });
}
