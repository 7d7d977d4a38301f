import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { PostgresDatabase } from '../../../db/index.ts';
import { createLinks, type Links } from '../../chain/links.ts';
import type { Checkpoint } from '../../chain/seal.ts';
import { createSequence, type Sequence } from '../../record/sequence.ts';
import type { Signer } from '../../chain/signer.ts';
import type { Announcer } from './announce.ts';
import { createChains, type Chains } from './chains.ts';
import { createWriterFacets, type WriterFacets } from './facets.ts';
import { loadHead, loadSequence, openOwnLog, type OwnLog } from './own-log.ts';
import { connectWriter, createSession } from './session.ts';
import { createSkewSaver } from './skew.ts';
import { createWriter, type Writer } from './writer.ts';

export interface OpenWriterParts {
  db: PostgresDatabase;
  signer: Signer;
  clock: Clock;
  log: Log;
  announcer: Announcer;
  onCheckpoint: (checkpoint: Checkpoint) => void;
}

/** Everything that writes to the log of this proxy. */
export interface OpenWriter {
  own: OwnLog;
  links: Links;
  facets: WriterFacets;
  sequence: Sequence;
  writer: Writer;
  chains: Chains;
}

/** Takes the log of this proxy, or begins one, and holds it until the writer is closed. */
export async function openWriter(parts: OpenWriterParts): Promise<OpenWriter> {
  const { db, signer, clock, log, announcer, onCheckpoint } = parts;
  const client = await connectWriter(db);
  try {
    const own = await openOwnLog(client, signer);
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
      grown: (n) => announcer.tell({ log: own.logId, n }),
    });
    const onForeign = ({ logId }: OwnLog, n: number) => announcer.tell({ log: logId, n });
    return {
      own,
      links,
      facets,
      sequence,
      writer,
      chains: createChains({ own, links, signer, clock, onForeign }),
    };
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
