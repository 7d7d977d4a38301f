import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { TokenStore } from './token-store.ts';

export interface TokenUsage {
  used(id: string): void;
  operatorCalled(): void;
  /** When it was last used, as far as this process knows beyond the database. */
  lastUsed(id: string): string | undefined;
  operatorCall(): Promise<number | null>;
  flush(): Promise<void>;
}

/** A request notes a time in memory; the database hears of it now and then. */
export function createTokenUsage(store: TokenStore, clock: Clock, log: Log): TokenUsage {
  const used = new Map<string, number>();
  let operatorCall: number | undefined;
  let written: number | undefined;

  async function write(): Promise<void> {
    if (operatorCall !== undefined && operatorCall !== written) {
      const at = operatorCall;
      await store.noteOperatorCall(at);
      written = at;
    }
    if (used.size === 0) return;
    const taken = new Map(used);
    await store.touch(new Map([...taken].map(([id, at]) => [id, new Date(at).toISOString()])));
    for (const [id, at] of taken) if (used.get(id) === at) used.delete(id);
  }

  return {
    used: (id) => void used.set(id, clock.now()),
    operatorCalled: () => void (operatorCall = clock.now()),
    lastUsed(id) {
      const at = used.get(id);
      return at === undefined ? undefined : new Date(at).toISOString();
    },
    operatorCall: async () => operatorCall ?? store.operatorCall(),
    // What cannot be written now is written next time; nothing depends on it.
    flush: () =>
      write().catch((error: unknown) => log.debug({ err: error }, 'the use of tokens is not noted')),
  };
}
