import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateExamples, type Example } from '../../../scripts/intents/generate.ts';
import { digest, digestOwn, readManifest } from '../../../scripts/intents/manifest.ts';
import { SOURCES } from '../../../scripts/intents/public/sources.ts';
import { trainModel } from '../../../scripts/intents/train.ts';
import { CLASSES, parseModel, decode, encode, LEVELS } from './model.ts';

const shipped = readFileSync(new URL('../data/intents.bin', import.meta.url));

test('the weights in the package were made from what the repository holds now, and from sources that may be used', () => {
  const manifest = readManifest();
  expect(digest(shipped)).toBe(manifest.weights);
  expect(digestOwn(generateExamples())).toBe(manifest.own);
  expect(Object.keys(SOURCES)).toEqual(expect.arrayContaining(Object.keys(manifest.sources)));
});

const FEW: Example[] = [
  { label: 'CREATE_TASK', text: 'add milk to my list' },
  { label: 'CREATE_TASK', text: 'add bread to my list' },
  { label: 'DELETE_TASK', text: 'remove milk from my list' },
  { label: 'DELETE_TASK', text: 'remove bread from my list' },
  { label: 'GENERAL_CHAT', text: 'tell me a joke about milk' },
  { label: 'GENERAL_CHAT', text: 'tell me a story about bread' },
];

test('the same messages give the same bytes, and others do not', () => {
  const made = trainModel(FEW);
  expect(trainModel(FEW)).toEqual(made);
  expect(trainModel(FEW.slice(1))).not.toEqual(made);
});

test('the weights are small', () => {
  expect(shipped.length).toBeLessThan(100_000);
});

test('weights are read as they were written', () => {
  const entries = [
    { feature: 0, weights: [LEVELS[0]!, 0, 0, 0, 0, -LEVELS[7]!] },
    { feature: 1, weights: LEVELS.slice(0, 6).map((level) => -level) },
    { feature: 1_048_575, weights: [0, 0, LEVELS[3]!, 0, 0, 0] },
  ];
  expect(decode(encode(entries), CLASSES.length)).toEqual(entries);
});

test('weights of another length are refused', () => {
  expect(() => parseModel(shipped.subarray(0, -1))).toThrow('wrong length');
  expect(() => parseModel(Buffer.concat([shipped, Buffer.alloc(1)]))).toThrow('wrong length');
});

test('a message without features has no score', () => {
  expect(Object.values(parseModel(shipped).scores([]))).toEqual(CLASSES.map(() => 0));
});
