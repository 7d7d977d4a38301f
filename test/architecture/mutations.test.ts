import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MOST_DOORS } from '../../scripts/structure/rooms.ts';
import { breaches } from '../../scripts/structure/rules.ts';
import { readTree, type SourceFile } from '../../scripts/structure/source-tree.ts';

// The rules of the architecture are themselves tested: each change below breaks one of them in a copy of the tree, and must be found.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Mutation {
  title: string;
  /** New files, and lines put in front of existing ones. */
  write?: Record<string, string>;
  prepend?: Record<string, string>;
  finds: RegExp;
}

const MUTATIONS: Mutation[] = [
  {
    title: 'a second sender that uses the dispatcher',
    write: {
      'src/doors/mcp/shortcut.ts': `
        import { createDispatch } from '../../upstream/dispatch/dispatch.ts';
        export const send = (upstreams: never, call: never) => createDispatch(upstreams)(call);`,
    },
    finds: /src\/doors\/mcp\/shortcut\.ts imports the dispatcher src\/upstream\/dispatch\/dispatch\.ts/,
  },
  {
    title: 'a second sender in a door that uses the connections behind the dispatcher',
    write: {
      'src/doors/mcp/shortcut.ts': `
        import { connectionsOf } from '../../upstream/upstreams.ts';
        export const send = (upstreams: never, call: never) =>
          connectionsOf(upstreams).get('s')!.upstream.lane!.request('tools/call', {}, call);`,
    },
    finds: /src\/doors\/mcp\/shortcut\.ts imports src\/upstream\/upstreams\.ts, which is private/,
  },
  {
    title: 'a second sender beside the dispatcher that uses its connections',
    write: {
      'src/upstream/again.ts': `
        import { connectionsOf } from './upstreams.ts';
        export const send = (upstreams: never, method: string, call: never) =>
          connectionsOf(upstreams).get('s')!.upstream.lane!.request(method, {}, call);`,
    },
    finds: /src\/upstream\/again\.ts sends tools\/call/,
  },
  {
    title: 'a second sender beside the dispatcher',
    write: { 'src/upstream/dispatch/again.ts': `export const METHOD = 'tools/call';` },
    finds: /src\/upstream\/dispatch\/again\.ts sends tools\/call/,
  },
  {
    title: 'a resource read around the list',
    write: {
      'src/upstream/dispatch/read.ts': `export const read = (lane: { go(m: string): void }) => lane.go('resources/read');`,
    },
    finds: /src\/upstream\/dispatch\/read\.ts sends tools\/call or another request of a caller/,
  },
  {
    title: 'a prompt fetched around the list',
    write: {
      'src/road/steps/fetch-prompt.ts': `export const get = (lane: { go(m: string): void }) => lane.go("prompts/get");`,
    },
    finds: /src\/road\/steps\/fetch-prompt\.ts sends tools\/call or another request of a caller/,
  },
  {
    title: 'a skill fetched around the list',
    write: {
      'src/road/steps/fetch-skill.ts': `export const get = (lane: { go(m: string): void }) => lane.go('skills/get');`,
    },
    finds: /src\/road\/steps\/fetch-skill\.ts sends tools\/call or another request of a caller/,
  },
  {
    title: 'a resource read beside the lists that the proxy asks for',
    write: {
      'src/upstream/connection/read.ts': `
        import type { Lane } from '../transport/lane.ts';
        const method = ['resources', 'read'].join('/');
        export const read = (lane: Lane, call: never) => lane.request(method, { uri: 'x' }, call);`,
    },
    finds: /src\/upstream\/connection\/read\.ts writes to a connection/,
  },
  {
    title: 'a prompt fetched with the client of the SDK',
    write: {
      'src/upstream/connection/prompt.ts': `
        import type { Client } from '@modelcontextprotocol/client';
        export const get = (client: Client) => client.getPrompt({ name: 'x' });`,
    },
    finds: /src\/upstream\/connection\/prompt\.ts sends tools\/call or another request of a caller/,
  },
  {
    title: 'a second sender in the road that goes past the dispatcher',
    write: {
      'src/road/steps/again.ts': `export const again = (client: { callTool(a: unknown): void }) => client.callTool({});`,
    },
    finds: /src\/road\/steps\/again\.ts sends tools\/call/,
  },
  {
    title: 'the dispatcher, exported again by a door of its room',
    prepend: { 'src/upstream/index.ts': `export * from './dispatch/dispatch.ts';\n` },
    finds: /src\/upstream\/index\.ts imports the dispatcher/,
  },
  {
    title: 'the dispatcher, exported again by the road',
    prepend: { 'src/road/index.ts': `export { createDispatch } from '../upstream/dispatch/dispatch.ts';\n` },
    finds: /src\/road\/index\.ts imports the dispatcher/,
  },
  {
    title: 'the connections behind the dispatcher, exported again',
    prepend: { 'src/upstream/index.ts': `export { connectionsOf } from './upstreams.ts';\n` },
    finds: /src\/upstream\/index\.ts sends tools\/call/,
  },
  {
    title: 'a request of its own with fetch',
    write: { 'src/doors/mcp/own.ts': `export const send = (url: string) => fetch(url, { method: 'POST' });` },
    finds: /src\/doors\/mcp\/own\.ts uses a client of the platform/,
  },
  {
    title: 'a request of its own with node:http',
    write: { 'src/doors/mcp/own.ts': `import { request } from 'node:http'; export const send = request;` },
    finds: /src\/doors\/mcp\/own\.ts imports node:http/,
  },
  {
    title: 'a request of its own with undici',
    write: { 'src/doors/mcp/own.ts': `export { request } from 'undici';` },
    finds: /src\/doors\/mcp\/own\.ts imports undici/,
  },
  {
    title: 'a method name in pieces, sent with undici from the room of the connections',
    write: {
      'src/upstream/transport/again.ts': `
        import { request } from 'undici';
        const method = ['tools', 'call'].join('/');
        export const send = (url: string) => request(url, { method: 'POST', body: JSON.stringify({ method }) });`,
    },
    finds: /src\/upstream\/transport\/again\.ts imports undici/,
  },
  {
    title: 'a method name in pieces, sent with undici beside the relay',
    write: { 'src/doors/mcp/relay/again.ts': `export { request } from 'undici';` },
    finds: /src\/doors\/mcp\/relay\/again\.ts imports undici/,
  },
  ...['lane.request(method, {}, call)', "lane['request'](method, {}, call)", 'lane.ask(method, {}, 1)'].map(
    (sending) => ({
      title: `a method name in pieces, written to a connection: ${sending}`,
      write: {
        'src/upstream/connection/again.ts': `
          import type { Lane } from '../transport/lane.ts';
          const method = ['tools', 'call'].join('/');
          export const send = (lane: Lane, call: never) => ${sending};`,
      },
      finds: /src\/upstream\/connection\/again\.ts writes to a connection/,
    }),
  ),
  {
    title: 'a thread of its own',
    write: { 'src/assistant/own.ts': `export { Worker } from 'node:worker_threads';` },
    finds: /src\/assistant\/own\.ts imports node:worker_threads/,
  },
  {
    title: 'an import of a computed path',
    write: { 'src/lib/late.ts': `export const load = (name: string) => import('../upstream/' + name);` },
    finds: /src\/lib\/late\.ts imports \(computed\)/,
  },
  {
    title: 'an import in brackets',
    write: { 'src/lib/late.ts': `export const load = () => import(('../upstream/upstreams.ts'));` },
    finds: /src\/lib\/late\.ts imports \(computed\)/,
  },
  {
    title: 'a module loaded by require',
    write: {
      'src/lib/late.ts': `import { createRequire } from 'node:module'; export const load = createRequire(import.meta.url);`,
    },
    finds: /src\/lib\/late\.ts loads modules in a way that cannot be checked/,
  },
  {
    title: 'a private type, taken by import()',
    write: { 'web/src/late.ts': `export type Road = import('../../src/road/road.ts').Road;` },
    finds: /web\/src\/late\.ts imports src\/road\/road\.ts, which is private/,
  },
  {
    title: 'a file that is not TypeScript',
    write: { 'src/lib/plain.js': `export const plain = 1;` },
    finds: /src\/lib\/plain\.js is not TypeScript/,
  },
  {
    title: 'a test, imported by the product',
    prepend: { 'src/lib/rpc.ts': `export * from './rpc.test.ts';\n` },
    finds: /src\/lib\/rpc\.ts imports the test/,
  },
  {
    title: 'an MCP client of its own',
    write: { 'src/assistant/own-client.ts': `export { Client } from '@modelcontextprotocol/client';` },
    finds: /src\/assistant\/own-client\.ts imports @modelcontextprotocol\/client/,
  },
  {
    title: 'a process of its own',
    write: {
      'src/assistant/own-process.ts': `import { spawn } from 'node:child_process'; export const run = spawn;`,
    },
    finds: /src\/assistant\/own-process\.ts imports node:child_process/,
  },
  {
    title: 'the dispatcher, imported by a door',
    prepend: {
      'src/doors/http/rest.ts': `import type { Dispatch } from '../../upstream/dispatch/dispatch.ts';\n`,
    },
    finds: /src\/doors\/http\/rest\.ts imports the dispatcher/,
  },
  {
    title: 'a private file, imported from outside',
    prepend: { 'src/road/road.ts': `import '../catalog/search/tokenize.ts';\n` },
    finds: /src\/road\/road\.ts imports src\/catalog\/search\/tokenize\.ts, which is private/,
  },
  {
    title: 'a private file, imported by import()',
    prepend: { 'src/road/road.ts': `export const late = () => import('../catalog/search/tokenize.ts');\n` },
    finds: /src\/road\/road\.ts imports src\/catalog\/search\/tokenize\.ts, which is private/,
  },
  {
    title: 'an upward import',
    prepend: { 'src/catalog/catalog.ts': `import type { CallTool } from '../road/index.ts';\n` },
    finds: /src\/catalog\/catalog\.ts \(catalog\) imports src\/road\/index\.ts \(road\): not below it/,
  },
  {
    title: 'a sideways import',
    prepend: { 'src/token/tokens.ts': `import type { Catalog } from '../catalog/index.ts';\n` },
    finds: /src\/token\/tokens\.ts \(token\) imports src\/catalog\/index\.ts \(catalog\): not below it/,
  },
  {
    title: 'the web app, importing the road',
    prepend: { 'web/src/main.tsx': `import { createRoad } from '../../src/road/index.ts';\n` },
    finds: /web\/src\/main\.tsx \(web\) imports src\/road\/index\.ts/,
  },
  {
    title: 'a script, importing the dispatcher',
    write: {
      'scripts/send.ts': `import { createDispatch } from '../src/upstream/dispatch/dispatch.ts'; createDispatch({} as never);`,
    },
    finds: /scripts\/send\.ts imports the dispatcher/,
  },
  {
    title: 'a cycle of values',
    write: {
      'src/lib/one.ts': `import { two } from './two.ts'; export const one = () => two;`,
      'src/lib/two.ts': `import { one } from './one.ts'; export const two = () => one;`,
    },
    finds: /cycle: src\/lib\/one\.ts → src\/lib\/two\.ts/,
  },
  {
    title: 'a cycle of types',
    write: {
      'src/lib/one.ts': `import type { Two } from './two.ts'; export interface One { two: Two }`,
      'src/lib/two.ts': `import type { One } from './one.ts'; export interface Two { one: One }`,
    },
    finds: /cycle: src\/lib\/one\.ts → src\/lib\/two\.ts/,
  },
  {
    title: 'a 21st file in a folder',
    write: Object.fromEntries(
      Array.from({ length: 21 }, (_, i) => [`src/token/file-${i}.ts`, `export const n = ${i};`]),
    ),
    finds: /src\/token has \d+ source files; 20 at most/,
  },
  {
    title: 'a door too many',
    write: Object.fromEntries(
      Array.from({ length: MOST_DOORS }, (_, i) => [`src/doors/new-${i}/index.ts`, `export const n = ${i};`]),
    ),
    finds: /other rooms may import \d+ files \(doors\); 60 at most/,
  },
  {
    title: 'a new folder without a place in the layers',
    write: { 'src/helpers/any.ts': `export const any = 1;` },
    finds: /src\/helpers\/any\.ts is in no room/,
  },
  {
    title: 'a contract that needs more than zod',
    prepend: { 'src/contract/errors.ts': `import pino from 'pino';\n` },
    finds: /src\/contract\/errors\.ts imports pino/,
  },
  {
    title: 'a command that opens the database',
    prepend: { 'src/doors/cli/run.ts': `import '@photostructure/sqlite';\n` },
    finds: /src\/doors\/cli\/run\.ts imports @photostructure\/sqlite/,
  },
];

