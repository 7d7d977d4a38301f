import { randomBytes } from 'node:crypto';
import type { BusEvent, EventBus } from '../../../lib/event-bus.ts';

export type LoggedEvent = BusEvent & { number: number };

const SIZE = 1000;

/** The last events beside those of the activity, numbered, so that a reader who was away for a moment misses none of them. */
export interface EventLog {
  /** Tells one run of a proxy from another: numbers are those of a run. */
  readonly run: string;
  last(): number;
  /** The event with this number; undefined when it is too old or not there yet. */
  at(number: number): LoggedEvent | undefined;
  /** Whether a reader who has seen everything up to this number can go on without a gap. */
  reaches(number: number): boolean;
  /** Called after each event; returns the function that ends it. */
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
