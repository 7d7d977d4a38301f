import { expect, test } from 'vitest';
import { z } from 'zod';
import { ServerTitle } from './config.ts';
import { issueText } from './issue-text.ts';

const Schema = z.object({
  range: z.number().int().min(1).max(100).default(3),
  query: z.coerce.number().int().min(1).max(100).optional(),
  least: z.number().min(1),
  positive: z.array(z.number().positive()),
  whole: z.number().int(),
  text: z.string().min(1),
  short: z.string().min(2).max(4),
  cut: z.string().max(1).optional(),
  list: z.array(z.string()).min(1),
  piped: z.string().transform(Number).pipe(z.number().min(1).max(5)),
  choice: z.enum(['a', 'b']),
  flag: z.boolean(),
  own: z.string().regex(/^x/, 'must start with x'),
});

const VALID = {
  least: 1,
  positive: [],
  whole: 1,
  text: 'x',
  short: 'xx',
  list: ['x'],
  piped: '1',
  choice: 'a',
  flag: true,
  own: 'x',
};

test.each([
  [{ range: 0 }, 'must be between 1 and 100'],
  [{ query: '500' }, 'must be between 1 and 100'],
  [{ least: 0 }, 'must be at least 1'],
  [{ positive: [-1] }, 'must be greater than 0'],
  [{ whole: 1.5 }, 'must be a whole number'],
  [{ whole: 'x' }, 'must be a number'],
  [{ whole: undefined }, 'is required'],
  [{ text: '' }, 'must not be empty'],
  [{ short: 'x' }, 'must have between 2 and 4 characters'],
  [{ cut: 'xx' }, 'must have at most 1 character'],
  [{ list: [] }, 'must have at least 1 item'],
  [{ piped: '9' }, 'must be between 1 and 5'],
  [{ choice: 'c' }, 'must be one of a, b'],
  [{ flag: 'yes' }, 'must be true or false'],
  [{ own: 'y' }, 'must start with x'],
])('%j', (wrong, text) => {
  const { error } = Schema.safeParse({ ...VALID, ...wrong });
  expect(error!.issues.map((issue) => issueText(issue, Schema))).toEqual([text]);
});

test('the name of a server says in words what it must be', () => {
  const said = (name: string) => ServerTitle.safeParse(name).error?.issues.map(({ message }) => message);
  expect(said('')).toEqual(['must not be empty']);
  expect(said('x'.repeat(201))).toEqual(['must have at most 200 characters']);
});
