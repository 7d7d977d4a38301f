import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ToolMode } from '../../src/contract/tool.ts';
import { openExecutionLog } from '../fixtures/execution-log.ts';
import { officialServer, startHttpFixture, type HttpFixture } from '../fixtures/start.ts';
import { Client } from '@modelcontextprotocol/client';
import { bridgeTransport, CLIENTS, connectClient, type ClientKind, type TestClient } from './mcp-clients.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

// Direct mode: the tools of the servers by their own names, along the same road.

const log = openExecutionLog();
let proxy: RunningProxy;
let web: HttpFixture;
const clients: TestClient[] = [];

async function open(kind: ClientKind, key: string, path?: string): Promise<TestClient> {
  const client = await connectClient(kind, { url: proxy.url, key }, path);
  clients.push(client);
  return client;
}

let made = 0;
async function token(mode?: ToolMode, scope: object = {}): Promise<string> {
  const body = { name: `agent-${made++}`, ...(mode && { mode }), ...scope };
  return (await proxy.rest.request('createToken', { body })).token;
}

const namesOf = async (client: TestClient) => (await client.list()).map(({ name }) => name);

async function lastCall() {
  const { records } = await proxy.rest.request('listActivity', { type: 'tool_call', limit: 1 });
  return records[0]!;
}

beforeAll(async () => {
  web = await startHttpFixture('http-echo.mjs', '/mcp');
  const mcpServers = { up: log.server(), everything: officialServer('everything'), web: { url: web.url } };
  proxy = await startHere({ config: { mcpServers } });
});
afterAll(async () => {
  for (const client of clients) await client.close().catch(() => undefined);
  await proxy.dispose();
  await web.stop();
  log.remove();
});

describe.each(CLIENTS)('%s', (kind) => {
  test('lists real names with honest annotations and calls them along the road', async () => {
    const client = await open(kind, await token('direct'));
    const tools = await client.list();
    const names = tools.map(({ name }) => name);
    expect(names).toContain('everything__echo');
    expect(names).not.toContain('retrieve_tools');
    const hints = (name: string) => tools.find((tool) => tool.name === name)!.annotations;
    expect(hints('up__read_only')).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hints('up__unannotated')).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(hints('up__read_only_and_destructive')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
    });

    const echoed = await client.call('everything__echo', { message: 'hé' });
    expect(echoed.content).toMatchObject([{ type: 'text', text: expect.stringContaining('hé') }]);
    await client.call('up__destructive', { text: `of ${kind}` });
    expect(log.runsOf(`of ${kind}`)).toBe(1);
    expect(await lastCall()).toMatchObject({
      server_name: 'up',
      tool_name: 'destructive',
      status: 'success',
      operation_type: 'destructive',
      arguments: { text: `of ${kind}` },
      metadata: {
        intent: { operation_type: 'destructive' },
        intent_source: 'verdict',
        tool_variant: 'call_tool_destructive',
      },
    });
    // A name that needed a change is found again.
    const colon = tools.find(
      ({ _meta }) => (_meta as Record<string, unknown>)['mcpproxy/name'] === 'up:ns:colon',
    )!;
    expect((await client.call(colon.name, {})).isError).not.toBe(true);
    expect(await lastCall()).toMatchObject({ server_name: 'up', tool_name: 'ns:colon' });
  });

  test('reads refusals, also of a tool with an output schema, and nearest names', async () => {
    const client = await open(kind, await token('direct'));
    await client.list();
    expect(await client.call('up__read_onli', {})).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Did you mean 'up__read_only'") }],
    });
    expect(await client.call('everything__get-structured-content', { location: 7 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('everything:get-structured-content') }],
      _meta: { 'mcpproxy/error': { code: 'INVALID_TOOL_ARGUMENTS' } },
    });
  });

  test('/mcp/direct beats the setting; both lists both; search refuses direct names', async () => {
    expect(await namesOf(await open(kind, proxy.key, '/mcp/direct'))).toContain('everything__echo');
    const both = await namesOf(await open(kind, await token('both')));
    expect(both.slice(0, 2)).toEqual(['retrieve_tools', 'describe_tool']);
    expect(both).toContain('up__read_only');
    const search = await open(kind, await token());
    expect(await namesOf(search)).toHaveLength(5);
    expect(await search.call('up__read_only', { text: `search ${kind}` })).toMatchObject({ isError: true });
    expect(log.runsOf(`search ${kind}`)).toBe(0);
  });

  test('a changed verdict is announced and is in the next list', async () => {
    const [client, other] = [
      await open(kind, await token('direct')),
      await open(kind, await token('direct', { servers: ['everything'] })),
    ];
    expect((await namesOf(other)).every((name) => name.startsWith('everything__'))).toBe(true);
    expect(await other.call('up__read_only', {})).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'OUT_OF_SCOPE' } },
    });
    const hint = async () =>
      (await client.list()).find(({ name }) => name === 'up__get_things')!.annotations!.destructiveHint;
    expect(await hint()).toBe(false);
    // The stream opens after the handshake, so the verdict is changed until a change is heard.
    let operation = 'read' as 'read' | 'destructive';
    await poll('the announcement', proxy.stderr, async () => {
      operation = operation === 'read' ? 'destructive' : 'read';
      await proxy.rest.request('setOperation', { name: 'up:get_things', body: { operation } });
      await new Promise((resolve) => setTimeout(resolve, 300));
      return client.announcements() > 0 || undefined;
    });
    expect(await hint()).toBe(operation === 'destructive');
    expect(other.announcements()).toBe(0);
    await proxy.rest.request('clearOperation', { name: 'up:get_things' });
  });
});

