import { expect, test } from 'vitest';
import { classify } from './classify.ts';

const read = (message: string) =>
  classify({ message, pending: { task_description: 'buy milk' } }).user_intent;

test.each([
  ['no, complete it instead', 'COMPLETE_TASK', 'it'],
  ['no, just complete it', 'COMPLETE_TASK', 'it'],
  ['no, I meant book flights', 'DELETE_TASK', 'book flights'],
  ['no I meant the dentist task', 'DELETE_TASK', 'dentist'],
  ['wait, I meant the second one', 'DELETE_TASK', 'second one'],
  ['no, I meant complete it', 'COMPLETE_TASK', 'it'],
  ['no, delete bread instead', 'DELETE_TASK', 'bread'],
])('a no with a wish keeps the wish: %s', (message, intent_type, task_reference) => {
  expect(read(message)).toMatchObject({ intent_type, extracted_params: { task_reference } });
});

test.each([
  "let's keep it",
  'maybe later',
  'later',
  'another time',
  'I want to keep it',
  'no, I meant to keep it',
  'no, I want to keep it',
  'I meant no',
])('%s is a no', (message) => {
  expect(read(message).intent_type).toBe('CONFIRM_NO');
});

test.each(['yes and also call mom', 'yes, and the dentist', 'up to you'])(
  '%s is no plain yes, and is asked about',
  (message) => {
    expect(read(message)).toEqual({
      intent_type: 'AMBIGUOUS',
      extracted_params: { possible_intents: ['CONFIRM_YES', 'CONFIRM_NO'] },
    });
  },
);

test.each(['maybe later', "let's keep it"])('nothing waits: %s is talk', (message) => {
  expect(classify({ message }).user_intent.intent_type).toBe('GENERAL_CHAT');
});
