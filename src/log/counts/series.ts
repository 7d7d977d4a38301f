import type { ActivitySeries, SeriesQuery } from '../../contract/activity.ts';
import type { Sqlite, Statement } from '../../db/index.ts';
import type { Facet } from './facets.ts';
import { firstSeqAt } from '../record/sequence.ts';
import {
  TOTAL_COUNTERS,
  SERIES_COUNTERS,
  seriesBucketsFor,
  HOUR_MS,
  MINUTE_MS,
  seriesWindow,
  toSeries,
  type SeriesCounter,
} from './series-window.ts';

/** Records per minute and per hour, updated in the transaction that writes them. A chart reads no records. */
export interface Series {
  /** A record enters a facet (`from` null), leaves the log (`to` null), or changes its facet. */
  move(ts: number, from: Facet | null, to: Facet | null): void;
  read(query: SeriesQuery, now: number): ActivitySeries;
  /** Number of records in a time range, both ends inclusive. Only the minutes at its ends are read record by record. */
  count(from: number, to: number, maxSkew: number): number;
  beforeCommit(): void;
  committed(): void;
  rolledBack(): void;
}

type Sums = number[];

/** The last supported time. */
const LAST = Date.UTC(9999, 11, 31);

export function createSeries(sqlite: Sqlite): Series {
  const minutes = prepare(sqlite, 'activity_minute');
  const hours = prepare(sqlite, 'activity_hour');
  const deltas = new Map<number, Sums>();
  /** Cached by facet, whose values never change. */
  const places = new WeakMap<Facet, number[]>();

  function placesOf(facet: Facet): number[] {
    const known = places.get(facet);
    if (known) return known;
    const made = seriesBucketsFor(facet).map((name) => SERIES_COUNTERS.indexOf(name));
    places.set(facet, made);
    return made;
  }

  function add(sums: Sums, facet: Facet, n: number): void {
    for (const place of placesOf(facet)) sums[place]! += n;
  }

  function sumsOf(minute: number): Sums {
    const known = deltas.get(minute);
    if (known) return known;
    const made = SERIES_COUNTERS.map(() => 0);
    deltas.set(minute, made);
    return made;
  }

  const countRows = createRowCount(sqlite);
  const sum = (unit: Statements, first: number, end: number) =>
    first < end ? ((unit.total.get(first, end) as { n: number | null }).n ?? 0) : 0;

  /** Adds up whole hours where possible. */
  function countMinutes(first: number, end: number): number {
    const [from, to] = [Math.ceil(first / 60), Math.floor(end / 60)];
    if (from >= to) return sum(minutes, first, end);
    return sum(minutes, first, from * 60) + sum(hours, from, to) + sum(minutes, to * 60, end);
  }

  return {
    move(ts, from, to) {
      const sums = sumsOf(Math.floor(ts / MINUTE_MS));
      if (from) add(sums, from, -1);
      if (to) add(sums, to, 1);
    },
    read(query, now) {
      const window = seriesWindow(query, now);
      const { start, end, step, unit } = window;
      const { read } = unit === HOUR_MS ? hours : minutes;
      const rows = read.all(step / unit, start / unit, end / unit, start / step) as unknown as Sums[];
      return toSeries(window, new Map(rows.map(([point, ...sums]) => [point!, named(sums)])));
    },
    count(from, to, maxSkew) {
      const first = Math.ceil(Math.max(from, 0) / MINUTE_MS);
      const end = Math.floor((Math.min(to, LAST) + 1) / MINUTE_MS);
      if (first >= end) return countRows(from, to, maxSkew);
      const before = first * MINUTE_MS - 1;
      const after = end * MINUTE_MS;
      const edges = countRows(from, before, maxSkew) + (to < LAST ? countRows(after, to, maxSkew) : 0);
      return edges + countMinutes(first, end);
    },
    beforeCommit() {
      if (deltas.size === 0) return;
      const byHour = new Map<number, Sums>();
      for (const [minute, sums] of deltas) {
        save(minutes, minute, sums);
        const hour = Math.floor((minute * MINUTE_MS) / HOUR_MS);
        const before = byHour.get(hour);
        byHour.set(hour, before ? before.map((n, place) => n + sums[place]!) : sums);
      }
      for (const [hour, sums] of byHour) save(hours, hour, sums);
    },
    committed: () => deltas.clear(),
    rolledBack: () => deltas.clear(),
  };
}

interface Statements {
  add: Statement;
  dropEmpty: Statement;
  read: Statement;
  total: Statement;
}

function save({ add, dropEmpty }: Statements, at: number, sums: Sums): void {
  if (sums.every((n) => n === 0)) return;
  add.put(at, ...sums);
  if (sums.some((n) => n < 0)) dropEmpty.put(at);
}

function named(sums: Sums): Record<SeriesCounter, number> {
  const [read = 0, write = 0, destructive = 0, other = 0, refused = 0, errors = 0, decisions = 0] = sums;
  return { read, write, destructive, other, refused, errors, decisions };
}

/** Counts records. A sequence number is never before the record's time, and at most the skew after it. */
function createRowCount(sqlite: Sqlite): (from: number, to: number, maxSkew: number) => number {
  const count = sqlite.prepare(
    'SELECT count(*) AS n FROM activity NOT INDEXED WHERE seq BETWEEN ? AND ? AND ts BETWEEN ? AND ?',
  );
  return (from, to, maxSkew) => {
    if (from > to) return 0;
    const start = Math.max(from, 0);
    const [low, high] = [firstSeqAt(start), firstSeqAt(to + maxSkew + 1) - 1];
    return (count.get(low, high, start, to) as { n: number }).n;
  };
}

function prepare(sqlite: Sqlite, table: 'activity_minute' | 'activity_hour'): Statements {
  const columns = SERIES_COUNTERS.map((name) => `n_${name}`);
  const added = columns.map((name) => `${name} = ${name} + excluded.${name}`).join();
  const sums = columns.map((name) => `sum(${name})`).join();
  const all = TOTAL_COUNTERS.map((name) => `n_${name}`).join(' + ');
  return {
    add: sqlite.prepare(
      `INSERT INTO ${table} VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (at) DO UPDATE SET ${added}`,
    ),
    total: sqlite.prepare(`SELECT sum(${all}) AS n FROM ${table} WHERE at >= ? AND at < ?`),
    dropEmpty: sqlite.prepare(`DELETE FROM ${table} WHERE at = ? AND ${all} <= 0`),
    // A number from JavaScript may arrive as a float, by which SQLite would not divide as by a whole number.
    read: sqlite.prepare(
      `SELECT at / CAST(?1 AS INTEGER) - CAST(?4 AS INTEGER) AS point, ${sums} FROM ${table}
       WHERE at >= CAST(?2 AS INTEGER) AND at < CAST(?3 AS INTEGER) GROUP BY point`,
      { returnArrays: true },
    ),
  };
}
