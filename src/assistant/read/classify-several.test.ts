import { describe, expect, test } from 'vitest';
import { classify } from './classify.ts';

/** Each clause as its intent and what it is about. */
function wishes(message: string): string[] {
  return classify({ message }).clauses.map(({ user_intent: { intent_type, extracted_params } }) => {
    const said = Object.values(extracted_params).filter((value) => typeof value === 'string');
    return [intent_type.replace(/_TASKS?$/, '').toLowerCase(), ...said].join(' ');
  });
}

describe('one order after another', () => {
  test.each([
    ['add bread and complete milk', 'create bread', 'complete milk'],
    ['add bread and then complete milk', 'create bread', 'complete milk'],
    ['please add bread, then complete milk', 'create bread', 'complete milk'],
    ['add bread, complete buy milk and show me my list', 'create bread', 'complete buy milk', 'list'],
    ['complete milk and delete bread', 'complete milk', 'delete bread'],
    ['complete milk, delete bread and add tea', 'complete milk', 'delete bread', 'create tea'],
    ['add milk, delete bread', 'create milk', 'delete bread'],
    ['add "tea", add "jam", add "ham"', 'create tea', 'create jam', 'create ham'],
    ['rename milk to oat milk and complete bread', 'update milk oat milk', 'complete bread'],
    ['put tea on my list and complete milk', 'create tea', 'complete milk'],
    ['complete task 2 and add call bob', 'complete task 2', 'create call bob'],
  ])('%s', (message, ...parts) => {
    expect(wishes(message)).toEqual(parts);
  });

  test('many of them are all read', () => {
    const orders = Array.from({ length: 12 }, (_, i) => `add "task ${i}"`).join(', ');
    expect(wishes(orders)).toEqual(Array.from({ length: 12 }, (_, i) => `create task ${i}`));
  });

  test('with a delete among them the person is asked', () => {
    expect(classify({ message: 'complete milk and delete bread' }).user_intent.intent_type).toBe('AMBIGUOUS');
  });

  test.each([
    ['remind me to buy milk and call mom', 'create buy milk and call mom'],
    ['remind me to finish the essay and delete the drafts', 'create finish the essay and delete the drafts'],
    ['add wash and fold the laundry', 'create wash and fold the laundry'],
    ['add review and complete the report', 'create review and complete the report'],
    ['add call Bob and remove the old sofa', 'create call Bob and remove the old sofa'],
    ['add a task to print and complete the form', 'create print and complete the form'],
    ['delete buy and wrap gifts', 'delete buy and wrap gifts'],
    ['add "wait and delete it"', 'create wait and delete it'],
  ])('a verb inside a title begins nothing new: %s', (message, only) => {
    expect(wishes(message)).toEqual([only]);
  });
});

describe('several new tasks in one order', () => {
  test.each([
    ['add milk, and also call mom', 'create milk', 'create call mom'],
    ['please add milk and also complete task 2', 'create milk', 'complete task 2'],
    ['remind me to call mom and also to buy bread', 'create call mom', 'create buy bread'],
    ['add two tasks: call mom, buy bread and butter', 'create call mom', 'create buy bread and butter'],
    ['add these tasks: tea, jam and ham', 'create tea', 'create jam', 'create ham'],
    ['add:\n- eggs\n- tea\n- jam', 'create eggs', 'create tea', 'create jam'],
    ['add the following tasks:\n1. call mom at 5\n2. pay rent', 'create call mom at 5', 'create pay rent'],
    ['add these:\neggs\ntea', 'create eggs', 'create tea'],
    ['please add to my list:\r\n* [ ] eggs\r\n* [ ] delete the cat', 'create eggs', 'create delete the cat'],
    ['add:\n- eggs\nand complete task 2', 'create eggs', 'complete task 2'],
  ])('%j', (message, ...parts) => {
    expect(wishes(message)).toEqual(parts);
  });

  test.each([
    ['add salt, pepper and oregano', 'create salt, pepper and oregano'],
    ['please add tea, jam & ham', 'create tea, jam & ham'],
    ['add eggs, milk and bread to my list', 'create eggs, milk and bread'],
    ['add buy eggs, milk and bread', 'create buy eggs, milk and bread'],
    ['add wash, dry and fold the laundry', 'create wash, dry and fold the laundry'],
    ['add lunch with tom, dick and harry to my list', 'create lunch with tom, dick and harry'],
    ['add apples and a new lamp to my list', 'create apples and a new lamp'],
  ])('a row is one task: %s', (message, only) => {
    expect(wishes(message)).toEqual([only]);
  });

  test.each([
    ['add call mom, pay the rent, and buy milk', 'create call mom', 'create pay the rent', 'create buy milk'],
    ['add: water the basil, feed the cat', 'create water the basil', 'create feed the cat'],
    [
      'add pay rent; call mom. clean the kitchen',
      'create pay rent',
      'create call mom',
      'create clean the kitchen',
    ],
    ['add "change the filter" and "clean the vacuum"', 'create change the filter', 'create clean the vacuum'],
    ['add go to St. Mark', 'create go to St. Mark'],
    ['add milk. you are great', 'create milk'],
  ])('things to do, each with its own verb, are several tasks: %s', (message, ...each) => {
    expect(wishes(message)).toEqual(each);
  });

  test('more lines than are made at once are asked about, not cut', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `- thing ${i}`).join('\n');
    expect(wishes(`add:\n${lines}`)).toEqual(['create']);
  });
});
