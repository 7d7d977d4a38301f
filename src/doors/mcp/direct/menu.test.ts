import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../../../test/fixtures/cases.ts';
import { catalogTool } from '../../../../test/fixtures/catalog-tool.ts';
import type { CatalogTool } from '../../../catalog/index.ts';
import { OperationType } from '../../../contract/operation.ts';
import type { ToolDefinition } from '../../../contract/tool.ts';
import { TokenScope } from '../../../contract/token.ts';
import { createLog } from '../../../lib/log.ts';
import { jsonText } from '../../../json/index.ts';
import { audienceFor, isOutOfScope } from '../../../road/index.ts';
import { createMenu } from './menu.ts';

interface MenuOptions {
  destructive?: 'allow' | 'variants';
  warn?: (about: object) => void;
}

function menuOf(tools: CatalogTool[], { destructive = 'allow', warn = () => {} }: MenuOptions = {}) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const names = [...byName.keys()].sort();
  return createMenu({
    catalog: { get: (name) => byName.get(name), names: () => names, revision: () => 1 },
    config: () => ({ mode: 'search', direct: { destructive, max_menu_tokens: 1000 } }),
    log: { ...createLog('silent'), warn } as ReturnType<typeof createLog>,
  });
}

type Page = { tools: ToolDefinition[]; nextCursor?: string };

/** Every page, as a client reads them. */
function listAll(menu: ReturnType<typeof createMenu>, scope?: TokenScope): ToolDefinition[] {
  const audience = scope && audienceFor(scope);
  const tools: ToolDefinition[] = [];
  let cursor: string | undefined;
  do {
    const page = menu.page({ audience, own: [], cursor }) as Page;
    expect(JSON.parse(jsonText(page))).toEqual(page);
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

const verdict = (operation: OperationType) => ({
  operation: { verdict: operation, source: 'annotation' as const, inferred: operation },
});

test('a tool has the text of its server and the hints of its verdict', () => {
  const definition = {
    name: 'x',
    title: 'X',
    description: 'does x',
    inputSchema: { properties: { n: { type: 'number' } } },
    outputSchema: { type: 'object' },
    annotations: { title: 'Ex', readOnlyHint: true, openWorldHint: false },
    execution: { taskSupport: 'required' },
  };
  const [tool] = listAll(menuOf([catalogTool('s', 'x', { definition, ...verdict('destructive') })]));
  expect(tool).toEqual({
    name: 's__x',
    title: 'X',
    description: 'does x',
    inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
    outputSchema: { type: 'object' },
    annotations: { title: 'Ex', readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    execution: { taskSupport: 'optional' },
    _meta: { 'mcpproxy/name': 's:x' },
  });
});

test('pages of a long menu have each tool once and in order, and every name leads back', () => {
  const tools = Array.from({ length: 2_500 }, (_, n) => catalogTool(`s${n % 7}`, `tool.${n}`));
  const menu = menuOf(tools);
  const listed = listAll(menu);
  const names = listed.map(({ _meta }) => (_meta as Record<string, string>)['mcpproxy/name']);
  expect(names).toEqual(tools.map(({ name }) => name).sort());
  expect(listed.map(({ name }) => menu.resolve(name))).toEqual(names);
  for (const cursor of ['%%%', '', 7, Buffer.from('x').toString('base64')])
    expect(() => menu.page({ audience: undefined, own: [], cursor })).toThrow('Invalid cursor');
});

test('a list that changes between two pages repeats no tool and skips none of those that stay', () => {
  const all = Array.from({ length: 3_000 }, (_, n) => catalogTool(`s${n % 3}`, `tool_${n}`));
  const byName = new Map(all.map((tool) => [tool.name, tool]));
  let [names, revision] = [[...byName.keys()].sort(), 1];
  const menu = createMenu({
    catalog: { get: (name) => byName.get(name), names: () => names, revision: () => revision },
    config: () => ({ mode: 'direct', direct: { destructive: 'allow', max_menu_tokens: 1e9 } }),
    log: createLog('silent'),
  });
  const read = (cursor?: string) => menu.page({ audience: undefined, own: [], cursor }) as Page;
  const first = read();
  const seen = first.tools.map(({ name }) => menu.resolve(name)!);
  // Of what was read: the last one, to which the cursor points, and one more. Of what was not: the next one. And new ones on both sides.
  const gone = [seen.at(-1)!, seen[10]!, names[seen.length]!];
  for (const name of gone) byName.delete(name);
  for (const tool of [catalogTool('a', 'new'), catalogTool('z', 'new')]) byName.set(tool.name, tool);
  [names, revision] = [[...byName.keys()].sort(), 2];
  menu.toolsChanged();
  for (let cursor = first.nextCursor; cursor !== undefined;) {
    const page = read(cursor);
    seen.push(...page.tools.map(({ name }) => menu.resolve(name)!));
    cursor = page.nextCursor;
  }
  const staying = all.map(({ name }) => name).filter((name) => !gone.includes(name));
  expect(seen).toEqual([...staying, gone[0]!, gone[1]!, 'z:new'].sort());
});

test('a large menu is reported once', async () => {
  const warned: object[] = [];
  const tools = Array.from({ length: 100 }, (_, n) => catalogTool('s', `tool_${n}`));
  const menu = menuOf(tools, { warn: (about) => warned.push(about) });
  listAll(menu);
  listAll(menu);
  await menu.state();
  expect(warned).toMatchObject([{ tools: 100, limit: 1000 }]);
  expect(await menu.state()).toMatchObject({ tools: 100, listed: { tools: 100 } });
});

test('a token is shown exactly the offered tools that it may call', () => {
  const pattern = fc.constantFrom('*', 'a', 'b*', 'c');
  const scope = fc.record(
    {
      operations: fc.uniqueArray(fc.constantFrom(...OperationType.options), { minLength: 1 }),
      servers: fc.array(pattern, { minLength: 1, maxLength: 2 }),
      tools: fc.array(fc.tuple(pattern, pattern), { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: ['operations'] },
  );
  const tool = fc
    .record({
      server: fc.constantFrom('a', 'b', 'bb', 'c'),
      name: fc.constantFrom('a', 'b', 'bc', 'c', 'd.e'),
      operation: fc.constantFrom(...OperationType.options),
      offered: fc.boolean(),
    })
    .map(({ server, name, operation, offered }) =>
      catalogTool(server, name, { ...verdict(operation), offered }),
    );
  const unique = fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 20 });
  fc.assert(
    fc.property(unique, scope, fc.boolean(), (tools, { tools: among, ...rest }, isStrict) => {
      const given = TokenScope.parse({
        ...rest,
        ...(among && { tools: among.map((each) => each.join(':')) }),
      });
      const token = { id: '1', name: 't', scope: given };
      const menu = menuOf(tools, { destructive: isStrict ? 'variants' : 'allow' });
      const expected = tools
        .filter((each) => each.offered && !isOutOfScope(token, each.name, each))
        .filter(({ operation }) => !isStrict || operation.verdict !== 'destructive');
      expect(listAll(menu, given).map((each) => menu.resolve(each.name))).toEqual(
        expected.map(({ name }) => name).sort(),
      );
    }),
    { numRuns: cases(300) },
  );
});
