import { readFileSync } from 'node:fs';
import { decode } from './table.ts';

/** What the linear model tells apart. Answers and bare nouns are the grammar's alone. */
export const CLASSES = [
  'CREATE_TASK',
  'LIST_TASKS',
  'COMPLETE_TASK',
  'UPDATE_TASK',
  'DELETE_TASK',
  'GENERAL_CHAT',
] as const;
export type ModelClass = (typeof CLASSES)[number];

/** One small whole number a class and feature: sums are exact, so every machine reads a message alike. */
export type Scores = Record<ModelClass, number>;

export interface Model {
  scores(features: readonly number[]): Scores;
}

/** Power of two, and at least twice the number of features, so that a search is short. */
const SLOTS = 1 << 16;

/** An open table of the features that are known; whatever is not in it says nothing. */
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

/** The slot of a feature, or the free one where it would be: all weights there are nought. */
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
