import type { ActivitySeries, SeriesQuery } from '../contract/activity.ts';
import type { Sqlite, Statement } from '../db/sqlite.ts';
import type { Facet } from './facets.ts';
import {
  COUNTED,
  countedAs,
  HOUR_MS,
  MINUTE_MS,
  seriesWindow,
  toSeries,
  type Counted,
} from './series-window.ts';

/** Records per minute and per hour of their opening, kept with the transaction that writes them. No record is read for a chart. */
export interface Series {
  /** A record of this time enters a facet (`from` null), leaves the log (`to` null), or changes its facet. */
  move(ts: number, from: Facet | null, to: Facet | null): void;
  read(query: SeriesQuery, now: number): ActivitySeries;
  beforeCommit(): void;
  committed(): void;
  rolledBack(): void;
}

type Sums = number[];

export function createSeries(sqlite: Sqlite): Series {
  const minutes = prepare(sqlite, 'activity_minute');
  const hours = prepare(sqlite, 'activity_hour');
  const deltas = new Map<number, Sums>();
  /** By the identity of the facet, whose values never change. */
  const places = new WeakMap<Facet, number[]>();

  function placesOf(facet: Facet): number[] {
    const known = places.get(facet);
    if (known) return known;
    const made = countedAs(facet).map((name) => COUNTED.indexOf(name));
    places.set(facet, made);
    return made;
  }

  function add(sums: Sums, facet: Facet, n: number): void {
    for (const place of placesOf(facet)) sums[place]! += n;
  }

  function sumsOf(minute: number): Sums {
    const known = deltas.get(minute);
    if (known) return known;
    const made = COUNTED.map(() => 0);
    deltas.set(minute, made);
    return made;
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
}

function save({ add, dropEmpty }: Statements, at: number, sums: Sums): void {
  if (sums.every((n) => n === 0)) return;
  add.put(at, ...sums);
  if (sums.some((n) => n < 0)) dropEmpty.put(at);
}

function named(sums: Sums): Record<Counted, number> {
  const [read = 0, write = 0, destructive = 0, other = 0, refused = 0, errors = 0] = sums;
  return { read, write, destructive, other, refused, errors };
}

function prepare(sqlite: Sqlite, table: 'activity_minute' | 'activity_hour'): Statements {
  const columns = COUNTED.map((name) => `n_${name}`);
  const added = columns.map((name) => `${name} = ${name} + excluded.${name}`).join();
  const sums = columns.map((name) => `sum(${name})`).join();
  const all = columns.slice(0, 4).join(' + ');
  return {
    add: sqlite.prepare(
      `INSERT INTO ${table} VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (at) DO UPDATE SET ${added}`,
    ),
    dropEmpty: sqlite.prepare(`DELETE FROM ${table} WHERE at = ? AND ${all} <= 0`),
    // A number from JavaScript may arrive as a float, by which SQLite would not divide as by a whole number.
    read: sqlite.prepare(
      `SELECT at / CAST(?1 AS INTEGER) - CAST(?4 AS INTEGER) AS point, ${sums} FROM ${table}
       WHERE at >= CAST(?2 AS INTEGER) AND at < CAST(?3 AS INTEGER) GROUP BY point`,
      { returnArrays: true },
    ),
  };
}
