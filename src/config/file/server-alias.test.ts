import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServerName } from '../../contract/config.ts';
import { aliasesFor, aliasFor } from './server-alias.ts';

describe('the alias of a server', () => {
  test.each([
    ['github', 'github'],
    ['my.server_2', 'my.server_2'],
    ['Ant Design Components', /^Ant-Design-Components-bf26$/],
    ['@magicuidesign/mcp', /^magicuidesign-mcp-[0-9a-f]{4}$/],
    ['Café', /^Cafe-[0-9a-f]{4}$/],
    ['天气', /^server-[0-9a-f]{4}$/],
    ['', /^server-[0-9a-f]{4}$/],
    [' tasks', /^tasks-[0-9a-f]{4}$/],
    ['a:b', /^a-b-[0-9a-f]{4}$/],
    ['__proto__', /^proto-[0-9a-f]{4}$/],
    ['fіles', /^f-les-[0-9a-f]{4}$/],
    ['..', /^server-[0-9a-f]{4}$/],
    ['x'.repeat(5000), /^x{59}-[0-9a-f]{4}$/],
  ])('of %j', (name, alias) => {
    expect(aliasFor(name)).toMatch(alias);
  });

  test('is plain, never another name’s, and the same whatever else is in the file', () => {
    const name = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      fc.constantFrom('a b', 'a-b', 'a/b', 'a_b', 'tasks', '__proto__', 'constructor', aliasFor('a b')),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 20 }), (names) => {
        const aliases = aliasesFor(names);
        expect(new Set(aliases.values()).size).toBe(names.length);
        expect(aliasesFor([...names].reverse())).toEqual(aliases);
        for (const alias of aliases.values()) expect(ServerName.safeParse(alias).success).toBe(true);
        for (const each of names)
          if (ServerName.safeParse(each).success) expect(aliases.get(each)).toBe(each);
      }),
    );
  });

  test('where the marks of two names are the same, or a plain name has it already, the others get longer ones', () => {
    const taken = aliasFor('a b');
    const aliases = aliasesFor(['a b', taken]);
    expect(aliases.get(taken)).toBe(taken);
    expect(aliases.get('a b')).toMatch(/^a-b-[0-9a-f]{16}$/);
  });
});
