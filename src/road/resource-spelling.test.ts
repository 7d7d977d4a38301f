import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { createPolicy } from '../approval/policy/policy.ts';
import { createItems } from '../catalog/items/items.ts';
import { forgetfulStore } from '../catalog/items/item-store.ts';
import { Config } from '../contract/config.ts';
import type { TokenScope } from '../contract/token.ts';
import { createLog } from '../lib/log.ts';
import { proxiedUri } from '../lib/resource-uri.ts';
import type { ItemRequest } from './request.ts';
import { createRoad } from './road.ts';

// A server may take many spellings for one resource. The rules for it hold for all of them.

const log = createLog('silent');
let config: Config;
let sent: string[];

const items = createItems({
  tools: { get: () => undefined, names: () => [], revision: () => 0 },
  store: forgetfulStore(),
  config: () => config,
  record: () => undefined,
  log,
});
const road = createRoad({
  config: () => config,
  catalog: { get: () => undefined, nearest: () => [] },
  items,
  servers: { view: () => ({ state: 'ready' as const, tool_count: 0 }) },
  activity: {
    state: () => ({ log: 'ok' }),
    open: () => ({ id: 'r', durable: () => Promise.resolve(), close: () => Promise.resolve() }),
  },
  dispatch: (call) => {
    sent.push(call.tool);
    return Promise.resolve({});
  },
  approvals: {
    policy: () => createPolicy(config.approvals.require),
    ttlMs: () => 1000,
    waitMs: () => 0,
    obtainPermit: () => Promise.reject(new Error('a person would be asked')),
  },
  log,
});

function codeOf(kind: ItemRequest, uri: string, scope?: TokenScope): Promise<string> {
  const ref = { ref: { type: 'ref/resource', uri }, argument: { name: 'p', value: '' } };
  return road({
    kind,
    operation: 'read',
    intentSource: 'verdict',
    input: kind === 'completion' ? ref : { uri },
    caller: {
      source: 'mcp',
      requestId: 'q',
      principal: scope ? 'token:t' : 'operator',
      userId: 'u',
      ...(scope && { token: { id: 't', name: 't', scope } }),
    },
    signal: new AbortController().signal,
    ...(kind === 'subscribe' && { watcher: { updated: () => undefined } }),
  }).then(
    () => 'ok',
    (error: unknown) => (error as { code: string }).code,
  );
}

const KINDS: ItemRequest[] = ['resource', 'subscribe', 'completion'];

function listed(uris: string[], given: object = {}): void {
  config = Config.parse(given);
  items.replace(
    'fs',
    'resource',
    uris.map((uri) => ({ uri, name: uri })),
  );
  items.refreshConfig();
}

beforeEach(() => {
  sent = [];
  listed([]);
});

test.each([
  'file:///public/../secret/key',
  'file:///public/%2e%2e/secret/key',
  'file:///public/.%2E/secret/key',
  'file:///public/..%2fsecret/key',
  'file:///public/..\\secret/key',
  'file:///public/%252e%252e/secret/key',
])('a token for one folder cannot leave it by %s', async (uri) => {
  listed(['file:///public/a', 'file:///secret/key']);
  const scope: TokenScope = { operations: ['read'], tools: ['fs:file:///public/*'] };
  for (const kind of KINDS)
    expect(await codeOf(kind, proxiedUri('fs', uri), scope)).toBe('INVALID_ARGUMENTS');
  expect(sent).toEqual([]);
  expect(await codeOf('resource', proxiedUri('fs', 'file:///public/b'), scope)).toBe('ok');
});

test('an error names the normal form, and none that the token may not read', async () => {
  listed(['demo://r/Secret', 'file:///secret/key']);
  const read = (uri: string, scope?: TokenScope) => {
    const token = scope && { id: 't', name: 't', scope };
    return road({
      kind: 'resource',
      operation: 'read',
      intentSource: 'verdict',
      input: { uri: proxiedUri('fs', uri) },
      caller: { source: 'mcp', requestId: 'q', principal: 'p', userId: 'u', ...(token && { token }) },
      signal: new AbortController().signal,
    });
  };
  await expect(read('FILE:///secret/key')).rejects.toThrow("Use 'mcpproxy://fs/file:///secret/key'");
  await expect(read('file:///SECRET/key')).rejects.toThrow("Use 'mcpproxy://fs/file:///secret/key'");
  const scope: TokenScope = { operations: ['read'], tools: ['fs:file:///S*'] };
  await expect(read('file:///SECRET/key', scope)).rejects.toThrow('Use a URI of resources/list');
});

