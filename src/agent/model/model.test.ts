import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateExamples } from '../../../scripts/intents/generate.ts';
import { trainModel } from '../../../scripts/intents/train.ts';
import { CLASSES, MODEL_BYTES, parseModel } from './model.ts';

const shipped = readFileSync(new URL('../data/intents.bin', import.meta.url));

test('the weights in the package are what the script makes of the templates in the repository', () => {
  const made = trainModel(generateExamples());
  expect(Buffer.compare(Buffer.from(made), shipped)).toBe(0);
}, 60_000);

test('the weights are small', () => {
  expect(shipped.length).toBe(MODEL_BYTES);
  expect(shipped.length).toBeLessThan(100_000);
});

test('weights of another length are refused', () => {
  expect(() => parseModel(shipped.subarray(1))).toThrow('wrong length');
});

test('a message without features has no score', () => {
  expect(Object.values(parseModel(shipped).scores([]))).toEqual(CLASSES.map(() => 0));
});
