import { expect, test } from 'vitest';
import { classify } from './classify.ts';

const intentOf = (message: string, pending?: string) =>
  classify({ message, ...(pending !== undefined && { pending: { task_description: pending } }) }).user_intent;

test.each([
  ['cancel the dentist appointment', 'dentist appointment'],
  ['cancel netflix', 'netflix'],
  ['cancel gym', 'gym'],
  ['cancel call mom', 'call mom'],
  ['cancel my dentist reminder', 'dentist'],
  ['forget the milk task', 'milk'],
  ['forget about the dentist', 'dentist'],
  ['forget buy milk', 'buy milk'],
])('something is cancelled: %s', (message, task_reference) => {
  expect(intentOf(message)).toMatchObject({
    intent_type: 'DELETE_TASK',
    extracted_params: { task_reference },
  });
  expect(intentOf(message, 'wash the car').intent_type).toBe('DELETE_TASK');
});

test.each([
  ['cancel', 'CONFIRM_NO'],
  ['forget it', 'CONFIRM_NO'],
  ['cancel that', 'CONFIRM_NO'],
  ["don't forget to cancel the gym membership", 'CREATE_TASK'],
  ["don't forget the milk", 'CREATE_TASK'],
])('bare, or with a "not": %s is %s', (message, type) => {
  expect(intentOf(message, 'wash the car').intent_type).toBe(type);
});

test.each([
  'cancel my flight',
  'cancel my subscription',
  'cancel the alarm',
  'cancel my order',
  'cancel the meeting with bob',
  'cancel lunch next wednesday',
  'cancel culture is out of control',
  'forget about him',
])('what others keep is not deleted here: %s', (message) => {
  expect(['GENERAL_CHAT', 'AMBIGUOUS']).toContain(intentOf(message).intent_type);
});
