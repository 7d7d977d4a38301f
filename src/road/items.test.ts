import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { catalogTool } from '../../test/fixtures/catalog-tool.ts';
import { forgetfulStore } from '../catalog/items/item-store.ts';
import { createItems } from '../catalog/items/items.ts';
import { createPolicy } from '../approval/policy/policy.ts';
import { Config } from '../contract/config.ts';
import type { ItemKind } from '../contract/item.ts';
import { OperationType } from '../contract/operation.ts';
import type { TokenScope } from '../contract/token.ts';
import { createListItems } from '../doors/mcp/items/list-items.ts';
import { createLog } from '../lib/log.ts';
import { proxiedUri } from '../lib/resource-uri.ts';
import type { Outcome, RecordDraft } from '../log/record/record.ts';
import type { DispatchCall } from '../upstream/dispatch/dispatch-call.ts';
import type { ItemRequest } from './request.ts';
import { createRoad } from './road.ts';

// Prompts, resources, templates and completions on the road, with real catalogs and a list of what would be sent.

const SERVERS = ['a', 'b', 'c-1'];
const NAMES = ['x', 'y:z', 'list_all'];
const log = createLog('silent');
let config = Config.parse({});
let sent: DispatchCall[];
let records: Array<RecordDraft & Partial<Outcome>>;
let answer: Record<string, unknown>;

const items = createItems({
  tools: { get: () => undefined, names: () => [], revision: () => 0 },
  store: forgetfulStore(),
  config: () => config,
  record: () => undefined,
  log,
});
for (const server of SERVERS) {
  items.replace(
    server,
    'prompt',
    NAMES.map((name) => ({ name })),
  );
  items.replace(
    server,
    'resource',
    NAMES.map((name) => ({ uri: name, name })),
  );
  items.replace(
    server,
    'template',
    NAMES.map((name) => ({ uriTemplate: `${name}/{id}`, name })),
  );
  items.replace(
    server,
    'skill',
    NAMES.map((name) => ({
      uri: `${name}/SKILL.md`,
      frontmatter: { name, description: 'd' },
      resources: [],
    })),
  );
}
const list = createListItems(items);

const road = createRoad({
  config: () => config,
  catalog: { get: () => undefined, nearest: () => [] },
  items,
  servers: {
    view: (name) => (SERVERS.includes(name) ? { state: 'ready' as const, tool_count: 0 } : undefined),
  },
  activity: {
    state: () => ({ log: 'ok' }),
    open: (draft) => ({
      id: 'r',
      durable: () => Promise.resolve(),
      close: async (outcome) => void records.push({ ...draft, ...outcome }),
    }),
  },
  dispatch: (call) => {
    sent.push(call);
    call.onTurn?.();
    const skill = items.skill.get(`${call.server}:${call.tool}`)?.definition.source;
    return Promise.resolve({ ...answer, ...(call.kind === 'skill' && { skill }) });
  },
  approvals: {
    policy: () => createPolicy(config.approvals.require),
    ttlMs: () => 1000,
    waitMs: () => 0,
    obtainPermit: () => Promise.reject(new Error('a person would be asked')),
  },
  log,
});

const identity = (scope?: TokenScope) => ({
  principal: scope ? 'token:t' : 'operator',
  userId: 'u',
  ...(scope && { token: { id: 't', name: 't', scope } }),
});

function ask(kind: ItemRequest, input: unknown, scope?: TokenScope) {
  return road({
    kind,
    operation: 'read',
    intentSource: 'verdict',
    input,
    caller: { source: 'mcp', requestId: 'q', ...identity(scope) },
    signal: new AbortController().signal,
    ...((kind === 'subscribe' || kind === 'unsubscribe') && { watcher: { updated: () => undefined } }),
  });
}

const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'ok',
    (error: unknown) => (error as { code: string }).code,
  );

beforeEach(() => {
  [sent, records, answer] = [[], [], {}];
  config = Config.parse({});
});

