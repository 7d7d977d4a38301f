import type pg from 'pg';
import type { PostgresDatabase } from '../../../db/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { type Checkpoint, type Links, createLinks } from '../../chain/hash-chain.ts';
import type { Signer } from '../../chain/signer.ts';
import type { Announcer } from './announce.ts';
import { type Chains, createChains } from './chains.ts';
import { type WriterFacets, createWriterFacets } from './facets.ts';
import { type LogRef, loadHead, loadSequence, openOwnLog } from './own-log.ts';
import { connectWriter, createSession } from './session.ts';
import { type Writer, createWriter } from './writer.ts';
import { type Sequence, createSequence } from '../../record/sequence.ts';

export interface OpenWriterParts {
  db: PostgresDatabase;
  signer: Signer;
  clock: Clock;
  log: Log;
  announcer: Announcer;
  /** Logs that are not continued, because a part of them is missing. */
  ended: ReadonlySet<string>;
  onCheckpoint: (checkpoint: Checkpoint) => void;
}

/** Everything that writes to the log of this proxy. */
export interface OpenWriter {
  own: LogRef;
  links: Links;
  facets: WriterFacets;
  sequence: Sequence;
  writer: Writer;
  chains: Chains;
}

/** Takes the log of this proxy, or begins one, and holds it until the writer is closed. */
export async function openWriter(parts: OpenWriterParts): Promise<OpenWriter> {
  const { db, signer, clock, log, announcer, ended, onCheckpoint } = parts;
  const client = await connectWriter(db);
  try {
    const own = await openOwnLog(client, signer, ended);
    const links = createLinks({ logId: own.logId, head: await loadHead(client, own), signer, clock });
    const facets = await createWriterFacets(client);
    const sequence = createSequence(await loadSequence(client, own.log));
    const skew = createSkewSaver(sequence);
    const session = createSession({
      db,
      log: own.log,
      client,
      renewed: async (next) => links.reset(await loadHead(next, own)),
      lost: (cause) => log.warn({ err: cause }, 'the connection that writes the activity log is lost'),
    });
    const writer = createWriter({
      db,
      own,
      links,
      facets,
      log,
      session,
      beforeWrite: (writing) => skew.save(writing),
      committed(written) {
        for (const { entry, facet } of written) entry.onDisk = facet;
      },
      onCheckpoint,
      grown: (n) => announcer.announce({ log: own.logId, n }),
    });
    const onOtherLog = ({ logId }: LogRef, n: number) => announcer.announce({ log: logId, n });
    return {
      own,
      links,
      facets,
      sequence,
      writer,
      chains: createChains({ own, links, signer, clock, onOtherLog }),
    };
  } catch (error) {
    // A connection that cannot be closed any more is gone already.
    await client.end().catch(() => {});
    throw error;
  }
}

/** A time filter must know how far the clock of any writer has gone back, also after a restart. */
export function createSkewSaver(sequence: Sequence): { save(client: pg.Client): Promise<void> } {
  let saved = 0;
  return {
    async save(client) {
      const { maxSkew } = sequence;
      if (maxSkew <= saved) return;
      await client.query(
        `INSERT INTO activity_state (key, value) VALUES ('max_skew', $1)
         ON CONFLICT (key) DO UPDATE SET value = greatest(activity_state.value, excluded.value)`,
        [maxSkew],
      );
      saved = maxSkew;
    },
  };
}
