import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/assistant/decide/decide.ts';
import { classifyContext } from '../../src/assistant/read/classify.ts';
import { contextOf, pendingFor, tasksNamed } from '../fixtures/assistant.ts';

type Label = 'yes' | 'no' | 'back' | 'other';
const ROWS = readFileSync(new URL('../fixtures/intents/answers.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => line.split('\t') as [Label, string]);
const LIST = ['buy milk', 'call mom', 'pay rent'];
const OUTCOMES = { execute: 'yes', cancel: 'no', drop: 'other', expire: 'other' } as const;

function answered(message: string, more: { reminded?: true } = {}): Label {
  const pending_confirmation = pendingFor(tasksNamed(...LIST)[0]!, more);
  const context = contextOf(message, { list: LIST, pending_confirmation });
  const { pending } = decide(context, classifyContext(context));
  return pending === undefined ? 'back' : OUTCOMES[pending];
}

describe('answers to “shall I delete it?”', () => {
  test('the set is large', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(160);
  });
  test.each(ROWS.filter(([label]) => label !== 'yes'))('%s: %s', (label, message) => {
    expect(answered(message)).toBe(label);
  });
  test('a yes in any form is taken', () => {
    const yes = ROWS.filter(([label]) => label === 'yes');
    const missed = yes.filter(([, message]) => answered(message) !== 'yes').map(([, message]) => message);
    expect(missed).toEqual([]);
  });
  test.each(['ok', 'fine', 'k', 'alright'])('%s is too little after something else was said', (message) => {
    expect(answered(message)).toBe('yes');
    expect(answered(message, { reminded: true })).toBe('other');
  });
});
