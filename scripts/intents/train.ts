import { FEATURES, featuresOf } from '../../src/assistant/model/features.ts';
import { CLASSES, encode, LEVELS, type Entry } from '../../src/assistant/model/model.ts';
import { normalise } from '../../src/assistant/language/normalise.ts';
import type { Example } from './generate.ts';
import { learn, leadOf, WIDTH, type Row } from './perceptron.ts';

/** How far ahead the right class is of the next one, on average over the examples: what the thresholds of the two keys are measured in. */
const MEAN_LEAD = 300;
const LARGEST_FILE = 99_500;
const EPOCHS_TO_CHOOSE = 3;
const EPOCHS = 6;
const MOST_KEPT = 32_000;

export function rowsOf(examples: readonly Example[]): Row[] {
  return examples.map(({ label, text }) => ({
    label: CLASSES.indexOf(label),
    features: Int32Array.from(featuresOf(normalise(text))),
  }));
}

/**
 * Learns twice: once with every feature, to see which of them tell something, and once more with those alone. Whole steps and plain sums:
 * no logarithm and no exponent, which differ between machines, so the same examples give the same bytes everywhere.
 */
export function trainRows(rows: readonly Row[]): Uint8Array {
  const kept = mostTelling(learn(rows, FEATURES, EPOCHS_TO_CHOOSE), rows).slice(0, MOST_KEPT);
  const place = new Int32Array(FEATURES).fill(-1);
  kept.forEach((feature, i) => (place[feature] = i));
  const narrowed = rows.map(({ label, features }) => ({
    label,
    features: features.map((feature) => place[feature]!).filter((at) => at >= 0),
  }));
  const weights = learn(narrowed, kept.length, EPOCHS);
  const entries = quantise(weights, scaleOf(weights, narrowed), kept);
  return fit(entries);
}

export function trainModel(examples: readonly Example[]): Uint8Array {
  return trainRows(rowsOf(examples));
}

/** Those whose weights differ most between the classes first. What was met only once says more about that message than about its intent. */
function mostTelling(weights: Float64Array, rows: readonly Row[]): number[] {
  const met = new Int32Array(FEATURES);
  for (const { features } of rows) for (const feature of features) met[feature] = met[feature]! + 1;
  const spread = new Float64Array(FEATURES);
  for (let feature = 0; feature < FEATURES; feature++) {
    const own = weights.subarray(feature * WIDTH, (feature + 1) * WIDTH);
    spread[feature] = met[feature]! > 1 ? Math.max(...own) - Math.min(...own) : 0;
  }
  const telling = Array.from(spread.keys()).filter((feature) => spread[feature]! > 0);
  return telling.sort((a, b) => spread[b]! - spread[a]! || a - b);
}

function scaleOf(weights: Float64Array, rows: readonly Row[]): number {
  let lead = 0;
  for (const row of rows) lead += leadOf(weights, row);
  return lead > 0 ? (MEAN_LEAD * rows.length) / lead : 0;
}

/** In the order of `kept`. */
function quantise(weights: Float64Array, scale: number, kept: readonly number[]): Entry[] {
  return kept.map((feature, i) => ({
    feature,
    weights: Array.from(weights.subarray(i * WIDTH, (i + 1) * WIDTH), (weight) => nearest(weight * scale)),
  }));
}

function nearest(weight: number): number {
  const size = Math.abs(weight);
  let best = 0;
  for (const level of LEVELS) if (Math.abs(level - size) < Math.abs(best - size)) best = level;
  return weight < 0 ? -best || 0 : best;
}

/** As many of the entries as the file has room for, the most telling ones first. */
function fit(entries: readonly Entry[]): Uint8Array {
  const useful = entries.filter(({ weights }) => weights.some((weight) => weight !== 0));
  for (let count = useful.length; ; count = Math.floor(count * 0.98)) {
    const bytes = encode(useful.slice(0, count).sort((a, b) => a.feature - b.feature));
    if (bytes.length <= LARGEST_FILE) return bytes;
  }
}
