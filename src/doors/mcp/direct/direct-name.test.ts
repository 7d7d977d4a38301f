import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../../../test/fixtures/cases.ts';
import { ServerName } from '../../../contract/config.ts';
import { directName, isMarked, readPlainName } from './direct-name.ts';

test.each([
  ['files', 'read_text_file', 'files__read_text_file'],
  ['a', 'b__c', 'a__b__c'],
  ['my_files', '_private', 'my_files___private'],
])('%s and %s make %s, which can be read back', (server, tool, name) => {
  expect(directName(server, tool)).toBe(name);
  expect(readPlainName(name)).toBe(`${server}:${tool}`);
});

test.each([
  ['two servers that a separator could mean', 'a__b', 'c'],
  ['a server that ends with the separator', 'a_', 'b'],
  ['characters that clients reject', 'my.files', 'read/all ü'],
  ['a name that is too long', 's'.repeat(40), 't'.repeat(40)],
  ['a name that looks changed', 'files', 'read_-0123456789'],
])('a changed name for %s', (_, server, tool) => {
  const name = directName(server, tool);
  expect(isMarked(name)).toBe(true);
  expect(readPlainName(name)).toBeUndefined();
  expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(name).toContain('__');
});

const server = fc.oneof(
  fc.stringMatching(/^[a-c][a-c_.-]{0,6}$/),
  fc.string({ maxLength: 64 }).filter((text) => ServerName.safeParse(text).success),
);
const tool = fc.oneof(fc.stringMatching(/^[a-c_-]{1,6}$/), fc.string({ minLength: 1, maxLength: 256 }));

test('two tools never share a name, and every name fits every client', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(server, tool), { selector: ([a, b]) => `${a}:${b}` }), (pairs) => {
      const names = pairs.map(([a, b]) => directName(a, b));
      expect(new Set(names).size).toBe(pairs.length);
      for (const [index, name] of names.entries()) {
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        if (!isMarked(name)) expect(readPlainName(name)).toBe(pairs[index]!.join(':'));
      }
    }),
    { numRuns: cases(500) },
  );
});
