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
  /** Undefined: there is room. Else resolves when there is, and fails when there will not be in time. */
  enter(client: string, signal: Cancellation, limitMs?: number): Promise<void> | undefined;
  /** The refusal that one more call of this client would end with now; undefined where there is room, or may be in time. */
  refusal(client: string): ProxyError | undefined;
  /** Once for every `enter` that succeeded. */
  leave(client: string): void;
  state(): AdmissionState;
}

/** Who waits longer would rather know: the client can try again, or elsewhere. */
const MAX_WAIT_MS = 10_000;
const RETRY_AFTER_S = 1;
const UNSEEN = 'The request was not looked at';

type CallLimits = Pick<LimitsConfig, 'calls' | 'calls_per_client' | 'queue'>;

interface Waiting {
  readonly client: string;
  settle(error?: ProxyError): void;
}

/** How many calls there are at once, of all and of each client; those who wait are served in turn, and whoever is too many hears so at once. */
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
    return (runningOf.get(client) ?? 0) + queue.waitingOf(client) >= limits().calls_per_client;
  }

  function refused(why: string, what = 'The call was not made'): ProxyError {
    shed++;
    const message = `The proxy is overloaded: ${why}. ${what}; try again in a moment.`;
    const { calls, calls_per_client, queue: most } = limits();
    return new ProxyError('OVERLOADED', message, {
      calls,
      calls_per_client,
      queue: most,
      running,
      waiting: queue.size,
      sent: false,
      retry_after_s: RETRY_AFTER_S,
    });
  }

  function wait(client: string, signal: Cancellation, limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const gone = { handleEvent: () => leaveQueue(new ProxyError('CANCELLED', GONE, { sent: false })) };
      const leaveQueue = (error: ProxyError) => queue.delete(one) && one.settle(error);
      const timer = setTimeout(() => leaveQueue(refused(`there was no room within ${limitMs} ms`)), limitMs);
      const one: Waiting = {
        client,
        settle(error) {
          clearTimeout(timer);
          signal.removeEventListener('abort', gone);
          if (error) return reject(error);
          start(client);
          resolve();
        },
      };
      signal.addEventListener('abort', gone);
      queue.add(one);
    });
  }

  return {
    enter(client, signal, limitMs = MAX_WAIT_MS) {
      // Who has left already would never hear of it in the queue.
      if (signal.aborted) throw new ProxyError('CANCELLED', GONE, { sent: false });
      const { calls, calls_per_client: perClient, queue: most } = limits();
      if (isAtLimit(client)) throw refused(`this client has ${perClient} calls under way`);
      if (running < calls && queue.size === 0) {
        start(client);
        return undefined;
      }
      if (queue.size >= most) {
        const displaced = queue.displacedBy(client);
        if (!displaced) throw refused(`${running} calls run and ${queue.size} wait`);
        displaced.settle(refused(`${running} calls run, and clients with fewer calls go first`));
      }
      return wait(client, signal, Math.min(limitMs, MAX_WAIT_MS));
    },

    refusal(client) {
      const { calls, calls_per_client: perClient, queue: most } = limits();
      if (isAtLimit(client)) return refused(`this client has ${perClient} calls under way`, UNSEEN);
      if (running < calls || queue.size < most || queue.gives(client)) return undefined;
      return refused(`${running} calls run and ${queue.size} wait`, UNSEEN);
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

/** Who shares a line: the calls of one token, or of one principal. */
export const clientOf = ({ token, principal }: Pick<Caller, 'token' | 'principal'>): string =>
  token?.id ?? principal;

const GONE = 'The call was cancelled before it was sent';
