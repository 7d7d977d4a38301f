import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityType } from '../../src/contract/activity.ts';
import { fixture } from '../fixtures/start.ts';
import { runHere } from './cli-here.ts';
import { CLIENTS, connectFull, type ClientKind, type FullClient } from './mcp-clients.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';

// Prompts, resources, templates and completions of servers, along the same road as tools.

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-offering-'));
const file = (server: string) => join(dir, `${server}.json`);
const PROMPT = { name: 'greet', description: 'Greets.', arguments: [{ name: 'who', required: true }] };
const RESOURCES = [
  { uri: 'note://own/1', name: 'one', description: 'The first note.', mimeType: 'text/plain' },
  { uri: 'note://both', name: 'both' },
];
const TEMPLATE = { uriTemplate: 'note://own/{id}{?q*}', name: 'notes' };

function list(server: string, more: object = {}): void {
  const all = { prompts: [PROMPT], resources: RESOURCES, templates: [TEMPLATE], ...more };
  writeFileSync(file(server), JSON.stringify(all));
}

let proxy: RunningProxy;
const clients: FullClient[] = [];

async function open(kind: ClientKind, key = proxy.key): Promise<FullClient> {
  const client = await connectFull(kind, { url: proxy.url, key });
  clients.push(client);
  return client;
}

let made = 0;
async function token(scope: object = {}): Promise<string> {
  return (await proxy.rest.request('createToken', { body: { name: `reader-${made++}`, ...scope } })).token;
}

async function last(type: ActivityType) {
  const { records } = await proxy.rest.request('listActivity', { type, limit: 1 });
  return records[0]!;
}

const call = (name: string, args: object) =>
  proxy.rest.request('callTool', {
    body: { tool_variant: 'call_tool_read', name, args, intent: { operation_type: 'read' } },
  });

async function watched(server: string): Promise<string[]> {
  const { content } = await call(`${server}:watched`, {});
  return JSON.parse(String(content![0]!.text)) as string[];
}

beforeAll(async () => {
  for (const server of ['new', 'old', 'broken'])
    list(server, server === 'new' ? {} : { resources: [RESOURCES[1]] });
  list('broken', { fail: 'prompts/list', resources: [] });
  const mcpServers = {
    new: fixture('offering.mjs', file('new')),
    old: fixture('offering.mjs', file('old'), '--legacy'),
    broken: fixture('offering.mjs', file('broken')),
  };
  proxy = await startProxy({ config: { mcpServers, quarantine: 'changed', scan_results: 'warn' } });
});
afterAll(async () => {
  for (const client of clients) await client.close().catch(() => undefined);
  await proxy.dispose();
  rmSync(dir, { recursive: true });
});