describe('2026-07-28: a parameter that a tool declares as a header', () => {
  const region = 'Zürich ';

  async function send(headers: Record<string, string>, args: object) {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'web__region', arguments: args, _meta: meta };
    const response = await fetch(`${proxy.url}/mcp/direct`, {
      method: 'POST',
      headers: {
        'x-api-key': proxy.key,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'web__region',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    return { status: response.status, text: await response.text() };
  }

  test('is sent by the official client and by the stdio bridge', async () => {
    const client = await open('2026-07-28', await token('direct'));
    await client.list();
    expect(await client.call('web__region', { region })).toMatchObject({ content: [{ text: region }] });
    const bridged = new Client(
      { name: 'bridged', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    await bridged.connect(bridgeTransport(proxy.url, await token('direct')));
    await bridged.listTools();
    const called = await bridged.callTool({ name: 'web__region', arguments: { region } });
    await bridged.close();
    expect(called).toMatchObject({ content: [{ text: region }] });
  });

  test.each([
    ['missing', {}, { region: 'eu' }],
    ['of another value', { 'mcp-param-region': 'us' }, { region: 'eu' }],
    ['of a value that the body lacks', { 'mcp-param-region': 'us' }, {}],
    ['not canonical base64', { 'mcp-param-region': '=?base64?%%?=' }, { region: 'eu' }],
  ])('is refused where it is %s, and nothing is called', async (_, headers, args) => {
    const { status, text } = await send(headers, args);
    expect({ status, error: JSON.parse(text).error }).toMatchObject({ status: 400, error: { code: -32020 } });
    expect(text).toContain('mcp-param-region');
  });

  test('passes where both agree, in either form', async () => {
    for (const value of ['eu', `=?base64?${Buffer.from('eu').toString('base64')}?=`])
      expect(await send({ 'mcp-param-region': value }, { region: 'eu' })).toMatchObject({ status: 200 });
  });
});

test('destructive tools can be required to use the variants; status tells the size of the menu', async () => {
  const client = await open('2026-07-28', await token('direct'));
  const config = JSON.parse(readFileSync(proxy.configFile, 'utf8')) as object;
  writeFileSync(proxy.configFile, JSON.stringify({ ...config, direct: { destructive: 'variants' } }));
  const names = await poll('the new setting', proxy.stderr, async () => {
    const now = await namesOf(client);
    return now.includes('up__destructive') ? undefined : now;
  });
  expect(names.slice(0, 3)).toEqual(['retrieve_tools', 'describe_tool', 'call_tool_destructive']);
  expect(await client.call('up__destructive', { text: 'too direct' })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('call_tool_destructive') }],
    structuredContent: { error: { code: 'MISSING_INTENT' } },
  });
  expect(log.runsOf('too direct')).toBe(0);
  const { menu } = await proxy.rest.request('status', {});
  expect(menu).toMatchObject({ mode: 'search', max_tokens: 25_000, listed: { tools: expect.any(Number) } });
});
