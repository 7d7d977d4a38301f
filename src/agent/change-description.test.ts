import { expect, test } from 'vitest';
import type { TaskChange } from '../contract/assistant.ts';
import { changedDescription } from './change-description.ts';

test.each<[string, TaskChange, string | undefined]>([
  ['buy milk', { kind: 'replace', text: 'buy bread' }, 'buy bread'],
  ['buy groceries', { kind: 'append', text: 'milk' }, 'buy groceries and milk'],
  ['call mom', { kind: 'swap', from: 'mom', text: 'dad' }, 'call dad'],
  ['Call Mom at 5', { kind: 'swap', from: 'mom', text: 'dad' }, 'Call dad at 5'],
  ['call mom', { kind: 'swap', from: 'om', text: 'x' }, undefined],
  ['call mom', { kind: 'swap', from: 'dad', text: 'x' }, undefined],
  ['call mom', { kind: 'when', text: '5pm' }, 'call mom at 5pm'],
  ['call mom', { kind: 'when', text: 'friday' }, 'call mom on friday'],
  ['call mom', { kind: 'when', text: 'tomorrow' }, 'call mom tomorrow'],
  ['call mom', { kind: 'when', text: 'next week' }, 'call mom next week'],
  ['call mom at 4pm', { kind: 'when', text: '5pm' }, 'call mom at 5pm'],
  ['call mom on monday at 4pm', { kind: 'when', text: 'friday' }, 'call mom on friday'],
  ['finish report by Friday', { kind: 'when', text: 'monday' }, 'finish report on monday'],
  ['tomorrow', { kind: 'when', text: 'friday' }, 'tomorrow on friday'],
])('%s, %j', (old, change, expected) => {
  expect(changedDescription(old, change)).toBe(expected);
});
