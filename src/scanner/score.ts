import { COMPOSITIONS, type Rule } from './compositions.ts';
import { CONCEPTS } from './concepts.ts';
import { BIAS, COMPOSITION_WEIGHTS, PAIR_WEIGHTS, THRESHOLD } from './weights.ts';

/** The concepts of a sentence, one bit for each. */
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

const intersects = (a: Bits, b: Bits) => {
  for (let at = 0; at < WIDTH; at++) if ((a[at]! & b[at]!) !== 0) return true;
  return false;
};

const TESTS = COMPOSITIONS.map(({ here, near, not }) => ({
  here: here.map(bitsOf),
  near: near.map(bitsOf),
  not: bitsOf(not),
}));

function matches({ here, near, not }: (typeof TESTS)[number], inside: Bits, around: Bits): boolean {
  for (const group of here) if (!intersects(inside, group)) return false;
  for (const group of near) if (!intersects(around, group)) return false;
  return !intersects(inside, not);
}

/** The features of a sentence: matching compositions first, then every pair of concepts. Pairs without a weight only with `all`. */
export function featuresOf(concepts: readonly number[], around: Bits, all: boolean): number[] {
  const features: number[] = [];
  if (concepts.length === 0) return features;
  const inside = bitsOf(concepts);
  for (let at = 0; at < TESTS.length; at++) if (matches(TESTS[at]!, inside, around)) features.push(at);
  for (const a of concepts)
    for (const b of concepts) {
      const pair = FIRST_PAIR + a * CONCEPTS.length + b;
      if (a <= b && (all || weights[pair] !== 0)) features.push(pair);
    }
  return features;
}

export const FIRST_PAIR = 1000;

/** Sentences that are scored together. */
export const PASSAGE = 3;

const weights = new Int16Array(FIRST_PAIR + CONCEPTS.length ** 2);
/** A composition that was added after the training. */
const UNTRAINED = 16;
for (const [at, { name, rule }] of COMPOSITIONS.entries())
  weights[at] = COMPOSITION_WEIGHTS[name] ?? (rule === 'honest' ? 0 : UNTRAINED);
for (const entry of PAIR_WEIGHTS.split(/\s+/).filter(Boolean)) {
  const [a = '', b = '', weight = '0'] = entry.split(':');
  const at = [a, b].map((name) => CONCEPTS.indexOf(name as (typeof CONCEPTS)[number])).sort((x, y) => x - y);
  weights[FIRST_PAIR + at[0]! * CONCEPTS.length + at[1]!] = Number(weight);
}

/** The score of a passage: each distinct feature counts once. */
export function createPassageScore() {
  const counts = new Map<number, number>();
  let sum = BIAS;
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

/** What a tool answers has more topics than its definition: more must come together there. */
const RESULT_MARGIN = 120;

export const isSuspicious = (sum: number, isResult: boolean): boolean =>
  sum >= THRESHOLD + (isResult ? RESULT_MARGIN : 0);

/** The rules of a passage by weight; `unusual` only where no specific rule matched. */
export function strongestRules(features: ReadonlySet<number>): Rule[] {
  const sums = new Map<Rule, number>();
  for (const feature of features) {
    const rule = COMPOSITIONS[feature]?.rule;
    if (rule && rule !== 'unusual' && weights[feature]! > 0)
      sums.set(rule, (sums.get(rule) ?? 0) + weights[feature]!);
  }
  return sums.size === 0 ? ['unusual'] : [...sums].sort((a, b) => b[1] - a[1]).map(([rule]) => rule);
}
