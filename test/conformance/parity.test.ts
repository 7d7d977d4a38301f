import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectFull, type FullClient } from '../e2e/mcp-clients.ts';
import { startHere } from '../e2e/start-here.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { officialServer } from '../fixtures/start.ts';
import { PARITY, PARITY_CLIENTS, type ParityKey } from './parity.ts';

/** A client of the server, with the names by which it reaches it. */
interface Way {
  client: FullClient;
  /** Before the name of a prompt, and before a URI. */
  prompt: string;
  uri: string;
  call: (tool: string, args: object) => Promise<{ content: unknown }>;
}

type Content = { type: string; uri?: string; resource?: { uri: string } };
const PROMPTS = {
  'simple-prompt': {},
  'args-prompt': { city: 'Ulm', state: 'BW' },
  'completable-prompt': { department: 'Sales', name: 'Eve' },
  'resource-prompt': { resourceType: 'Text', resourceId: '3' },
};
const WATCHED = 'demo://resource/static/document/features.md';

let proxy: RunningProxy;
/** Gives each client a connection of its own. */
let separate: RunningProxy;
let direct: Way;
const open: FullClient[] = [];

/** Everything that is compared, with texts that name the time left out. */
async function measure({ client, prompt, uri, call }: Way): Promise<Record<ParityKey, unknown[]>> {
  const { prompts } = await client.listPrompts();
  const { resources } = await client.listResources();
  const { resourceTemplates: templates } = await client.listResourceTemplates();
  const read = async (at: string) => timeless((await client.readResource({ uri: at })).contents);
  const [links, reference] = [
    (await call('get-resource-links', { count: 3 })).content as Content[],
    (await call('get-resource-reference', { resourceType: 'Text', resourceId: 2 })).content as Content[],
  ];
  const urisOf = (blocks: Content[]) => blocks.flatMap((block) => block.uri ?? block.resource?.uri ?? []);
  const complete = async (ref: object, argument: { name: string; value: string }, context?: object) =>
    (await client.complete({ ref, argument, ...(context && { context }) } as never)).completion;
  const ofPrompt = { type: 'ref/prompt', name: `${prompt}completable-prompt` };
  return {
    prompts: prompts
      .map(({ name, _meta, ...rest }) => ({ ...rest, name: without(prompt, name) }))
      .sort(byText),
    got: await inOrder(Object.entries(PROMPTS), async ([name, args]) =>
      timeless((await client.getPrompt({ name: prompt + name, arguments: args })).messages),
    ),
    resources: resources
      .map(({ uri: at, _meta, ...rest }) => ({ ...rest, uri: without(uri, at) }))
      .sort(byText),
    read: await inOrder(resources.map((each) => each.uri).sort(), read),
    templates: templates
      .map(({ uriTemplate, _meta, ...rest }) => ({ ...rest, uriTemplate: without(uri, uriTemplate) }))
      .sort(byText),
    expanded: await inOrder(
      templates.map((each) => each.uriTemplate.replace('{resourceId}', '7')).sort(),
      read,
    ),
    linked: await inOrder(urisOf(links), read),
    embedded: await inOrder(urisOf(reference), read),
    completed: [
      await complete(ofPrompt, { name: 'department', value: 'S' }),
      await complete(ofPrompt, { name: 'name', value: '' }, { arguments: { department: 'Sales' } }),
      await complete(
        { type: 'ref/resource', uri: templates.map((each) => each.uriTemplate).sort()[0] },
        { name: 'resourceId', value: '5' },
      ),
    ],
    updates: [await firstUpdate(client, uri, call)],
  };
}

async function firstUpdate(client: FullClient, prefix: string, call: Way['call']): Promise<string> {
  const watch = await client.watch(prefix + WATCHED);
  await poll(
    'an update',
    () => '',
    async () => {
      // Switches the updates on or off; the first one comes with the switch.
      await call('toggle-subscriber-updates', {});
      return watch.updates()[0];
    },
  );
  const [update] = watch.updates();
  await watch.stop();
  return without(prefix, update!);
}

const without = (prefix: string, text: string) => {
  expect(text.startsWith(prefix)).toBe(true);
  return text.slice(prefix.length);
};
const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** Dynamic resources say when they were made. */
function timeless(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, field: unknown) => {
      if (typeof field !== 'string') return field;
      const text = key === 'blob' ? Buffer.from(field, 'base64').toString() : field;
      return text.replace(/\d+:\d+:\d+ [AP]M/, 'TIME');
    }),
  );
}

async function inOrder<T, R>(items: T[], each: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await each(item));
  return results;
}

async function connectDirect(): Promise<Way> {
  const { command, args } = officialServer('everything');
  const client = new Client({ name: 'parity', version: '1' });
  const updates: string[] = [];
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void updates.push(params.uri),
  );
  await client.connect(new StdioClientTransport({ command: command!, args: args!, stderr: 'ignore' }));
  const watch = async (uri: string) => {
    await client.subscribeResource({ uri });
    return { updates: () => updates, stop: async () => void (await client.unsubscribeResource({ uri })) };
  };
  const full = Object.assign(client, { watch, onListChanged: () => Promise.reject(new Error('not used')) });
  open.push(full);
  const call: Way['call'] = (name, given) =>
    client.callTool({ name, arguments: given as Record<string, unknown> }) as Promise<{ content: unknown }>;
  return { client: full, prompt: '', uri: '', call };
}

async function connectThrough(kind: (typeof PARITY_CLIENTS)[number], at = proxy): Promise<Way> {
  const client = await connectFull(kind, at);
  open.push(client);
  const call: Way['call'] = (name, given) =>
    client.callTool({
      name: 'call_tool_destructive',
      arguments: {
        name: `everything:${name}`,
        args_json: JSON.stringify(given),
        intent_operation_type: 'destructive',
      },
    }) as Promise<{ content: unknown }>;
  return { client, prompt: 'everything:', uri: 'mcpproxy://everything/', call };
}

let expected: Record<ParityKey, unknown[]>;

beforeAll(async () => {
  const everything = officialServer('everything');
  proxy = await startProxy({ config: { mcpServers: { everything } } });
  separate = await startHere({
    config: { mcpServers: { everything: { ...everything, sharing: 'per_client' } } },
  });
  direct = await connectDirect();
  expected = await measure(direct);
});
afterAll(async () => {
  for (const client of open) await client.close().catch(() => undefined);
  await proxy?.dispose();
  await separate?.dispose();
});

test('the table has the numbers of the server', () => {
  const counts = Object.fromEntries(Object.entries(expected).map(([key, values]) => [key, values.length]));
  expect(counts).toEqual(Object.fromEntries(Object.entries(PARITY).map(([key, { count }]) => [key, count])));
});

test.each(PARITY_CLIENTS)('%s gets through the proxy what the server says', async (kind) => {
  expect(await measure(await connectThrough(kind))).toEqual(expected);
});

test.each(PARITY_CLIENTS)('%s is told of updates on a connection of its own too', async (kind) => {
  const { client, uri, call } = await connectThrough(kind, separate);
  expect([await firstUpdate(client, uri, call)]).toEqual(expected.updates);
});