const REQUESTS: Array<{ kind: ItemRequest; of: ItemKind; input: (server: string, name: string) => object }> =
  [
    { kind: 'prompt', of: 'prompt', input: (server, name) => ({ name: `${server}:${name}` }) },
    { kind: 'resource', of: 'resource', input: (server, name) => ({ uri: proxiedUri(server, name) }) },
    { kind: 'subscribe', of: 'resource', input: (server, name) => ({ uri: proxiedUri(server, name) }) },
    { kind: 'skill', of: 'skill', input: (server, name) => ({ uri: proxiedUri(server, name) }) },
    { kind: 'directory', of: 'resource', input: (server, name) => ({ uri: proxiedUri(server, name) }) },
    {
      kind: 'completion',
      of: 'prompt',
      input: (server, name) => ({
        ref: { type: 'ref/prompt', name: `${server}:${name}` },
        argument: { name: 'p', value: 'v' },
      }),
    },
    {
      kind: 'completion',
      of: 'template',
      input: (server, name) => ({
        ref: { type: 'ref/resource', uri: proxiedUri(server, name) },
        argument: { name: 'p', value: 'v' },
      }),
    },
  ];

/** Of the names of a kind. */
const ENDING: Partial<Record<ItemKind, string>> = { template: '/{id}', skill: '/SKILL.md' };

const anyScope: fc.Arbitrary<TokenScope> = fc.record(
  {
    operations: fc.subarray([...OperationType.options], { minLength: 1 }),
    servers: fc.array(fc.constantFrom('a', 'b', 'c-*', '*', 'nobody'), { minLength: 1, maxLength: 3 }),
    tools: fc.array(fc.constantFrom('a:*', 'b:x', '*:list_*', 'c-1:y:*', '*:*/{id}'), {
      minLength: 1,
      maxLength: 3,
    }),
  },
  { requiredKeys: ['operations'] },
);

describe('the scope of a token', () => {
  test.each(REQUESTS)(
    '%# what is listed can be had, and nothing else: $kind of a $of',
    async ({ kind, of, input }) => {
      const outcomes = new Set<string>();
      await fc.assert(
        fc.asyncProperty(anyScope, async (scope) => {
          sent = [];
          const page = list(of, { identity: identity(scope), cursor: undefined });
          const entries = Object.values(page)[0] as Array<Record<string, string>>;
          const listed = new Set(entries.map((entry) => entry.uri ?? entry.uriTemplate ?? entry.name));
          for (const server of SERVERS)
            for (const name of NAMES.map((each) => each + (ENDING[of] ?? ''))) {
              const before = sent.length;
              const code = await codeOf(ask(kind, input(server, name), scope));
              const isListed = listed.has(of === 'prompt' ? `${server}:${name}` : proxiedUri(server, name));
              expect({ scope, server, name, code }).toEqual({
                scope,
                server,
                name,
                code: isListed ? 'ok' : 'OUT_OF_SCOPE',
              });
              expect(sent.length - before).toBe(isListed ? 1 : 0);
              outcomes.add(code);
            }
        }),
        { numRuns: 60 },
      );
      expect(outcomes).toEqual(new Set(['ok', 'OUT_OF_SCOPE']));
    },
  );
});

