/** What the proxy tells the world while it runs, beside the activity, which is read from its log. SSE and the web UI listen. */
export interface Events {
  server: { name: string; state: string };
  /** `changed`, `withheld`: tools that wait for the operator. */
  tools: { server: string; total: number; changed?: number; withheld?: number };
  /** A call begins to wait for a person, or what it waits for is settled. */
  approval: { id: string; status: string; server: string; tool: string };
  config: { ok: boolean; message: string };
}

export type EventName = keyof Events;
export interface BusEvent<N extends EventName = EventName> {
  name: N;
  data: Events[N];
}

export interface EventBus {
  emit<N extends EventName>(name: N, data: Events[N]): void;
  /** Returns the function that ends the subscription. */
  on(listener: (event: BusEvent) => void): () => void;
}

export function createEventBus(): EventBus {
  const listeners = new Set<(event: BusEvent) => void>();
  return {
    emit(name, data) {
      for (const listener of listeners) listener({ name, data });
    },
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
