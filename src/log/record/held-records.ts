import type { Entry, StoredFacet } from './entry.ts';
import { TurnoverMap } from '../../load/index.ts';

/** Closed records that are kept in memory after they were stored, for a database that loses what it has acknowledged. */
const MAX_KEPT = 4000;
const MAX_CHARACTERS = 8_388_608;

/** The newest records of this process, and all that are open. */
export interface HeldRecords<F extends StoredFacet> {
  /** The entry is stored, as it is now. */
  stored(entry: Entry<F>, closed: boolean): void;
  /** Its content was removed: it must not come back. */
  forget(seq: number): void;
  /** Everything that is held, in the order in which it was stored. What of it the database still has is found out when it is written. */
  all(): Array<Entry<F>>;
}

export function createHeldRecords<F extends StoredFacet>(): HeldRecords<F> {
  const open = new TurnoverMap<number, Entry<F>>();
  const closed = new TurnoverMap<number, { entry: Entry<F>; size: number }>();
  let characters = 0;

  function drop(seq: number): void {
    characters -= closed.get(seq)?.size ?? 0;
    closed.delete(seq);
    open.delete(seq);
  }

  return {
    stored(entry, isClosed) {
      const { seq } = entry.row;
      if (!isClosed) {
        open.set(seq, entry);
        return;
      }
      drop(seq);
      const size = sizeOf(entry);
      closed.set(seq, { entry, size });
      characters += size;
      while (closed.size > MAX_KEPT || characters > MAX_CHARACTERS) drop(closed.first()!);
    },
    forget: drop,
    all: () => [...closed.values().map(({ entry }) => entry), ...open.values()],
  };
}

const sizeOf = ({ row }: Entry<StoredFacet>) =>
  1000 + row.metadata.length + (row.arguments?.length ?? 0) + (row.response?.length ?? 0);
