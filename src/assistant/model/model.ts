import { readFileSync } from 'node:fs';

/**
 * The weights as a file: the most informative features, each with a small integer for some of the classes. A feature is the gap to
 * the one before it (Rice coded), a bit for each class, and for each class that has a weight its sign and level.
 */
export interface Entry {
  feature: number;
  /** One per class: a signed level of LEVELS, or zero. */
  weights: readonly number[];
}

/** Possible weights. Large values have larger gaps, because precision matters less there. */
export const LEVELS: readonly number[] = [3, 7, 12, 18, 26, 37, 55, 90];
const LEVEL_BITS = 3;
const RICE_BITS = 5;
const COUNT_BITS = 20;

export function encode(entries: readonly Entry[]): Uint8Array {
  const bits: number[] = [];
  const put = (value: number, width: number) => {
    for (let bit = width - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  put(entries.length, COUNT_BITS);
  let before = -1;
  for (const { feature, weights } of entries) {
    const gap = feature - before - 1;
    for (let i = gap >> RICE_BITS; i > 0; i--) bits.push(1);
    bits.push(0);
    put(gap & ((1 << RICE_BITS) - 1), RICE_BITS);
    for (const weight of weights) bits.push(weight === 0 ? 0 : 1);
    for (const weight of weights)
      if (weight !== 0) {
        bits.push(weight < 0 ? 1 : 0);
        put(LEVELS.indexOf(Math.abs(weight)), LEVEL_BITS);
      }
    before = feature;
  }
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((bit, i) => (bytes[i >> 3]! |= bit << (7 - (i & 7))));
  return bytes;
}

/** Reads what `encode` wrote; throws on anything else. */
export function decode(bytes: Uint8Array, classes: number): Entry[] {
  let at = 0;
  const take = (width: number) => {
    let value = 0;
    for (let i = 0; i < width; i++, at++) {
      if (at >> 3 >= bytes.length) throw new Error('not the weights of the intent model: wrong length');
      value = (value << 1) | ((bytes[at >> 3]! >> (7 - (at & 7))) & 1);
    }
    return value;
  };
  const count = take(COUNT_BITS);
  const entries: Entry[] = [];
  let before = -1;
  while (entries.length < count) {
    let gap = 0;
    while (take(1) === 1) gap += 1 << RICE_BITS;
    const feature = before + 1 + gap + take(RICE_BITS);
    const used = Array.from({ length: classes }, () => take(1));
    const weights = used.map((bit) => (bit === 0 ? 0 : (take(1) === 1 ? -1 : 1) * LEVELS[take(LEVEL_BITS)]!));
    entries.push({ feature, weights });
    before = feature;
  }
  if (Math.ceil(at / 8) !== bytes.length)
    throw new Error('not the weights of the intent model: wrong length');
  return entries;
}

/** The classes of the linear model. Answers and bare nouns are read by the grammar only. */
export const CLASSES = [
  'CREATE_TASK',
  'LIST_TASKS',
  'COMPLETE_TASK',
  'UPDATE_TASK',
  'DELETE_TASK',
  'GENERAL_CHAT',
] as const;
export type ModelClass = (typeof CLASSES)[number];

/** Integer weights: sums are exact, so every machine gives the same result. */
export type Scores = Record<ModelClass, number>;

export interface Model {
  scores(features: readonly number[]): Scores;
}

/** Power of two, and at least twice the number of features, so that a search is short. */
const SLOTS = 1 << 16;

/** An open-addressing table of the known features; unknown features are ignored. */
export function parseModel(bytes: Uint8Array): Model {
  const entries = decode(bytes, CLASSES.length);
  if (entries.length * 2 > SLOTS) throw new Error('not the weights of the intent model: too many');
  const keys = new Int32Array(SLOTS).fill(-1);
  const weights = new Int8Array(SLOTS * CLASSES.length);
  for (const entry of entries) {
    const slot = find(keys, entry.feature);
    keys[slot] = entry.feature;
    weights.set(entry.weights, slot * CLASSES.length);
  }
  return {
    scores(features) {
      const sums = CLASSES.map(() => 0);
      for (const feature of features) {
        const at = find(keys, feature) * CLASSES.length;
        for (let c = 0; c < CLASSES.length; c++) sums[c] = sums[c]! + weights[at + c]!;
      }
      return Object.fromEntries(CLASSES.map((name, c) => [name, sums[c]!])) as Scores;
    },
  };
}

/** The slot of a feature, or the free slot where it would be, whose weights are zero. */
function find(keys: Int32Array, feature: number): number {
  let slot = feature & (SLOTS - 1);
  while (keys[slot] !== feature && keys[slot] !== -1) slot = (slot + 1) & (SLOTS - 1);
  return slot;
}

let shipped: Model | undefined;
/** The weights that come with the program; read when the first message is classified. */
export function shippedModel(): Model {
  shipped ??= parseModel(readFileSync(new URL('../data/intents.bin', import.meta.url)));
  return shipped;
}
