import type { Witness, WitnessState } from '../../contract/witness.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { isNamedWithin } from '../../config/index.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import type { Checkpoint } from '../chain/hash-chain.ts';
import { type Destination, destinationOf, IN_DATA_DIR } from './send.ts';

/** Sends each checkpoint to places outside of the data directory. Nobody waits for it but the stop, and that not for long. */
export interface Witnesses {
  add(checkpoint: Checkpoint): void;
  state(): WitnessState[];
  /** The same as a part of the state of the log; empty if there is no witness. */
  part(): { witnesses?: WitnessState[] };
  /** Tries once more what is not delivered, and gives up. */
  close(): Promise<void>;
}

export interface WitnessParts {
  settings: () => readonly Witness[] | undefined;
  dataDir: string;
  clock: Clock;
  log: Log;
  limits?: Partial<typeof LIMITS>;
}

const LIMITS = { sendMs: 10_000, closeMs: 3_000, firstRetryMs: 1_000, retryMs: 60_000 };
const MAX_QUEUED = 100;
/** After these a checkpoint is given up if a later one waits, which covers it. The newest is tried for as long as it takes. */
const MAX_ATTEMPTS = 3;

const NONE: readonly Witness[] = [];

export function createWitnesses(parts: WitnessParts): Witnesses {
  const limits = { ...LIMITS, ...parts.limits };
  let written = '';
  let seen: readonly Witness[] = NONE;
  let queues: Queue[] = [];

  /** The settings may change while the proxy runs. Every read asks for the state of the log, so the same settings are not compared again. */
  function current(): Queue[] {
    const settings = parts.settings() ?? NONE;
    if (settings === seen) return queues;
    seen = settings;
    const text = JSON.stringify(settings);
    if (text === written) return queues;
    written = text;
    const known = new Map(queues.map((queue) => [queue.key, queue]));
    queues = settings.map((each) => {
      const key = JSON.stringify(each);
      const kept = known.get(key);
      known.delete(key);
      return kept ?? createQueue(key, destinationOf(each, parts.dataDir), { ...parts, limits });
    });
    for (const gone of known.values()) void gone.close();
    return queues;
  }

  return {
    add(checkpoint) {
      for (const queue of current()) queue.add(checkpoint);
    },
    state: () => current().map((queue) => queue.state()),
    part: () => (current().length === 0 ? {} : { witnesses: current().map((queue) => queue.state()) }),
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
    },
  };
}

interface Queue {
  readonly key: string;
  add(checkpoint: Checkpoint): void;
  state(): WitnessState;
  close(): Promise<void>;
}

function createQueue(
  key: string,
  { kind, target, send }: Destination,
  { dataDir, clock, log, limits }: WitnessParts & { limits: typeof LIMITS },
): Queue {
  const waiting: Checkpoint[] = [];
  const closing = new AbortController();
  const counts = { delivered: 0, dropped: 0 };
  let last: WitnessState['last'];
  let problem: string | undefined;
  let running: Promise<void> | undefined;
  let wake: (() => void) | undefined;
  const inside = kind === 'file' && isNamedWithin(dataDir, target) ? IN_DATA_DIR : undefined;

  function failed(cause: Error): void {
    const reason = visibleLine(cause.message).slice(0, 200);
    if (problem !== reason)
      log.warn({ kind, target, reason }, 'a checkpoint could not be sent to its witness');
    problem = reason;
  }

  function delivered({ log: id, n }: Checkpoint): void {
    if (problem !== undefined) log.info({ kind, target }, 'checkpoints reach their witness again');
    problem = undefined;
    counts.delivered++;
    last = { log: id, n, at: new Date(clock.now()).toISOString() };
  }

  /** Whether it arrived. */
  async function attempt(checkpoint: Checkpoint): Promise<boolean> {
    const limit = closing.signal.aborted ? limits.closeMs : limits.sendMs;
    try {
      await send(checkpoint, AbortSignal.timeout(limit));
      delivered(checkpoint);
      return true;
    } catch (cause) {
      failed(cause as Error);
      return false;
    }
  }

  async function run(): Promise<void> {
    for (let attempts = 0; waiting.length > 0;) {
      const checkpoint = waiting[0]!;
      if (await attempt(checkpoint)) {
        // It may have been given up meanwhile.
        if (waiting[0] === checkpoint) waiting.shift();
        attempts = 0;
        continue;
      }
      if (closing.signal.aborted) return;
      attempts++;
      if (attempts >= MAX_ATTEMPTS && waiting.length > 1 && waiting[0] === checkpoint) {
        waiting.shift();
        counts.dropped++;
      }
      await pause(Math.min(limits.retryMs, limits.firstRetryMs * 2 ** Math.min(attempts - 1, 10)));
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (closing.signal.aborted) wake();
    });
  }

  return {
    key,
    add(checkpoint) {
      waiting.push(checkpoint);
      while (waiting.length > MAX_QUEUED) {
        waiting.shift();
        counts.dropped++;
      }
      running ??= run().finally(() => (running = undefined));
    },
    state() {
      const says = problem ?? inside;
      return {
        kind,
        target,
        ...counts,
        waiting: waiting.length,
        ...(last && { last }),
        ...(says !== undefined && { problem: says }),
      };
    },
    async close() {
      closing.abort();
      // Only the newest matters now: it covers the others.
      waiting.splice(0, Math.max(0, waiting.length - 1));
      wake?.();
      const late = new Promise<void>((resolve) => setTimeout(resolve, 2 * limits.closeMs).unref());
      await Promise.race([running, late]);
    },
  };
}
