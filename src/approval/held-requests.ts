import type { Caller } from '../contract/call.ts';

/** The requests of each client that wait for a person: each keeps a connection, also where many wait for the same approval. */
export interface HeldRequests {
  /** How many this client has. */
  count(caller: Caller): number;
  /** One more; call what it gives when the request waits no longer. */
  enter(caller: Caller): () => void;
}

export function createHeldRequests(): HeldRequests {
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
