import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServerName } from '../../contract/config.ts';
import { fileServers } from './file-servers.ts';
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

  test('a plain name keeps its alias, whatever a derived one would like to be called', () => {
    for (let attempts = 0; attempts < 6; attempts++) {
      const plain = Array.from({ length: attempts }, (_, attempt) => aliasFor('Ant Design', attempt));
      for (const names of [
        ['Ant Design', ...plain],
        [...plain, 'Ant Design'],
      ]) {
        const aliases = aliasesFor(names);
        for (const name of plain) expect(aliases.get(name)).toBe(name);
        expect(new Set(aliases.values()).size).toBe(names.length);
        expect(ServerName.safeParse(aliases.get('Ant Design')).success).toBe(true);
      }
    }
  });

  test('entries with plain names serve beside one whose derived alias is theirs', () => {
    const names = ['Ant Design', aliasFor('Ant Design'), aliasFor('Ant Design', 1)];
    const servers = fileServers({
      mcpServers: Object.fromEntries(names.map((name) => [name, { command: 'x' }])),
    });
    expect(servers.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
    expect(servers.slice(1).map(({ alias }) => alias)).toEqual(names.slice(1));
  });

  test('an entry that cannot be used is listed under an alias that no other has', () => {
    const twice = [
      { name: 'a', command: 'x' },
      { name: 'a', command: 'y' },
    ];
    const listed = fileServers({ mcpServers: twice })[1]!.alias;
    const servers = fileServers({ mcpServers: [...twice, { name: listed, command: 'z' }] });
    expect(servers[2]).toMatchObject({ alias: listed });
    expect(servers[2]!.problem).toBeUndefined();
    expect(new Set(servers.map(({ alias }) => alias)).size).toBe(3);
  });
});
