import type pg from 'pg';
import type { Clock } from '../../../lib/clock.ts';
import { type Links, createLinks } from '../../chain/hash-chain.ts';
import type { Signer } from '../../chain/signer.ts';
import { LINK } from './append.ts';
import { loadHead, type LogRef } from './own-log.ts';

/**
 * All entries about a record are in the chain of its log, whichever proxy writes them. When two proxies append to a chain at the same time,
 * both try the same number: one of them fails, reads the new end of the chain, and tries again.
 */
export interface Chains {
  /** Lets `work` add to the chain of a log, inside a transaction. */
  append<T>(client: pg.Client, log: LogRef, work: (links: Links) => T): Promise<T>;
}

export interface ChainsParts {
  own: LogRef;
  /** Of our own log; the writer stores what is added to it. */
  links: Links;
  signer: Signer;
  clock: Clock;
  /** Something is about to be added to the log of another writer. */
  onOtherLog: (log: LogRef, n: number) => void;
}

export function createChains({ own, links, signer, clock, onOtherLog }: ChainsParts): Chains {
  return {
    async append(client, log, work) {
      if (log.log === own.log) return work(links);
      const head = await loadHead(client, log);
      const foreign = createLinks({ logId: log.logId, head, signer, clock });
      const result = work(foreign);
      // Its own writer may never come back to sign this.
      foreign.checkpoint();
      await client.query(LINK, [log.log, JSON.stringify(foreign.added)]);
      onOtherLog(log, foreign.added.at(-1)?.n ?? head.n);
      return result;
    },
  };
}
