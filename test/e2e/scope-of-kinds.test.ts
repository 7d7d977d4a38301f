import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProxyError } from '../../src/contract/errors.ts';
import { cases } from '../fixtures/cases.ts';
import { fixture } from '../fixtures/start.ts';
import { connectFull, type FullClient } from './mcp-clients.ts';
import { startHere } from './start-here.ts';
import type { RunningProxy } from './start-proxy.ts';

// The scope of a token holds for every kind of request, through the door: lists show exactly what it may use, and nothing else is answered.

const SERVERS = ['alpha', 'beta'];
const PROMPTS = ['greet', 'group'];
const RESOURCES = ['note://own/1', 'note://both'];
const TEMPLATES = ['note://own/{id}', 'page://{id}'];
const EXPANDED = ['note://own/77', 'page://7'];
const TOOLS = ['link', 'embed', 'watched'];

interface Scope {
  operations: ('read' | 'write' | 'destructive')[];
  servers?: string[];
  tools?: string[];
}

/** Pieces of the names above, so that a pattern often matches some of them and not the others. */
const part = fc.constantFrom(
  '*',
  'g*',
  'greet',
  'note://*',
  'note://own/*',
  '*1',
  'page://*',
  'l*',
  '*e*',
  'embed',
);
const server = fc.constantFrom('alpha', 'beta', 'a*', '*', 'gamma');
const pattern = fc.tuple(server, part).map(([of, name]) => `${of}:${name}`);
const scope: fc.Arbitrary<Scope> = fc.record(
  {
    operations: fc.oneof(
      { weight: 5, arbitrary: fc.constant(['read'] as Scope['operations']) },
      { weight: 1, arbitrary: fc.constant(['write', 'destructive'] as Scope['operations']) },
    ),
    servers: fc.array(server, { minLength: 1, maxLength: 2 }),
    tools: fc.array(pattern, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ['operations'] },
);

/** What the guide says, without a line of the proxy. */
function permits({ operations, servers = ['*'], tools = ['*:*'] }: Scope, of: string, name: string): boolean {
  const fits = (text: string, glob: string): boolean =>
    new RegExp(`^${glob.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(text);
  return (
    operations.includes('read') &&
    servers.some((glob) => fits(of, glob)) &&
    tools.some((each) => {
      const colon = each.indexOf(':');
      return fits(of, each.slice(0, colon)) && fits(name, each.slice(colon + 1));
    })
  );
}

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-scopes-'));
let proxy: RunningProxy;
let made = 0;

beforeAll(async () => {
  const file = join(dir, 'offered.json');
  const prompts = PROMPTS.map((name) => ({ name, description: 'A prompt.', arguments: [{ name: 'who' }] }));
  const resources = RESOURCES.map((uri) => ({ uri, name: uri }));
  const templates = TEMPLATES.map((uriTemplate) => ({ uriTemplate, name: uriTemplate }));
  writeFileSync(file, JSON.stringify({ prompts, resources, templates }));
  const mcpServers = Object.fromEntries(SERVERS.map((name) => [name, fixture('offering.mjs', file)]));
  proxy = await startHere({ config: { mcpServers } });
});
afterAll(async () => {
  await proxy?.dispose();
  rmSync(dir, { recursive: true, force: true });
});

type Seen = Record<string, boolean>;

/** Which requests are answered and which are refused, by kind and name. */
async function use(client: FullClient): Promise<Seen> {
  const seen: Seen = {};
  const note = async (what: string, request: Promise<unknown>): Promise<void> => {
    seen[what] = await request.then(
      (result) => (result as { isError?: boolean }).isError !== true,
      () => false,
    );
  };
  const listed = {
    prompt: (await client.listPrompts()).prompts.map(({ name }) => name),
    resource: (await client.listResources()).resources.map(({ uri }) => uri.slice('mcpproxy://'.length)),
    template: (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) =>
      uriTemplate.slice('mcpproxy://'.length),
    ),
  };
  const isListed = (kind: keyof typeof listed, name: string): void => {
    seen[`list ${kind} ${name}`] = listed[kind].includes(name);
  };
  const argument = { name: 'who', value: 'a' };
  for (const of of SERVERS) {
    for (const name of PROMPTS) {
      isListed('prompt', `${of}:${name}`);
      await note(`get ${of}:${name}`, client.getPrompt({ name: `${of}:${name}` }));
      const ref = { type: 'ref/prompt' as const, name: `${of}:${name}` };
      await note(`complete ${of}:${name}`, client.complete({ ref, argument }));
    }
    for (const uri of RESOURCES) isListed('resource', `${of}/${uri}`);
    for (const uri of [...RESOURCES, ...EXPANDED]) {
      await note(`read ${of}:${uri}`, client.readResource({ uri: `mcpproxy://${of}/${uri}` }));
      await note(`watch ${of}:${uri}`, client.watch(`mcpproxy://${of}/${uri}`));
    }
    for (const uriTemplate of TEMPLATES) {
      isListed('template', `${of}/${uriTemplate}`);
      const ref = { type: 'ref/resource' as const, uri: `mcpproxy://${of}/${uriTemplate}` };
      const id = { name: 'id', value: '7' };
      await note(`complete ${of}:${uriTemplate}`, client.complete({ ref, argument: id }));
    }
    for (const tool of TOOLS) {
      const args = { name: `${of}:${tool}`, args: { uri: 'note://x' }, intent: { operation_type: 'read' } };
      await note(`call ${of}:${tool}`, client.callTool({ name: 'call_tool_read', arguments: args }));
    }
  }
  return seen;
}

function expectedFor(given: Scope): Seen {
  const seen: Seen = {};
  for (const of of SERVERS) {
    for (const name of PROMPTS)
      for (const what of [`list prompt ${of}:${name}`, `get ${of}:${name}`, `complete ${of}:${name}`])
        seen[what] = permits(given, of, name);
    for (const uri of RESOURCES) seen[`list resource ${of}/${uri}`] = permits(given, of, uri);
    for (const uri of [...RESOURCES, ...EXPANDED])
      for (const what of ['read', 'watch']) seen[`${what} ${of}:${uri}`] = permits(given, of, uri);
    for (const uri of TEMPLATES)
      for (const what of [`list template ${of}/${uri}`, `complete ${of}:${uri}`])
        seen[what] = permits(given, of, uri);
    for (const tool of TOOLS) seen[`call ${of}:${tool}`] = permits(given, of, tool);
  }
  return seen;
}

test('a scope permits the same names of every kind, and lists them alone', async () => {
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(scope, async (given) => {
      const body = { name: `scope-${made++}`, ...given };
      const { token } = await proxy.rest.request('createToken', { body }).catch((error: ProxyError) => {
        // A scope that contradicts itself is refused when it is made.
        fc.pre(error.code !== 'INVALID_REQUEST');
        throw error;
      });
      const client = await connectFull('SDK 1.x', { url: proxy.url, key: token });
      try {
        const seen = await use(client);
        expect(seen).toEqual(expectedFor(given));
        for (const [what, isAnswered] of Object.entries(seen))
          outcomes.add(`${what.split(' ')[0]} ${isAnswered}`);
      } finally {
        await client.close();
      }
    }),
    { numRuns: cases(100) },
  );
  // Both outcomes of every kind were seen.
  for (const kind of ['list', 'get', 'complete', 'read', 'watch', 'call'])
    for (const isAnswered of [true, false]) expect([...outcomes]).toContain(`${kind} ${isAnswered}`);
});