test('a URI is accepted as its server lists it, and the normal form of it is not', async () => {
  const odd = 'FILE:///a/../secret//key#x';
  listed([odd], { mcpServers: { fs: { command: 'x' } } });
  expect(await codeOf('resource', proxiedUri('fs', odd))).toBe('ok');
  expect(await codeOf('resource', odd)).toBe('ok');
  expect(await codeOf('resource', proxiedUri('fs', 'file:///secret/key'))).toBe('INVALID_ARGUMENTS');
  expect(sent).toEqual([odd, odd]);
});

const segment = fc.constantFrom(
  'secret',
  'public',
  'a b',
  'Key',
  'x.md',
  '\u00e9',
  'v1',
  'a@b',
  '~me',
  '%7Bz',
);
const anyUri = fc
  .tuple(
    fc.constantFrom('file:///', 'demo://host/', 'https://example.com/', 'note:', 'FILE:///', 'db:///'),
    fc.array(segment, { minLength: 1, maxLength: 4 }),
    fc.boolean(),
  )
  .map(([start, path, isEncoded]) => start + (isEncoded ? encodeURI(path.join('/')) : path.join('/')));

const replaceAt = (uri: string, at: number, how: (character: string) => string) => {
  const start = uri.indexOf(':') + 1;
  const index = start + (at % (uri.length - start));
  return uri.slice(0, index) + how(uri[index]!) + uri.slice(index + 1);
};
const hex = (character: string) =>
  encodeURIComponent(character).replace(/^[^%]$/, (c) => `%${c.charCodeAt(0).toString(16)}`);
/** What comes after the path is kept. */
const inPath = (uri: string, change: (path: string) => string) => {
  const [path = ''] = /^[^?#]*/.exec(uri) ?? [];
  return change(path) + uri.slice(path.length);
};
const SPELLINGS: Array<(uri: string, at: number) => string> = [
  (uri) => uri.replace(/^[^:]*/, (scheme) => scheme.toUpperCase()),
  (uri) => uri.replace(/^[^:]*/, (scheme) => scheme.toLowerCase()),
  (uri) => uri.replace(/\/\/[^/]*/, (host) => host.toUpperCase()),
  (uri) => uri.replace(/:\/\/+/, ':/'),
  (uri) => uri.replace(/([^/])$/, '$1/.'),
  (uri) => uri.replace(/\/([^/]*)$/, '/./$1'),
  (uri) => uri.replace(/\/([^/]*)$/, '/zz/%2e%2E/$1'),
  (uri) => uri.replace(/\/([^/]*)$/, '\\$1'),
  (uri) => uri.replace(/\/([^/]*)$/, '//$1'),
  (uri) => uri.replace(/\/([^/]*)$/, '%2f$1'),
  (uri) => `${uri}#part`,
  (uri) => `${uri}?`,
  (uri) => `${uri}/`,
  (uri) => encodeURI(uri),
  (uri) => uri.replaceAll(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase()),
  (uri, at) => replaceAt(uri, at, hex),
  (uri, at) => replaceAt(uri, at, (character) => `${character}\t`),
];

test('whatever the spelling, the decision is that for the listed URI, or a refusal', async () => {
  const spelled = fc.array(fc.tuple(fc.constantFrom(...SPELLINGS), fc.nat(60)), {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(anyUri, spelled, fc.constantFrom(...KINDS), async (uri, changes, kind) => {
      const other = changes.reduce((text, [change, at]) => inPath(text, (path) => change(path, at)), uri);
      const isSame = other === uri;
      for (const given of [
        { mcpServers: { fs: { command: 'x', tools: { [uri]: { enabled: false } } } } },
        { approvals: { require: [{ match: { server: 'fs', tool: uri }, action: 'refuse' }] } },
      ]) {
        listed([uri], given);
        sent = [];
        const decision = await codeOf(kind, proxiedUri('fs', uri));
        expect(['TOOL_DISABLED', 'POLICY_REFUSED']).toContain(decision);
        expect(await codeOf(kind, proxiedUri('fs', other))).toBe(isSame ? decision : 'INVALID_ARGUMENTS');
        expect(sent).toEqual([]);
      }
    }),
    { numRuns: 120 },
  );
});
