import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ActivityFilter, CLAUSE_VALUES } from '../activity.ts';
import { filterProblem } from './filter-check.ts';
import { CLAUSE_FIELDS, filterText, parseFilterText } from './filter-text.ts';
import { recordFilter } from './record-filter.ts';

const NOW = Date.parse('2026-11-18T12:00:00Z');

test('values of one field are alternatives, exclusions and words stand beside them', () => {
  expect(
    parseFilterText('agent:cursor op:write,destructive -status:success op:read since:7d tidy "up now"'),
  ).toEqual({
    clauses: [
      { field: 'agent', values: ['cursor'], exclude: false },
      { field: 'op', values: ['write', 'destructive', 'read'], exclude: false },
      { field: 'status', values: ['success'], exclude: true },
    ],
    words: ['tidy', 'up now'],
    since: '7d',
  });
});

test.each([
  ['stauts:refused', 'Unknown field "stauts"'],
  ['status:refsed', '"status:refsed" matches nothing'],
  ['op:delete', 'Values are read, write, destructive'],
  ['server:', '"server" has no value'],
  ['server:"a', 'not closed'],
  ['-word', 'Only a field can be excluded'],
  ['since:noon', '"since:noon" is no time'],
  ['-since:7d', 'takes one time'],
  [`tool:${Array.from({ length: 101 }, (_, i) => i).join()}`, '100 values'],
])('%s is rejected with the reason', (text, reason) => {
  expect(filterProblem(text, CLAUSE_VALUES)).toContain(reason);
  expect(ActivityFilter.safeParse({ filter: text }).success).toBe(false);
});

test('one value becomes the field that has an index; what is left stays a condition', () => {
  const filter = 'agent:cursor server:a,b -tool:x code:DENIED since:2d tidy';
  expect(recordFilter({ filter, server: 'c', start_time: '7d', q: 'up' }, NOW)).toEqual({
    server: 'c',
    principal: 'token:cursor',
    start_time: '2026-11-16T12:00:00.000Z',
    q: 'up tidy',
    clauses: [
      { field: 'server', values: ['a', 'b'], exclude: false },
      { field: 'tool', values: ['x'], exclude: true },
      { field: 'code', values: ['DENIED'], exclude: false },
    ],
  });
  expect(recordFilter({ filter: 'server:a', server: 'b' }, NOW)).toEqual({
    server: 'b',
    clauses: [{ field: 'server', values: ['a'], exclude: false }],
  });
});

test('a filter that is written and read again is the same', () => {
  const value = fc.string({ minLength: 1, maxLength: 12 });
  const clause = fc.record({
    field: fc.constantFrom(...CLAUSE_FIELDS),
    values: fc.uniqueArray(value, { minLength: 1, maxLength: 3 }),
    exclude: fc.boolean(),
  });
  const filter = fc.record({
    clauses: fc.uniqueArray(clause, {
      maxLength: 4,
      selector: ({ field, exclude }) => `${field} ${exclude}`,
    }),
    words: fc.array(value, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(filter, (made) => {
      expect(parseFilterText(filterText(made))).toEqual(made);
    }),
    { numRuns: 200 },
  );
});
