import type pg from 'pg';
import type { Heads, PostgresDatabase } from '../../../db/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { type Checkpoint, type Links, createLinks } from '../../chain/hash-chain.ts';
import type { HeadNote } from '../../chain/head-note.ts';
import type { Signer } from '../../chain/signer.ts';
import type { StoredFacet } from '../../record/entry.ts';
import { type HeldRecords, createHeldRecords } from '../../record/held-records.ts';
import type { Restore } from '../../restore/restore.ts';
import type { Announcer } from './announce.ts';
import { type Chains, createChains } from './chains.ts';
import { continueLog } from './continue-log.ts';
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
  note: HeadNote;
  restore: Restore;
  onCheckpoint: (checkpoint: Checkpoint) => void;
  onHeads?: ((heads: Heads, began: number) => void) | undefined;
}

/** Everything that writes to the log of this proxy. */
export interface OpenWriter {
  own: LogRef;
  links: Links;
  facets: WriterFacets;
  sequence: Sequence;
  writer: Writer;
  chains: Chains;
  held: HeldRecords<StoredFacet>;
}

/** Takes the log of this proxy, or begins one, and holds it until the writer is closed. */
export async function openWriter(parts: OpenWriterParts): Promise<OpenWriter> {
  const { db, signer, clock, log, announcer, note, restore, onCheckpoint } = parts;
  const client = await connectWriter(db);
  try {
    const own = await openOwnLog(client, signer, restore.ended);
    const links = createLinks({ logId: own.logId, head: await loadHead(client, own), signer, clock });
    const behind = restore.behind.get(own.logId);
    if (behind) links.lost(behind, note.newest(own.logId)!);
    const held = createHeldRecords<StoredFacet>();
    const facets = await createWriterFacets(client);
    const sequence = createSequence(await loadSequence(client, own.log));
    const skew = createSkewSaver(sequence);
    const readAgain = async (on: pg.Client) => {
      await facets.renew(on);
      skew.forget();
    };
    const continueFrom = async (on: pg.Client) => {
      if (!(await continueLog(on, { own, links, note, restore }))) return;
      await readAgain(on);
      writer.writeAgain(held.all());
    };
    const session = createSession({
      db,
      log: own.log,
      client,
      async renewed(on) {
        // A server that has the whole log may lack what was made for records that were not stored any more.
        await readAgain(on);
        await continueFrom(on);
      },
      lost(cause) {
        log.warn({ err: cause }, 'the connection that writes the activity log is lost');
        writer.reconnect();
      },
    });
    const writer: Writer = createWriter({
      db,
      own,
      links,
      facets,
      log,
      session,
      continueFrom,
      beforeWrite: (writing) => skew.save(writing),
      committed(written) {
        let restored = 0;
        for (const { entry, facet, closed, isRestored } of written) {
          entry.onDisk = facet;
          entry.wentBack = false;
          if (isRestored) restored++;
          held.stored(entry, closed);
        }
        if (restored > 0) restore.restored(own.logId, restored);
      },
      onCheckpoint,
      grown(mark) {
        note.stored(own.logId, mark);
        announcer.announce({ log: own.logId, n: mark.n });
      },
      onHeads: parts.onHeads,
    });
    const onOtherLog = ({ logId }: LogRef, n: number) => announcer.announce({ log: logId, n });
    return {
      own,
      links,
      facets,
      sequence,
      writer,
      held,
      chains: createChains({ own, links, signer, clock, onOtherLog }),
    };
  } catch (error) {
    // A connection that cannot be closed any more is gone already.
    await client.end().catch(() => {});
    throw error;
  }
}

/** A time filter must know how far the clock of any writer has gone back, also after a restart. */
export function createSkewSaver(sequence: Sequence): {
  save(client: pg.Client): Promise<void>;
  /** What was saved may be lost. */
  forget(): void;
} {
  let saved = 0;
  return {
    forget: () => void (saved = 0),
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
