import type { Sqlite, Statement } from '../../db/index.ts';

export type Direction = 'newest' | 'oldest';

/** An ordered run of sequence numbers that may match, read from one index. */
export interface Stream {
  /** Nothing newer comes from it. */
  last: number;
  take(low: number, high: number, limit: number, direction: Direction): number[];
}

export type Source = Record<Direction, Statement>;

/** One statement per direction; `condition` takes its own parameters before those of the stretch. */
export function prepareSource(sqlite: Sqlite, condition: string, from = 'activity', column = 'seq'): Source {
  // FTS5 uses a bound only where it is an integer, and a JavaScript number of this size arrives as a float.
  const statement = (order: string) =>
    sqlite.prepare(
      `SELECT ${column} AS seq FROM ${from} WHERE ${condition} ${column} BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)
       ORDER BY ${column} ${order} LIMIT ?`,
      { returnArrays: true },
    );
  return { newest: statement('DESC'), oldest: statement('ASC') };
}

export function streamFrom(source: Source, parameters: Array<string | number> = [], last = Infinity): Stream {
  return {
    last,
    take: (low, high, limit, direction) =>
      (source[direction].all(...parameters, low, high, limit) as unknown as number[][]).map((row) => row[0]!),
  };
}