describe('what is sent', () => {
  test('names and URIs are those of the server', async () => {
    await ask('prompt', { name: 'a:y:z', arguments: { p: 'q' } });
    await ask('resource', { uri: 'mcpproxy://b/test://n?x=y' });
    await ask('completion', REQUESTS.at(-1)!.input('a', 'x/{id}'));
    expect(sent).toMatchObject([
      { server: 'a', tool: 'y:z', kind: 'prompt', args: { p: 'q' }, repeatable: true },
      { server: 'b', tool: 'test://n?x=y', kind: 'resource' },
      { server: 'a', kind: 'completion', args: { ref: { type: 'ref/resource', uri: 'x/{id}' } } },
    ]);
    expect(records).toMatchObject([
      { type: 'prompt_get', server_name: 'a', tool_name: 'y:z', status: 'success', operation_type: 'read' },
      { type: 'resource_read', server_name: 'b', arguments: { uri: 'test://n?x=y' } },
      { type: 'completion', server_name: 'a', tool_name: 'x/{id}' },
    ]);
  });

  test.each([
    ['prompt', { name: 'x' }, 'INVALID_ARGUMENTS'],
    ['prompt', { name: 'a:nope' }, 'PROMPT_NOT_FOUND'],
    ['prompt', { name: 'a:x', arguments: [] }, 'INVALID_ARGUMENTS'],
    ['prompt', null, 'INVALID_ARGUMENTS'],
    ['resource', { uri: 7 }, 'INVALID_ARGUMENTS'],
    ['resource', { uri: 'x\u0000y' }, 'INVALID_ARGUMENTS'],
    ['resource', { uri: 'nobody://has/this' }, 'RESOURCE_NOT_FOUND'],
    ['resource', { uri: 'mcpproxy://nobody/x' }, 'RESOURCE_NOT_FOUND'],
    ['resource', { uri: 'mcpproxy://a/' }, 'RESOURCE_NOT_FOUND'],
    ['resource', { uri: 'x' }, 'INVALID_ARGUMENTS'],
    ['completion', { ref: { type: 'ref/tool' }, argument: {} }, 'INVALID_ARGUMENTS'],
    ['completion', { ref: { type: 'ref/prompt', name: 'a:x' } }, 'INVALID_ARGUMENTS'],
    ['completion', { ref: { type: 'ref/prompt', name: 'a:no' }, argument: {} }, 'PROMPT_NOT_FOUND'],
  ] as const)('%s %j is refused with %s, and recorded', async (kind, input, code) => {
    expect(await codeOf(ask(kind, input))).toBe(code);
    expect(sent).toEqual([]);
    expect(records).toMatchObject([{ status: 'refused', error_code: code }]);
  });

  test('a URI that several servers have is refused with the URIs that are clear', async () => {
    await expect(ask('resource', { uri: 'x' })).rejects.toMatchObject({
      details: { candidates: SERVERS.map((server) => proxiedUri(server, 'x')) },
    });
    await ask('resource', { uri: 'x' }, { operations: ['read'], servers: ['b'] });
    expect(sent).toMatchObject([{ server: 'b', tool: 'x' }]);
  });

  test('a URI of a result can be read by the client that got it, and by nobody else', async () => {
    answer = {
      messages: [{ role: 'user', content: { type: 'resource', resource: { uri: 'seen://1', text: '' } } }],
    };
    await ask('prompt', { name: 'b:x' });
    await ask('resource', { uri: 'seen://1' });
    expect(sent.at(-1)).toMatchObject({ server: 'b', tool: 'seen://1' });
    expect(await codeOf(ask('resource', { uri: 'seen://1' }, { operations: ['read'] }))).toBe(
      'RESOURCE_NOT_FOUND',
    );
  });

  test('a rule of the policy holds by name and by server, and for no other', async () => {
    const refuse = (match: object) => ({ match, action: 'refuse' as const });
    config = Config.parse({
      approvals: { require: [refuse({ server: 'a', tool: 'y:*' }), refuse({ server: 'b' })] },
    });
    expect(await codeOf(ask('prompt', { name: 'a:y:z' }))).toBe('POLICY_REFUSED');
    expect(await codeOf(ask('resource', { uri: 'mcpproxy://a/y:z' }))).toBe('POLICY_REFUSED');
    expect(await codeOf(ask('subscribe', { uri: 'mcpproxy://b/x' }))).toBe('POLICY_REFUSED');
    expect(await codeOf(ask('prompt', { name: 'a:x' }))).toBe('ok');
    expect(sent).toHaveLength(1);
  });

  test('the settings of a server switch off its prompts and resources, listed or not', async () => {
    config = Config.parse({
      mcpServers: { a: { command: 'x', tools: { '*': { enabled: false }, x: { enabled: true } } } },
    });
    items.refreshConfig();
    expect(await codeOf(ask('prompt', { name: 'a:list_all' }))).toBe('TOOL_DISABLED');
    expect(await codeOf(ask('resource', { uri: 'mcpproxy://a/r:other' }))).toBe('TOOL_DISABLED');
    expect(await codeOf(ask('prompt', { name: 'a:x' }))).toBe('ok');
    config = Config.parse({});
    items.refreshConfig();
  });
});

test('a tool of the same name is another thing', () => {
  expect(catalogTool('a', 'x').name).toBe(items.prompt.get('a:x')!.name);
  expect(items.prompt.get('a:x')!.operation).toMatchObject({ verdict: 'read', source: 'annotation' });
});
