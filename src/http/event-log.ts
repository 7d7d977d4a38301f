import type { BusEvent, EventBus } from '../lib/event-bus.ts';

export type LoggedEvent = BusEvent & { id: number };

const SIZE = 1000;

/** The last events with their numbers, so that a reader who was away for a moment misses nothing. */
export interface EventLog {
  lastId(): number;
  /** The event with this number; undefined when it is too old or not there yet. */
  at(id: number): LoggedEvent | undefined;
  /** Whether a reader who has seen everything up to this number can go on without a gap. */
  reaches(id: number): boolean;
  /** Called after each event; returns the function that ends it. */
  onEvent(listener: () => void): () => void;
}

/** Numbers go on rising over a restart, because they begin at the time: a number of the last run is known to be old. */
export function createEventLog(events: EventBus, startedAt: number): EventLog {
  const first = startedAt * 1000 + 1;
  const ring: LoggedEvent[] = [];
  const listeners = new Set<() => void>();
  let last = first - 1;
  events.on((event) => {
    last += 1;
    ring[last % SIZE] = { ...event, id: last };
    for (const listener of listeners) listener();
  });
  return {
    lastId: () => last,
    at(id) {
      const event = ring[id % SIZE];
      return event?.id === id ? event : undefined;
    },
    reaches: (id) => id <= last && id >= Math.max(first - 1, last - SIZE),
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
