import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import type { SqliteDatabase } from '../../db/sqlite/database.ts';
import { createBuckets } from './counts.ts';
import { firstSeqAt } from '../record/sequence.ts';

let log: TestLog<SqliteDatabase>;
beforeEach(async () => {
  log = await openTestLog();
});
afterEach(() => log.remove());

test('whole buckets and edges cover a stretch exactly, whatever was placed and dropped', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 7_200_000 }), { minLength: 1, maxLength: 200 }),
      fc.tuple(fc.nat(400), fc.nat(400)),
      fc.nat(100),
      (steps, [a, b], dropped) => {
        const buckets = createBuckets(log.db.sqlite);
        const placed: Array<{ seq: number; places: number[] }> = [];
        let time = Date.parse('2026-01-01');
        for (const step of steps) {
          time += step;
          const seq = firstSeqAt(time) + (placed.at(-1)?.seq === firstSeqAt(time) ? 1 : 0);
          placed.push({ seq, places: buckets.place(seq) });
        }
        for (const { seq, places } of placed) expect(buckets.find(seq)).toEqual(places);
        const oldest = placed[Math.min(dropped, placed.length - 1)]!.seq;
        buckets.dropBefore(oldest);
        const kept = placed.filter(({ seq }) => seq >= oldest);

        const at = (hours: number) => firstSeqAt(Date.parse('2026-01-01') + hours * 3_600_000);
        const [low, high] = [at(Math.min(a, b)), at(Math.max(a, b))];
        const { runs, edges } = buckets.cover(low, high);
        for (const { seq, places } of kept) {
          const inRuns = runs.filter(
            ({ level, first, last }) => places[level]! >= first && places[level]! <= last,
          );
          const inRims = edges.filter(([from, to]) => seq >= from && seq <= to);
          expect(inRuns.length + inRims.length).toBe(seq >= low && seq <= high ? 1 : 0);
        }
      },
    ),
  );
});
