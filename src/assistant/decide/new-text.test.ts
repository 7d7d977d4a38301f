import { expect, test } from 'vitest';
import type { TaskChange } from '../../contract/chat.ts';
import { changedDescription } from './new-text.ts';

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
  ['call mom on monday at 4pm', { kind: 'when', text: 'friday' }, 'call mom on friday at 4pm'],
  ['call mom tomorrow at 5pm', { kind: 'when', text: 'friday' }, 'call mom on friday at 5pm'],
  ['call mom on friday', { kind: 'when', text: '9:30' }, 'call mom on friday at 9:30'],
  ['call mom on friday at 9:30', { kind: 'when', text: 'noon' }, 'call mom on friday at noon'],
  ['call mom on friday at 9:30', { kind: 'when', text: 'monday at noon' }, 'call mom on monday at noon'],
  ['call mom on friday at 9:30', { kind: 'when', text: 'tomorrow evening' }, 'call mom tomorrow evening'],
  ['call mom at 5', { kind: 'when', text: 'in two hours' }, 'call mom in two hours'],
  ['call mom at 5', { kind: 'when', text: 'march 3rd' }, 'call mom march 3rd at 5'],
  ['pay rent on the 1st of march', { kind: 'when', text: 'tomorrow' }, 'pay rent tomorrow'],
  ['pay rent on march 3 at 5', { kind: 'when', text: '2026-04-01' }, 'pay rent on 2026-04-01 at 5'],
  ['read chapter 3', { kind: 'when', text: 'friday' }, 'read chapter 3 on friday'],
  ['finish report by Friday', { kind: 'when', text: 'monday' }, 'finish report by monday'],
  ['tomorrow', { kind: 'when', text: 'friday' }, 'friday'],
  ['haircut at 4pm tomorrow', { kind: 'when', text: '5pm' }, 'haircut at 5pm tomorrow'],
  ['train to Ghent 8:15 from home', { kind: 'when', text: 'at 8:45' }, 'train to Ghent 8:45 from home'],
  ['doctor monday 9am', { kind: 'when', text: 'tuesday 11am' }, 'doctor tuesday 11am'],
  ['submit report by friday', { kind: 'when', text: 'due monday' }, 'submit report by monday'],
  ['party saturday', { kind: 'when', text: 'on sunday' }, 'party sunday'],
  ['read chapter 3 at 5', { kind: 'when', text: '6' }, 'read chapter 3 at 6'],
  ['buy paint', { kind: 'append', text: '"white"' }, 'buy paint white'],
])('%s, %j', (old, change, expected) => {
  expect(changedDescription(old, change)).toBe(expected);
});
