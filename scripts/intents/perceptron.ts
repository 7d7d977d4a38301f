import { CLASSES } from '../../src/assistant/model/model.ts';
import { seeded, type Random } from './template.ts';

/** A message to learn from: which class it is, and its features. */
export interface Row {
  label: number;
  features: Int32Array;
}

export const WIDTH = CLASSES.length;
const MARGIN = 40;

/** An averaged perceptron with a margin: one weight a class for each of `size` features. */
export function learn(rows: readonly Row[], size: number, epochs: number): Float64Array {
  const weights = new Float64Array(size * WIDTH);
  const totals = new Float64Array(size * WIDTH);
  const random = seeded(7);
  const order = Int32Array.from(rows.keys());
  const state: State = { weights, totals, step: 1 };
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (const at of order) {
      const row = rows[at]!;
      const sums = sumUp(weights, row.features);
      const rival = strongestRival(sums, row.label);
      if (sums[rival]! + MARGIN > sums[row.label]!) correct(state, row, rival);
      state.step++;
    }
  }
  for (let i = 0; i < weights.length; i++) weights[i] = weights[i]! - totals[i]! / state.step;
  return weights;
}

/** How far the right class of a message is ahead of the next one. */
export function leadOf(weights: Float64Array, { features, label }: Row): number {
  const sums = sumUp(weights, features);
  return sums[label]! - sums[strongestRival(sums, label)]!;
}

function shuffle(order: Int32Array, random: Random): void {
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const held = order[i]!;
    order[i] = order[j]!;
    order[j] = held;
  }
}

const sums = new Float64Array(WIDTH);
function sumUp(weights: Float64Array, features: Int32Array): Float64Array {
  sums.fill(0);
  for (let f = 0; f < features.length; f++) {
    const at = features[f]! * WIDTH;
    for (let c = 0; c < WIDTH; c++) sums[c] = sums[c]! + weights[at + c]!;
  }
  return sums;
}

function strongestRival(sums: Float64Array, label: number): number {
  let rival = label === 0 ? 1 : 0;
  for (let c = 0; c < WIDTH; c++) if (c !== label && sums[c]! > sums[rival]!) rival = c;
  return rival;
}

interface State {
  weights: Float64Array;
  totals: Float64Array;
  step: number;
}

function correct({ weights, totals, step }: State, { features, label }: Row, rival: number): void {
  for (const feature of features) {
    const [up, down] = [feature * WIDTH + label, feature * WIDTH + rival];
    weights[up] = weights[up]! + 1;
    totals[up] = totals[up]! + step;
    weights[down] = weights[down]! - 1;
    totals[down] = totals[down]! - step;
  }
}
