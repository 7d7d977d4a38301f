import { readFileSync } from 'node:fs';
import { BUCKETS } from './features.ts';

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

/** One small whole number a class and bucket: sums are exact, so every machine reads a message alike. */
export type Scores = Record<ModelClass, number>;

export interface Model {
  scores(features: readonly number[]): Scores;
}

export const MODEL_BYTES = BUCKETS * CLASSES.length;

/** Rows of CLASSES.length signed bytes, one row a bucket. */
export function parseModel(bytes: Uint8Array): Model {
  if (bytes.length !== MODEL_BYTES) throw new Error('not the weights of the intent model: wrong length');
  const weights = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    scores(features) {
      const sums = CLASSES.map(() => 0);
      for (const bucket of features)
        for (let c = 0; c < CLASSES.length; c++) sums[c] = sums[c]! + weights[bucket * CLASSES.length + c]!;
      return Object.fromEntries(CLASSES.map((name, c) => [name, sums[c]!])) as Scores;
    },
  };
}

let shipped: Model | undefined;
/** The weights that come with the program; read when the first message is classified. */
export function shippedModel(): Model {
  shipped ??= parseModel(readFileSync(new URL('../data/intents.bin', import.meta.url)));
  return shipped;
}
