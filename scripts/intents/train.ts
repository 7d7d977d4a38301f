import { BUCKETS, featuresOf } from '../../src/agent/model/features.ts';
import { CLASSES, MODEL_BYTES } from '../../src/agent/model/model.ts';
import { normalise } from '../../src/agent/language/normalise.ts';
import type { Example } from './generate.ts';
import { seeded, type Random } from './template.ts';

const EPOCHS = 8;
const MARGIN = 8;
const WIDTH = CLASSES.length;

/**
 * An averaged perceptron with a margin. Whole steps and plain sums: no logarithm and no exponent, which differ between machines,
 * so the same examples give the same bytes everywhere.
 */
export function trainModel(examples: readonly Example[]): Uint8Array {
  const rows = examples.map(({ label, text }) => ({
    label: CLASSES.indexOf(label),
    features: featuresOf(normalise(text)),
  }));
  const weights = new Float64Array(BUCKETS * WIDTH);
  const totals = new Float64Array(BUCKETS * WIDTH);
  const random = seeded(7);
  let step = 1;
  for (let epoch = 0; epoch < EPOCHS; epoch++)
    for (const { label, features } of shuffled(rows, random)) {
      const rival = strongestRival(weights, features, label);
      if (rival !== undefined) learn(weights, totals, features, label, rival, step);
      step++;
    }
  return quantise(weights.map((weight, i) => weight - totals[i]! / step));
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j]!, copy[i]!];
  }
  return copy;
}

/** The other class that comes too near, if one does. */
function strongestRival(
  weights: Float64Array,
  features: readonly number[],
  label: number,
): number | undefined {
  const sums = new Float64Array(WIDTH);
  for (const bucket of features)
    for (let c = 0; c < WIDTH; c++) sums[c] = sums[c]! + weights[bucket * WIDTH + c]!;
  let rival: number | undefined;
  for (let c = 0; c < WIDTH; c++)
    if (c !== label && sums[c]! + MARGIN > sums[label]! && (rival === undefined || sums[c]! > sums[rival]!))
      rival = c;
  return rival;
}

function learn(
  weights: Float64Array,
  totals: Float64Array,
  features: readonly number[],
  label: number,
  rival: number,
  step: number,
): void {
  for (const bucket of features) {
    const [up, down] = [bucket * WIDTH + label, bucket * WIDTH + rival];
    weights[up] = weights[up]! + 1;
    totals[up] = totals[up]! + step;
    weights[down] = weights[down]! - 1;
    totals[down] = totals[down]! - step;
  }
}

function quantise(weights: Float64Array): Uint8Array {
  const bytes = new Int8Array(MODEL_BYTES);
  const largest = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
  const scale = largest > 0 ? 127 / largest : 0;
  weights.forEach((weight, i) => {
    bytes[i] = Math.round(weight * scale);
  });
  return new Uint8Array(bytes.buffer);
}
