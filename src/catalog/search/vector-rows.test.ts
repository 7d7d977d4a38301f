import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { quantised, type TextVector } from './text-vector.ts';
import { createVectorRows } from './vector-rows.ts';

const DIMENSIONS = 32;
const vector = fc
  .array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .map((values) => quantised(Float64Array.from(values)));

function cosine(a: TextVector, b: TextVector | undefined): number {
  if (!b) return 0;
  let sum = 0;
  for (let i = 0; i < DIMENSIONS; i++) sum += a.values[i]! * b.values[i]!;
  return sum * b.inverseLength * a.inverseLength;
}

test('cosines are those of plain arithmetic, to the last bit, after any sets and clears', () => {
  const steps = fc.array(fc.record({ slot: fc.nat(40), vector: fc.option(vector, { nil: undefined }) }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, vector, (sets, query) => {
      fc.pre(query !== undefined);
      const rows = createVectorRows(DIMENSIONS);
      const model = new Map<number, TextVector | undefined>();
      for (const each of sets) {
        rows.set(each.slot, each.vector);
        model.set(each.slot, each.vector);
      }
      const found = rows.cosines(query, 41);
      for (let slot = 0; slot <= 40; slot++) expect(found[slot]).toBe(cosine(query, model.get(slot)) + 0);
    }),
  );
});

test('rows stay where they are when the store grows', () => {
  const rows = createVectorRows(DIMENSIONS);
  const unit = (at: number) =>
    quantised(Float64Array.from({ length: DIMENSIONS }, (_, i) => (i === at ? 1 : 0)));
  for (let slot = 0; slot < 5000; slot++) rows.set(slot, unit(slot % DIMENSIONS));
  const found = rows.cosines(unit(7)!, 5000);
  for (let slot = 0; slot < 5000; slot++) expect(found[slot]).toBe(slot % DIMENSIONS === 7 ? 1 : 0);
});

test('extreme values do not overflow', () => {
  const rows = createVectorRows(1024);
  const full = quantised(new Float64Array(1024).fill(1))!;
  rows.set(0, full);
  expect(rows.cosines(full, 1)[0]).toBeCloseTo(1, 12);
});
