import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decide } from '../../src/assistant/decide/decide.ts';
import { classifyContext } from '../../src/assistant/read/classify.ts';
import { contextOf, tasksNamed } from '../fixtures/assistant.ts';

/** Title, request, and the text that must come of it. */
const ROWS = readFileSync(new URL('../fixtures/intents/edits.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => line.split('\t') as [string, string, string]);

type Outcome = 'right' | 'asked' | 'wrong' | 'nothing';

function edited(title: string, message: string, text: string): Outcome {
  const list = ['water the plants', title, 'call grandma'];
  const ids = tasksNamed(...list).map(({ task_id }) => task_id);
  const context = contextOf(message, { list, shown: ids, recent: ids[1]! });
  const { steps, question } = decide(context, classifyContext(context));
  const [step, another] = steps;
  if (!step) return question ? 'asked' : 'nothing';
  const { task_id, description } = step.call.parameters;
  return !another && task_id === ids[1] && description === text ? 'right' : 'wrong';
}

test('a hundred edits: the rest of each text stays, or the person is asked', () => {
  const outcomes = ROWS.map((row) => [edited(...row), ...row] as const);
  const of = (outcome: Outcome) => outcomes.filter(([got]) => got === outcome);
  expect(ROWS.length).toBeGreaterThanOrEqual(100);
  expect(of('wrong')).toEqual([]);
  expect(of('right').length + of('asked').length).toBeGreaterThanOrEqual(0.95 * ROWS.length);
  expect(of('right').length).toBeGreaterThanOrEqual(0.85 * ROWS.length);
});

test.each([
  'I like tea, not coffee',
  'he is my brother, not my boss',
  'why tea and not coffee?',
  'I prefer tea instead of coffee',
])('%s changes nothing', (message) => {
  const context = contextOf(message, { list: ['buy coffee', 'call my boss'] });
  expect(decide(context, classifyContext(context)).steps).toEqual([]);
});
