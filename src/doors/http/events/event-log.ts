import { randomBytes } from 'node:crypto';
import type { BusEvent, EventBus } from '../../../lib/event-bus.ts';

export type LoggedEvent = BusEvent & { number: number };

const SIZE = 1000;

/** The last events that are not activity, numbered, so that a reader can reconnect without missing any. */
export interface EventLog {
  /** Identifies this run of the proxy: numbers are valid only within a run. */
  readonly run: string;
  last(): number;
  /** The event with this number; undefined where it is too old or does not exist yet. */
  at(number: number): LoggedEvent | undefined;
  /** Whether a reader that has seen everything up to this number can resume without a gap. */
  reaches(number: number): boolean;
  /** Calls the listener after each event; returns a function that unsubscribes. */
  onEvent(listener: () => void): () => void;
}

export function createEventLog(events: EventBus): EventLog {
  const ring: LoggedEvent[] = [];
  const listeners = new Set<() => void>();
  let last = 0;
  events.on((event) => {
    last += 1;
    ring[last % SIZE] = { ...event, number: last };
    for (const listener of listeners) listener();
  });
  return {
    run: randomBytes(5).toString('hex'),
    last: () => last,
    at(number) {
      const event = ring[number % SIZE];
      return event?.number === number ? event : undefined;
    },
    reaches: (number) => number <= last && number >= Math.max(0, last - SIZE),
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
