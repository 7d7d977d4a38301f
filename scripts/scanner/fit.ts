import { COMPOSITIONS } from '../../src/scanner/compositions.ts';
import { CONCEPTS } from '../../src/scanner/concepts.ts';
import { FIRST_PAIR } from '../../src/scanner/score.ts';
import type { Example } from './examples.ts';

export interface Model {
  start: number;
  weights: Float64Array;
}

export const SIZE = FIRST_PAIR + CONCEPTS.length ** 2;
const [ROUNDS, RATE, PULL, PULL_PAIRS] = [300, 0.15, 5, 4];
/** The weight of a composition without evidence, and how often a pair must occur to be learned. */
const [USUAL, RARE_POISONED, RARE_BENIGN] = [0.8, 6, 12];

export const nameOf = (feature: number) => {
  const pair = feature - FIRST_PAIR;
  return [CONCEPTS[Math.floor(pair / CONCEPTS.length)]!, CONCEPTS[pair % CONCEPTS.length]!] as const;
};
export const isPair = (feature: number) => feature >= FIRST_PAIR;
/** The name of a tool can only lower its score; the sign of a composition follows from its meaning. */
const isHonest = (feature: number) => COMPOSITIONS[feature]?.rule === 'honest';
const isAbout = (feature: number) =>
  isPair(feature) && nameOf(feature).some((name) => /^own(Secret|Shell|Detect|Send|Context)$/.test(name));

function hasWrongSign(feature: number, weight: number): boolean {
  if (isPair(feature)) return isAbout(feature) && weight > 0;
  return isHonest(feature) ? weight > 0 : weight < 0;
}

/** "This" and "it" occur everywhere; alone they indicate nothing. */
const isInformative = (feature: number) => !nameOf(feature).includes('this');

/** The features that occur often enough to be learned. */
function learnableFeatures(examples: readonly Example[]): number[] {
  const counts = { poisoned: new Int32Array(SIZE), benign: new Int32Array(SIZE) };
  for (const { poisoned, passages } of examples)
    for (const feature of new Set(passages.flat())) counts[poisoned ? 'poisoned' : 'benign'][feature]!++;
  const isKnown = (feature: number) =>
    isPair(feature)
      ? isInformative(feature) &&
        (counts.poisoned[feature]! >= RARE_POISONED || counts.benign[feature]! >= RARE_BENIGN)
      : feature < COMPOSITIONS.length;
  return Array.from({ length: SIZE }, (_, feature) => feature).filter(isKnown);
}

export function heaviest({ weights, start }: Model, passages: readonly number[][]) {
  let found = { sum: passages.length === 0 ? start : -Infinity, passage: [] as readonly number[] };
  for (const passage of passages) {
    let sum = start;
    for (const feature of passage) sum += weights[feature]!;
    if (sum > found.sum) found = { sum, passage };
  }
  return found;
}

type Learned = Pick<Example, 'poisoned' | 'weight' | 'passages'>;

function gradient(model: Model, examples: readonly Learned[]): { slope: Float64Array; startSlope: number } {
  const slope = new Float64Array(SIZE);
  let startSlope = 0;
  for (const { poisoned, weight, passages } of examples) {
    const { sum, passage } = heaviest(model, passages);
    const error = weight * (1 / (1 + Math.exp(-sum)) - Number(poisoned));
    startSlope += error;
    for (const feature of passage) slope[feature]! += error;
  }
  return { slope, startSlope };
}

/** A logistic model where the heaviest passage is the score of a definition. */
export function fit(examples: readonly Example[]): Model {
  const known = learnableFeatures(examples);
  const isIn = new Uint8Array(SIZE);
  for (const feature of known) isIn[feature] = 1;
  const learned = examples.map(({ poisoned, weight, passages }) => ({
    poisoned,
    weight,
    passages: passages.map((passage) => passage.filter((feature) => isIn[feature])),
  }));
  const model: Model = { start: -3, weights: new Float64Array(SIZE) };
  const { weights } = model;
  const steps = new Float64Array(SIZE).fill(1e-6);
  let startStep = 1e-6;
  for (const feature of known) if (!isPair(feature)) weights[feature] = isHonest(feature) ? -0.1 : 0.5;

  for (let round = 0; round < ROUNDS; round++) {
    const { slope, startSlope } = gradient(model, learned);
    for (const feature of known) {
      const usual = isPair(feature) || isHonest(feature) ? 0 : USUAL;
      const by = slope[feature]! + (isPair(feature) ? PULL_PAIRS : PULL) * (weights[feature]! - usual);
      steps[feature]! += by * by;
      weights[feature]! -= (RATE * by) / Math.sqrt(steps[feature]!);
      if (hasWrongSign(feature, weights[feature]!)) weights[feature] = 0;
    }
    startStep += startSlope * startSlope;
    model.start -= (RATE * startSlope) / Math.sqrt(startStep);
  }
  return model;
}
