import { BUCKETS, featuresOf } from '../../src/agent/model/features.ts';
import { CLASSES, MODEL_BYTES } from '../../src/agent/model/model.ts';
import { normalise } from '../../src/agent/language/normalise.ts';
import type { Example } from './generate.ts';
import { seeded, type Random } from './template.ts';

const EPOCHS = 6;
const MARGIN = 16;
/** How far ahead the right class is of the next one, on average over the examples: what the thresholds of the two keys are measured in. */
const MEAN_LEAD = 300;
const LARGEST = 127;
const WIDTH = CLASSES.length;

interface Row {
  label: number;
  features: readonly number[];
}

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
    for (const row of shuffled(rows, random)) {
      const sums = sumUp(weights, row.features);
      const rival = strongestRival(sums, row.label);
      if (sums[rival]! + MARGIN > sums[row.label]!) learn(weights, totals, row, rival, step);
      step++;
    }
  return quantise(
    weights.map((weight, i) => weight - totals[i]! / step),
    rows,
  );
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j]!, copy[i]!];
  }
  return copy;
}

const sums = new Float64Array(WIDTH);
function sumUp(weights: Float64Array, features: readonly number[]): Float64Array {
  sums.fill(0);
  for (const bucket of features)
    for (let c = 0, at = bucket * WIDTH; c < WIDTH; c++, at++) sums[c] = sums[c]! + weights[at]!;
  return sums;
}

function strongestRival(sums: Float64Array, label: number): number {
  let rival = label === 0 ? 1 : 0;
  for (let c = 0; c < WIDTH; c++) if (c !== label && sums[c]! > sums[rival]!) rival = c;
  return rival;
}

function learn(
  weights: Float64Array,
  totals: Float64Array,
  { features, label }: Row,
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

function quantise(weights: Float64Array, rows: readonly Row[]): Uint8Array {
  let lead = 0;
  for (const { label, features } of rows) {
    const sums = sumUp(weights, features);
    lead += sums[label]! - sums[strongestRival(sums, label)]!;
  }
  const scale = lead > 0 ? (MEAN_LEAD * rows.length) / lead : 0;
  const bytes = new Int8Array(MODEL_BYTES);
  weights.forEach((weight, i) => {
    bytes[i] = Math.max(-LARGEST, Math.min(LARGEST, Math.round(weight * scale)));
  });
  return new Uint8Array(bytes.buffer);
}