describe.each(CLIENTS)('%s', (kind) => {
  test('lists, gets, reads and completes, each with a record', async () => {
    const client = await open(kind);
    expect((await client.listPrompts()).prompts).toMatchObject([
      { ...PROMPT, name: 'new:greet' },
      { ...PROMPT, name: 'old:greet' },
    ]);
    expect((await client.listResources()).resources).toMatchObject([
      { ...RESOURCES[1], uri: 'mcpproxy://new/note://both' },
      { ...RESOURCES[0], uri: 'mcpproxy://new/note://own/1' },
      { ...RESOURCES[1], uri: 'mcpproxy://old/note://both' },
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates[0]).toMatchObject({
      ...TEMPLATE,
      uriTemplate: 'mcpproxy://broken/note://own/{id}{?q*}',
    });

    for (const server of ['new', 'old']) {
      const got = await client.getPrompt({ name: `${server}:greet`, arguments: { who: kind } });
      expect(got.messages).toEqual([
        { role: 'user', content: { type: 'text', text: `greet ${JSON.stringify({ who: kind })}` } },
      ]);
      expect(await last('prompt_get')).toMatchObject({
        server_name: server,
        tool_name: 'greet',
        arguments: { who: kind },
        status: 'success',
        operation_type: 'read',
        principal: 'operator',
        metadata: { intent: { operation_type: 'read' }, intent_source: 'verdict' },
      });
      const uri = `mcpproxy://${server}/note://own/a%20b?q=1`;
      expect((await client.readResource({ uri })).contents).toEqual([
        { uri: 'note://own/a%20b?q=1', text: 'text of note://own/a%20b?q=1' },
      ]);
      expect(await last('resource_read')).toMatchObject({
        server_name: server,
        tool_name: 'note://own/a%20b?q=1',
        arguments: { uri: 'note://own/a%20b?q=1' },
        status: 'success',
        operation_type: 'read',
      });
      const ref = { type: 'ref/prompt' as const, name: `${server}:greet` };
      expect(await client.complete({ ref, argument: { name: 'who', value: 'A' } })).toMatchObject({
        completion: { values: ['greet:A'] },
      });
    }
    const ref = { type: 'ref/resource' as const, uri: resourceTemplates[0]!.uriTemplate };
    expect(await client.complete({ ref, argument: { name: 'id', value: 'B' } })).toMatchObject({
      completion: { values: [`${TEMPLATE.uriTemplate}:B`] },
    });
    expect(await last('completion')).toMatchObject({
      server_name: 'broken',
      tool_name: TEMPLATE.uriTemplate,
    });
  });

  test('reads by the own URI of a server where it is clear whose it is', async () => {
    const client = await open(kind, await token());
    expect((await client.readResource({ uri: 'note://own/1' })).contents).toHaveLength(1);
    await expect(client.readResource({ uri: 'note://both' })).rejects.toThrow(
      /2 servers have.*mcpproxy:\/\/new\/note:\/\/both, mcpproxy:\/\/old\/note:\/\/both/,
    );
    // A link in a result is as good as a listing, for the client that got it.
    const uri = `note://linked/${kind.length}`;
    await expect(client.readResource({ uri })).rejects.toThrow(/No server has listed/);
    const linked = await client.callTool({
      name: 'call_tool_read',
      arguments: { name: 'old:link', args_json: JSON.stringify({ uri }), intent_operation_type: 'read' },
    });
    expect(linked.content).toEqual([{ type: 'resource_link', uri, name: 'linked' }]);
    expect((await client.readResource({ uri })).contents).toMatchObject([{ uri }]);
    expect(await last('resource_read')).toMatchObject({ server_name: 'old', tool_name: uri });
    const other = await open(kind, await token());
    await expect(other.readResource({ uri })).rejects.toThrow(/No server has listed/);
  });

  test('the app of a tool is read by its own URI, with the policy of its server', async () => {
    const client = await open(kind, await token({ servers: ['new'] }));
    const { contents } = await client.readResource({ uri: 'ui://offering/app.html' });
    expect(contents).toMatchObject([
      { uri: 'ui://offering/app.html', _meta: { ui: { csp: { connectDomains: ['x.test'] } } } },
    ]);
  });

  test('a token sees, gets and watches what its scope names', async () => {
    const scoped = await open(kind, await token({ servers: ['old'] }));
    expect((await scoped.listPrompts()).prompts.map(({ name }) => name)).toEqual(['old:greet']);
    expect((await scoped.listResources()).resources).toHaveLength(1);
    await expect(scoped.getPrompt({ name: 'new:greet' })).rejects.toThrow(/may not call 'new:greet'/);
    await expect(scoped.readResource({ uri: 'mcpproxy://new/note://own/1' })).rejects.toThrow(/may not call/);
    // Only one server with this URI is left.
    expect((await scoped.readResource({ uri: 'note://both' })).contents).toHaveLength(1);
    expect(await last('resource_read')).toMatchObject({ server_name: 'old' });

    const writer = await open(kind, await token({ operations: ['write'] }));
    expect((await writer.listPrompts()).prompts).toEqual([]);
    expect((await writer.listResources()).resources).toEqual([]);
    await expect(writer.getPrompt({ name: 'old:greet' })).rejects.toThrow(/it counts as read/);
    expect(await last('prompt_get')).toMatchObject({ status: 'refused', error_code: 'OUT_OF_SCOPE' });
  });

  test('bad input gets a clear error and a record', async () => {
    const client = await open(kind);
    // The current SDK has one code for both eras.
    const missing = kind === 'SDK 1.x' ? -32002 : -32602;
    const failure = (act: Promise<unknown>) => act.catch((error: unknown) => error);
    expect(await failure(client.getPrompt({ name: 'new:nope' }))).toMatchObject({
      code: -32602,
      data: { code: 'PROMPT_NOT_FOUND' },
    });
    expect(await failure(client.readResource({ uri: 'mcpproxy://new/missing:1' }))).toMatchObject({
      code: missing,
      message: expect.stringContaining('Resource not found'),
      data: { uri: 'missing:1' },
    });
    expect(await failure(client.readResource({ uri: 'foreign://x' }))).toMatchObject({
      code: missing,
      data: { uri: 'foreign://x' },
    });
    const unknown = await last('resource_read');
    expect(unknown).toMatchObject({ tool_name: 'foreign://x', error_code: 'RESOURCE_NOT_FOUND' });
    expect(unknown.server_name).toBeUndefined();
    expect(await failure(client.readResource({ uri: 'mcpproxy://nobody/x' }))).toMatchObject({
      message: expect.stringContaining("There is no server 'nobody'"),
    });
    expect(await failure(client.readResource({ uri: `x:${'y'.repeat(9000)}` }))).toMatchObject({
      code: -32602,
    });
    expect(await last('resource_read')).toMatchObject({ status: 'refused', error_code: 'INVALID_ARGUMENTS' });
  });

  test('updates of a resource reach every watcher, and a storm is a few of them', async () => {
    const [one, other] = [await open(kind), await open(kind)];
    for (const server of ['new', 'old']) {
      const uri = `note://${server}/${kind.length}`;
      const [first, second] = [
        await one.watch(`mcpproxy://${server}/${uri}`),
        await other.watch(`mcpproxy://${server}/${uri}`),
      ];
      expect((await watched(server)).filter((each) => each === uri)).toHaveLength(1);
      // The stream of a 2025 client may open later than its first subscription.
      await poll('an update', proxy.stderr, async () => {
        await call(`${server}:update`, { uri, times: 500 });
        return first.updates().length > 0 || undefined;
      });
      expect(first.updates()[0]).toBe(`mcpproxy://${server}/${uri}`);
      expect(first.updates().length).toBeLessThan(50);
      await first.stop();
      expect(await watched(server)).toContain(uri);
      await second.stop();
      await poll('the end of the subscription', proxy.stderr, async () =>
        (await watched(server)).includes(uri) ? undefined : true,
      );
    }
    expect(await last('resource_subscribe')).toMatchObject({ status: 'success', server_name: 'old' });
  });
});

test('the command line and retrieve_tools list, find, get and read the same', async () => {
  const cli = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere([...args, ...proxy.place], { HOME: proxy.home });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return stdout;
  };
  expect(await cli('prompts', 'list', '--server', 'old')).toMatch(/old:greet +who +accepted +Greets\./);
  expect(await cli('prompts', 'get', 'old:greet', '--args', '{"who":"Ann"}', '--reason', 'a test')).toBe(
    'user:\ngreet {"who":"Ann"}\n',
  );
  expect(await last('prompt_get')).toMatchObject({
    source: 'cli',
    metadata: { intent: { operation_type: 'read', reason: 'a test' } },
  });
  expect(await cli('resources', 'list', '--templates')).toContain('mcpproxy://old/note://own/{id}{?q*}');
  expect(await cli('resources', 'read', 'note://own/1')).toContain('text of note://own/1');
  expect(await cli('activity', 'list', '--type', 'resource_read')).toContain('resource_read: note://own/1');
  const client = await open('2026-07-28');
  const find = async (kind: string) =>
    (await client.callTool({ name: 'retrieve_tools', arguments: { query: 'first note greets', kind } }))
      .structuredContent;
  expect(await find('prompt')).toMatchObject({ items: [{ name: 'new:greet' }, { name: 'old:greet' }] });
  expect(await find('resource')).toMatchObject({ items: [{ uri: 'mcpproxy://new/note://own/1' }] });
  expect(await find('tool')).toMatchObject({ tools: expect.any(Array) });
});

