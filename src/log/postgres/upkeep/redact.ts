import { ProxyError } from '../../../contract/errors.ts';
import type { Clock } from '../../../lib/clock.ts';
import { redacted, type Redaction } from '../../chain/redact.ts';
import type { ActivityRow } from '../../record/row.ts';
import { storeCounts, WORD } from '../write/append.ts';
import type { Chains } from '../write/chains.ts';
import { bytesOf, createDeltas } from '../write/deltas.ts';
import type { WriterFacets } from '../write/facets.ts';
import type { LogRef } from '../write/own-log.ts';
import { indexedWords } from '../write/words.ts';
import type { Writer } from '../write/writer.ts';

export interface PgRedactParts {
  own: LogRef;
  writer: Writer;
  facets: WriterFacets;
  chains: Chains;
  clock: Clock;
}

/** Removes what was said in a record of any writer, and keeps that it happened. Older versions of the row leave the server's files with its next vacuum. */
export function createPgRedact(
  parts: PgRedactParts,
): (record: { seq: number; id: string }, redaction: Redaction) => Promise<void> {
  const { own, writer, facets, chains, clock } = parts;
  return async ({ seq, id }, redaction) => {
    await writer.write(async (client) => {
      const { rows } = await client.query<ActivityRow & { log: number; log_id: string; incoming: number }>(
        `SELECT a.*, l.log_id, l.incoming FROM activity a JOIN activity_log l ON l.log = a.log WHERE a.seq = $1 AND a.id = $2 FOR UPDATE OF a`,
        [seq, id],
      );
      const facet = rows[0] && (await facets.get(client, rows[0].facet_id));
      if (!rows[0] || !facet) throw new ProxyError('NOT_FOUND', 'The record no longer exists');
      const { log, log_id: logId, incoming, ...row } = rows[0];
      if (incoming === 1)
        throw new ProxyError('CONFLICT', `Record ${id} is being moved here; redact it once that is done`, {
          id,
        });
      const left = redacted(row, facet.status, { ...redaction, at: clock.now() });
      await client.query(
        `UPDATE activity SET error_message = NULL, metadata = $3, arguments = NULL, response = NULL, salt = NULL WHERE seq = $1 AND log = $2`,
        [seq, log, left.metadata],
      );
      await client.query(WORD, [log, JSON.stringify([{ seq, words: indexedWords(left, facet) }])]);
      const deltas = createDeltas();
      deltas.grow(bytesOf(left) - bytesOf(row));
      await storeCounts(client, own.log, deltas);
      await chains.append(client, { log, logId }, (links) => links.append('redacted', left, facet));
    });
  };
}
