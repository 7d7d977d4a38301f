import type { PostgresDatabase } from '../../../db/index.ts';
import type { Position } from '../../record/facts.ts';

/** Where proxies tell each other how far their logs have come: `LOG_ID POSITION`. */
export const ACTIVITY_CHANNEL = 'mcpproxy_activity';

/** One message for all that happens within this time. */
const PAUSE_MS = 20;

export interface Announcer {
  /** A log has come this far, and that is on disk. */
  announce(position: Position): void;
  close(): Promise<void>;
}

/** Tells other proxies after the commit and not with it: messages are handed over one at a time on the server, and no call waits for that. */
export function createAnnouncer(db: Pick<PostgresDatabase, 'notify'>): Announcer {
  const heads = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<unknown> = Promise.resolve();

  function send(): void {
    timer = undefined;
    const positions = [...heads];
    heads.clear();
    // A lost notification does no harm: the next one includes it, and a listener reads the position when it reconnects.
    sending = Promise.all(positions.map(([log, n]) => db.notify(ACTIVITY_CHANNEL, `${log} ${n}`))).catch(
      () => {},
    );
  }

  return {
    announce({ log, n }) {
      heads.set(log, Math.max(n, heads.get(log) ?? 0));
      timer ??= setTimeout(send, PAUSE_MS).unref();
    },
    async close() {
      clearTimeout(timer);
      if (heads.size > 0) send();
      await sending;
    },
  };
}