test("a caller's mistake is named as such, by command line and protocol in their own words", async () => {
  const cli = async (...args: string[]) => {
    const { code, stderr } = await runHere([...args, ...proxy.place], { HOME: proxy.home });
    return { code, stderr };
  };
  expect(await cli('prompts', 'get', 'old:greet')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Prompt 'old:greet' requires the argument 'who'.*next: give .*--args/s),
  });
  expect(await last('prompt_get')).toMatchObject({ status: 'refused', error_code: 'INVALID_ARGUMENTS' });
  expect(await cli('prompts', 'get', 'old:greet', '--args', '{"who":"nobody"}')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Server 'old' rejected the request for 'greet': who must be somebody"),
  });
  const all = [
    ['get', 'greet'],
    ['get', 'old:none'],
    ['diff', 'old:none'],
  ].map((words) => cli('prompts', ...words));
  for (const { stderr } of await Promise.all(all)) {
    expect(stderr).toContain('"mcpproxy prompts list');
    expect(stderr).not.toMatch(/prompts\/list|GET |tool/);
  }
  const client = await open('2026-07-28');
  for (const [args, text] of [
    [{}, /requires the argument 'who'/],
    [{ who: 'nobody' }, /who must be somebody/],
  ] as const) {
    const failed = client.getPrompt({ name: 'old:greet', arguments: args });
    await expect(failed).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(text) });
  }
});