describe('each breach of the architecture is found', () => {
  let copy: string;
  const cache = new Map<string, SourceFile>();
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'mcpproxy-architecture-'));
    for (const folder of ['src', 'web/src', 'scripts'])
      cpSync(join(ROOT, folder), join(copy, folder), { recursive: true });
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  test.each(MUTATIONS)('$title', ({ write = {}, prepend = {}, finds }) => {
    const undo: (() => void)[] = [];
    try {
      for (const [path, text] of Object.entries(write)) undo.push(put(join(copy, path), text));
      for (const [path, line] of Object.entries(prepend)) {
        const file = join(copy, path);
        undo.push(put(file, line + readFileSync(file, 'utf8')));
      }
      expect(breaches(readTree(copy, cache)).filter((breach) => finds.test(breach))).not.toEqual([]);
    } finally {
      for (const step of undo.reverse()) step();
    }
  });

  test('without them there is none', () => expect(breaches(readTree(copy, cache))).toEqual([]));
});

/** Writes the file; returns what puts things back. */
function put(file: string, text: string): () => void {
  let before: string | undefined;
  try {
    before = readFileSync(file, 'utf8');
  } catch {
    mkdirSync(dirname(file), { recursive: true });
  }
  writeFileSync(file, text);
  return () => (before === undefined ? rmSync(file) : writeFileSync(file, before));
}
