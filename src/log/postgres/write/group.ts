import type pg from 'pg';
import { fillRow, type Entry, type StoredFacet } from '../../record/entry.ts';
import type { Links, RecordKind } from '../../chain/hash-chain.ts';
import type { ActivityRow } from '../../record/row.ts';
import { APPEND, CHANGING, countValues } from './append.ts';
import { bytesOf, createDeltas } from './deltas.ts';
import type { WriterFacets } from './facets.ts';
import { indexedWords } from './words.ts';

export type PgEntry = Entry<StoredFacet>;

/** What a group wrote of an entry; the entry itself may have moved on since. */
export interface Written {
  entry: PgEntry;
  facet: StoredFacet;
  closed: boolean;
  /** The database had lost it. */
  isRestored: boolean;
}

export interface Group {
  written: Written[];
  query: pg.QueryConfig;
}

/** Words and room of records that are open on disk, so that their end changes only what differs. */
export type OpenState = WeakMap<PgEntry, { words: string; bytes: number }>;

export interface GroupParts {
  log: number;
  links: Links;
  facets: WriterFacets;
  open: OpenState;
}

/** Puts entries into one statement, as they are now. Their facets must have been made. */
export function buildGroup(entries: readonly PgEntry[], { log, links, facets, open }: GroupParts): Group {
  const [rows, ends, words]: [ActivityRow[], object[], object[]] = [[], [], []];
  const deltas = createDeltas();
  const written: Written[] = [];

  function insert(entry: PgEntry, facet: StoredFacet): void {
    const { row } = entry;
    const state = { words: indexedWords(row, facet), bytes: bytesOf(row) };
    rows.push({ ...row });
    words.push({ seq: row.seq, words: state.words });
    deltas.grow(state.bytes);
    if (!entry.closed) open.set(entry, state);
  }

  function change(entry: PgEntry, before: StoredFacet, facet: StoredFacet): void {
    const { row } = entry;
    const known = open.get(entry);
    const state = { words: indexedWords(row, facet), bytes: bytesOf(row) };
    const changed = Object.fromEntries(CHANGING.map((name) => [name, row[name]]));
    ends.push({ seq: row.seq, before: before.id, ...changed });
    if (state.words !== known?.words) words.push({ seq: row.seq, words: state.words });
    deltas.grow(state.bytes - (known?.bytes ?? bytesOf({ ...row, response: null, error_message: null })));
  }

  for (const entry of entries) {
    const facet = facets.of(entry)!;
    const before = entry.onDisk;
    // It arrived after all, or it was ended by somebody else while it ran and has not ended yet.
    const isThere = before !== null && (before.id === facet.id || !entry.closed);
    const isRestored = entry.wentBack && entry.closed && !isThere;
    const { closed } = entry;
    written.push({ entry, facet: before && !closed ? before : facet, closed, isRestored });
    if (isThere) continue;
    fillRow(entry, facet);
    if (before) change(entry, before, facet);
    else insert(entry, facet);
    deltas.move(entry.row.ts, before, facet);
    links.append(kindOf(entry), entry.row, facet);
  }
  links.checkpointWhenDue();
  return {
    written,
    query: {
      name: 'activity-append',
      text: APPEND,
      values: [
        log,
        JSON.stringify(rows),
        JSON.stringify(ends),
        ends.length,
        JSON.stringify(links.added),
        JSON.stringify(words),
        ...countValues(deltas),
      ],
    },
  };
}

/** Somebody took the writer for gone and closed the record; now its end has come all the same. */
function kindOf(entry: PgEntry): RecordKind {
  if (!entry.closed) return 'opened';
  if (entry.onDisk && entry.onDisk.status !== 'pending') return 'late';
  return entry.wentBack ? 'restored' : 'closed';
}