test('binary content is saved to a file, which is not replaced unless that is asked for', async () => {
  const target = join(dir, 'saved.bin');
  const read = (...more: string[]) =>
    runHere(['resources', 'read', 'mcpproxy://old/blob:1', ...more, ...proxy.place], { HOME: proxy.home });
  expect((await read()).stderr).toContain('--save FILE');
  expect(await read('--save', target)).toMatchObject({ code: 0, stdout: '' });
  expect(readFileSync(target)).toEqual(Buffer.from([0, 255, 10, 13]));
  writeFileSync(target, 'mine');
  expect(await read('--save', target)).toMatchObject({ code: 2 });
  expect(readFileSync(target, 'utf8')).toBe('mine');
  expect(await read('--save', target, '--force')).toMatchObject({ code: 0 });
  expect(readFileSync(target)).toHaveLength(4);
  const { id } = await last('resource_read');
  const shown = await runHere(['activity', 'show', id, ...proxy.place], { HOME: proxy.home });
  expect(shown.stdout).toMatch(/Verdict +read \(the protocol defines/);
});

test('a list that fails leaves the tools and the other lists, and is shown', async () => {
  const { servers } = await proxy.rest.request('listServers', {});
  const broken = servers.find(({ name }) => name === 'broken')!;
  expect(broken).toMatchObject({ state: 'ready', tool_count: 5 });
  expect(broken.warnings).toEqual([expect.stringContaining('its prompts could not be listed')]);
});

test('a resource over the limit of results is an error, and nobody else is delayed', async () => {
  const client = await open('2026-07-28');
  const [big, small] = await Promise.allSettled([
    client.readResource({ uri: 'mcpproxy://new/big:110000000' }),
    client.readResource({ uri: 'mcpproxy://old/note://x' }),
  ]);
  expect(small.status).toBe('fulfilled');
  expect(big).toMatchObject({ status: 'rejected', reason: { data: { code: 'RESULT_TOO_LARGE' } } });
});

test.each(['new', 'old'])('a resource of the server %s that changes while it is read', async (server) => {
  const uri = 'changing:1';
  const before = server === 'new' ? RESOURCES : [RESOURCES[1]!];
  list(server, { resources: [...before, { uri, name: 'changing' }] });
  const client = await open('2026-07-28');
  const listedUris = async () => (await client.listResources()).resources.map((each) => each.uri);
  const proxied = `mcpproxy://${server}/${uri}`;
  await call(`${server}:announce`, {});
  const isListed = async (wanted: boolean) => (await listedUris()).includes(proxied) === wanted || undefined;
  await poll('the new list', proxy.stderr, () => isListed(true));
  const watch = await client.watch(proxied);
  list(server, { resources: before });
  expect(await client.readResource({ uri: proxied })).toMatchObject({
    contents: [{ uri, text: 'as it was' }],
  });
  expect(await last('resource_read')).toMatchObject({ status: 'success', tool_name: uri });
  await poll('the update', proxy.stderr, async () => watch.updates()[0]);
  await poll('the list without it', proxy.stderr, () => isListed(false));
  await watch.stop();
});

test('a changed prompt is withheld until it is approved, and clients are told of changes', async () => {
  const client = await open('2026-07-28');
  const stop = await client.onListChanged();
  list('new', { prompts: [{ ...PROMPT, description: 'Greets, and then some.' }, { name: 'late' }] });
  await call('new:announce', {});
  await poll('the change', proxy.stderr, () =>
    Promise.resolve(stop.lists().includes('prompts') || undefined),
  );
  const names = async () => (await client.listPrompts()).prompts.map(({ name }) => name);
  expect(await names()).toEqual(['new:late', 'old:greet']);
  await expect(client.getPrompt({ name: 'new:greet' })).rejects.toThrow(/withheld/);
  expect(await last('tool_change')).toMatchObject({
    server_name: 'new',
    tool_name: 'greet',
    metadata: { change: 'definition_changed', kind: 'prompt', withheld: true },
  });
  await stop.close();
  const place = [...proxy.place];
  const withheld = await runHere(['prompts', 'get', 'new:greet', ...place], { HOME: proxy.home });
  expect(withheld.stderr).toMatch(/next: see what changed with "mcpproxy .*prompts diff new:greet"/);
  const diff = await runHere(['prompts', 'diff', 'new:greet', ...place], { HOME: proxy.home });
  expect(diff.stdout).toMatch(/^Prompt +new:greet\n/);
  expect(diff.stdout).not.toMatch(/tool/i);
  const { prompts } = await proxy.rest.request('listPrompts', { withheld: 'true' });
  expect(prompts).toMatchObject([{ name: 'new:greet', standing: 'changed' }]);
  const hash = prompts[0]!.definition_hash!;
  const { changes } = await proxy.rest.request('diffPrompt', { name: 'new:greet' });
  expect(changes).toMatchObject([{ path: '/description', after: '"Greets, and then some."' }]);
  await proxy.rest.request('approvePrompt', { name: 'new:greet', hash });
  expect(await names()).toEqual(['new:greet', 'new:late', 'old:greet']);
});

test('hostile parameters of a template are refused before the server sees them, each with a record', async () => {
  const client = await open('2026-07-28');
  const hostile = ['../../etc/passwd', '%2e%2e/secret', 'a/./b', 'a\u0000b', 'a\nb', 'a#b', 'x'.repeat(9000)];
  for (const id of hostile) {
    const uri = `mcpproxy://new/note://own/${id}`;
    await expect(client.readResource({ uri }), id).rejects.toMatchObject({
      code: -32602,
      data: { code: 'INVALID_ARGUMENTS' },
    });
    const record = await last('resource_read');
    expect(record, id).toMatchObject({ status: 'refused', error_code: 'INVALID_ARGUMENTS' });
  }
  expect(await client.readResource({ uri: 'mcpproxy://new/note://own/a' })).toMatchObject({
    contents: [{ text: 'text of note://own/a' }],
  });
});
