import { ProxyError } from '../../contract/errors.ts';
import { type RecordKind, nextHash, recordDigest, recordState } from '../chain/hash-chain.ts';
import type { Redaction } from '../chain/redact.ts';
import type { ActivityRow, SealedFacet } from '../record/row.ts';

/** A record that stays although its entries go. */
export interface Kept {
  row: ActivityRow;
  facet: SealedFacet;
  /** The last entry about it. */
  entry: string;
}

const AS = ['opened', 'adopted', 'redacted'] as const satisfies RecordKind[];

/** The kind of the entry that confirms the record again, by the state of the record. */
export const keptAs = (row: ActivityRow, status: string): RecordKind => AS[recordState(row, status)];

/** A kept record can be behind newer ones in the chain. Its content goes at its time; the rest goes with its entry. */
export const EXPIRED: Redaction = { by: 'retention', reason: 'older than activity.retention_days' };

/** Throws if the beginning of the chain or a record in it is not what was recorded: a new entry would confirm the change. */
export function confirmed(
  start: string,
  items: ReadonlyArray<{ entry: string; hash: string }>,
  kept: readonly Kept[],
): void {
  let head = start;
  for (const { entry, hash } of items) {
    if (nextHash(head, entry) !== hash) throw changed('the beginning of the chain is');
    head = hash;
  }
  for (const { row, facet, entry } of kept) {
    const { digest } = JSON.parse(entry) as { digest: unknown };
    if (recordDigest(row, facet) !== digest) throw changed(`record ${row.id} is`, row.id);
  }
}

function changed(what: string, id?: string): ProxyError {
  return new ProxyError(
    'CONFLICT',
    `Retention stopped, because ${what} not what was recorded; see \`mcpproxy activity verify\``,
    id === undefined ? {} : { id },
  );
}
