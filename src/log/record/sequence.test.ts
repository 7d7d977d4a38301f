import * as fc from 'fast-check';
import { decodeTime } from 'ulid';
import { expect, test } from 'vitest';
import { createSequence, firstSeqAt, idOfSeq, seqOfId, timeOfSeq } from './sequence.ts';

test('never goes back, whatever the clock does, and knows how far it is ahead', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }), { minLength: 1 }),
      (times) => {
        const sequence = createSequence({ last: 0, maxSkew: 0 });
        let last = 0;
        let skew = 0;
        for (const now of times) {
          const seq = sequence.next(now);
          expect(seq).toBeGreaterThan(last);
          expect(timeOfSeq(seq)).toBeGreaterThanOrEqual(now);
          skew = Math.max(skew, timeOfSeq(seq) - now);
          last = seq;
        }
        expect(sequence.maxSkew).toBe(skew);
      },
    ),
  );
});

test('an id is a ULID of its time that leads back to its place and sorts by it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8_000_000_000_000 }), fc.nat(1023), (ms, running) => {
      const seq = firstSeqAt(ms) + running;
      const id = idOfSeq(seq);
      expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
      expect(decodeTime(id)).toBe(ms);
      expect(seqOfId(id)).toBe(seq);
      expect(idOfSeq(seq + 1) > id).toBe(true);
    }),
  );
  expect(idOfSeq(1)).not.toBe(idOfSeq(1));
});
