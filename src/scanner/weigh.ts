import { COMPOSITIONS, type Rule } from './compositions.ts';
import { CONCEPTS } from './concepts.ts';
import { COMPOSED, PAIRS, START, ENOUGH } from './weights.ts';

/** What a sentence speaks of, one bit for each concept. */
export type Bits = Uint32Array;

const WIDTH = Math.ceil(CONCEPTS.length / 32);

export function bitsOf(concepts: Iterable<number>): Bits {
  const bits = new Uint32Array(WIDTH);
  addBits(bits, concepts);
  return bits;
}

export function addBits(bits: Bits, concepts: Iterable<number>): void {
  for (const concept of concepts) bits[concept >> 5]! |= 1 << (concept & 31);
}

const meet = (a: Bits, b: Bits) => {
  for (let at = 0; at < WIDTH; at++) if ((a[at]! & b[at]!) !== 0) return true;
  return false;
};

const TESTS = COMPOSITIONS.map(({ here, near, not }) => ({
  here: here.map(bitsOf),
  near: near.map(bitsOf),
  not: bitsOf(not),
}));

function holds({ here, near, not }: (typeof TESTS)[number], inside: Bits, around: Bits): boolean {
  for (const group of here) if (!meet(inside, group)) return false;
  for (const group of near) if (!meet(around, group)) return false;
  return !meet(inside, not);
}

/**
 * What a sentence is made of, as numbers: compositions first, then each two concepts. Those that weigh nothing are left out, unless weights
 * are still to be found.
 */
export function featuresOf(concepts: readonly number[], around: Bits, all: boolean): number[] {
  const features: number[] = [];
  if (concepts.length === 0) return features;
  const inside = bitsOf(concepts);
  for (let at = 0; at < TESTS.length; at++) if (holds(TESTS[at]!, inside, around)) features.push(at);
  for (const a of concepts)
    for (const b of concepts) {
      const pair = FIRST_PAIR + a * CONCEPTS.length + b;
      if (a <= b && (all || weights[pair] !== 0)) features.push(pair);
    }
  return features;
}

export const FIRST_PAIR = 1000;

/** Sentences that are weighed together. */
export const PASSAGE = 3;

const weights = new Int16Array(FIRST_PAIR + CONCEPTS.length ** 2);
weights.set(COMPOSED);
for (const entry of PAIRS.split(/\s+/).filter(Boolean)) {
  const [a = '', b = '', weight = '0'] = entry.split(':');
  const at = [a, b].map((name) => CONCEPTS.indexOf(name as (typeof CONCEPTS)[number])).sort((x, y) => x - y);
  weights[FIRST_PAIR + at[0]! * CONCEPTS.length + at[1]!] = Number(weight);
}

/** Adds up what a passage of sentences says; what is said twice counts once. */
export function createScale() {
  const counts = new Map<number, number>();
  let sum = START;
  return {
    add(features: readonly number[]): void {
      for (const feature of features) {
        const times = counts.get(feature) ?? 0;
        if (times === 0) sum += weights[feature]!;
        counts.set(feature, times + 1);
      }
    },
    remove(features: readonly number[]): void {
      for (const feature of features) {
        const times = counts.get(feature)! - 1;
        if (times === 0) sum -= weights[feature]!;
        counts.set(feature, times);
      }
    },
    sum: () => sum,
  };
}

export const isEnough = (sum: number): boolean => sum >= ENOUGH;

/** The rules that weigh most in a passage: those that say what it is after, if there are any. */
export function rulesIn(features: ReadonlySet<number>): Rule[] {
  const sums = new Map<Rule, number>();
  for (const feature of features) {
    const rule = COMPOSITIONS[feature]?.rule;
    if (rule && rule !== 'unusual' && weights[feature]! > 0)
      sums.set(rule, (sums.get(rule) ?? 0) + weights[feature]!);
  }
  return sums.size === 0 ? ['unusual'] : [...sums].sort((a, b) => b[1] - a[1]).map(([rule]) => rule);
}
