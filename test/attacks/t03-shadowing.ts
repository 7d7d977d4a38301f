import { readFileSync, writeFileSync } from 'node:fs';
import type { CallResult } from '../../src/contract/call.ts';
import { connectClient, type TestClient } from '../e2e/mcp-clients.ts';
import { poll, type RunningProxy } from '../e2e/start-proxy.ts';
import type { Attack, Tally } from './attack.ts';
import { startOf } from './scaled.ts';
import { READS, toldServer, toolNamed, type ToldServer } from './told-server.ts';

/** Names that are taken apart, looked up or shown somewhere, and might be taken for others. */
const ODD = [
  'a:b',
  'two:get',
  ':get',
  'get:',
  'a__b',
  'two__get',
  'a/b',
  '../get',
  'with space',
  ' get',
  'get ',
  'nul\u0000byte',
  'line\nbreak',
  'x'.repeat(10_240),
  'g\u0435t',
  'ge\u200dt',
  'get\u200b',
  'GET',
  '\uff47et',
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '*',
  '%67et',
];
const BUILT_IN = [
  'retrieve_tools',
  'describe_tool',
  'call_tool_read',
  'call_tool_write',
  'call_tool_destructive',
  'call_tool',
];
const SERVERS = ['one', 'two', 'One', 'one_', 'constructor', 'toString'] as const;
const TOOLS = ['get', ...ODD, ...BUILT_IN];

/** The server that is named is the one that is reached, or nobody is. */
export const shadowing: Attack = {
  threat: 'T03',
  title: 'tools and servers that pose as others',
  async run(tally, scale) {
    const tools = TOOLS.map((name) => toolNamed(name, { annotations: READS }));
    const servers = Object.fromEntries(
      SERVERS.map((name) => [name, toldServer({ tools: [...tools, ...tools.slice(0, 3)] })]),
    );
    const mcpServers = Object.fromEntries(
      Object.entries(servers).map(([name, { config }]) => [name, config]),
    );
    const proxy = await startOf(scale)({ config: { mcpServers } });
    const client = await connectClient('2026-07-28', proxy);
    try {
      await everyName(client, servers, tally);
      await nobody(client, servers, tally);
      await builtIns(client, servers, tally);
      await namesAreUnique(proxy, tally);
      await badServers(proxy, tally);
    } finally {
      await client.close();
      await proxy.dispose();
      for (const server of Object.values(servers)) server.remove();
    }
  },
};

type Servers = Record<string, ToldServer>;

const call = (client: TestClient, name: string) =>
  client.call('call_tool_read', { name, args: { text: name.slice(0, 100) }, intent_operation_type: 'read' });

const codeOf = (result: CallResult) =>
  result.isError
    ? ((result.structuredContent as { error?: { code: string } })?.error?.code ?? 'failed')
    : 'ok';

/** What each server has run since the last look, as "server:tool". */
function createLook(servers: Servers): () => string[] {
  const seen = new Map<string, number>();
  return () =>
    Object.entries(servers).flatMap(([name, server]) => {
      const all = server.executions();
      const fresh = all.slice(seen.get(name) ?? 0);
      seen.set(name, all.length);
      return fresh.map(({ tool }) => `${name}:${tool}`);
    });
}

async function everyName(client: TestClient, servers: Servers, tally: Tally): Promise<void> {
  const look = createLook(servers);
  let ran = 0;
  for (const server of SERVERS)
    for (const tool of TOOLS) {
      const name = `${server}:${tool}`;
      const code = codeOf(await call(client, name).catch(() => ({ content: [], isError: true })));
      const reached = look();
      const right = code === 'ok' ? reached.length === 1 && reached[0] === name : reached.length === 0;
      if (code === 'ok') ran++;
      tally.held(right, `${JSON.stringify(name.slice(0, 60))}: ${code}, reached ${JSON.stringify(reached)}`);
    }
  tally.held(ran > SERVERS.length * 20, `only ${ran} could be called at all`);
  tally.figure(`${SERVERS.length} servers with ${TOOLS.length} tools each, ${ran} callable`);
}

/** Names that no server has. */
async function nobody(client: TestClient, servers: Servers, tally: Tally): Promise<void> {
  const look = createLook(servers);
  look();
  const names = [
    'ONE:get',
    'oNe:get',
    '\uff4fne:get',
    'one :get',
    'one\u200b:get',
    '\u043ene:get',
    '__proto__:get',
    'three:get',
    'get',
    'one',
    'one:',
    ':get',
    'one/get',
    'one__get',
    'one.get',
    'one:Get',
    'one:ge',
    'one:get\u200c',
    'tasks:get',
    '*:get',
  ];
  for (const name of names) {
    const code = codeOf(await call(client, name).catch(() => ({ content: [], isError: true })));
    const reached = look();
    tally.held(code !== 'ok' && reached.length === 0, `${JSON.stringify(name)}: ${code}, ${reached.join()}`);
  }
}

/** A tool of a server is never one of ours, whatever it is called. */
async function builtIns(client: TestClient, servers: Servers, tally: Tally): Promise<void> {
  const look = createLook(servers);
  look();
  const listed = (await client.list()).map(({ name }) => name);
  tally.held(listed.join() === BUILT_IN.slice(0, 5).join(), `listed are ${listed.join()}`);
  for (const name of BUILT_IN) await client.call(name, { query: 'get', names: ['one:get'], name: 'one:get' });
  tally.held(look().length === 0, 'a server answered for the proxy');
  const found = await client.call('retrieve_tools', { query: 'retrieve tools', limit: 50 });
  const { tools } = found.structuredContent as { tools: Array<{ name: string; server: string }> };
  tally.held(
    tools.length > 0 && tools.every(({ name, server }) => name.startsWith(`${server}:`)),
    'found without its server',
  );
}

async function namesAreUnique(proxy: RunningProxy, tally: Tally): Promise<void> {
  const { tools } = await proxy.rest.request('listTools', { limit: 1000 });
  const names = tools.map(({ name }) => name);
  tally.held(new Set(names).size === names.length, 'a name is twice in the catalog');
}

/** No name of a server is taken for another: odd ones get an alias that no other has, from the file or over REST. */
async function badServers(proxy: RunningProxy, tally: Tally): Promise<void> {
  for (const name of ['', 'one\u200b', '__proto__', 'x'.repeat(201), 'tasks', 'one']) {
    const code = await proxy.rest.request('addServer', { body: { name, config: { command: 'true' } } }).then(
      () => 'added',
      (error: unknown) => (error as { code: string }).code,
    );
    tally.held(code !== 'added', `a server named ${JSON.stringify(name)} was added`);
  }
  const odd = [
    'a:b',
    'a/b',
    'a b',
    '',
    '\u043ene',
    'one\u200b',
    '__proto__',
    'x'.repeat(65),
    '../x',
    '.one',
    ' tasks',
  ];
  const before = (await proxy.rest.request('listServers', {})).servers;
  const { mcpServers } = JSON.parse(readFileSync(proxy.configFile, 'utf8')) as { mcpServers: object };
  // Written by hand, as no object of ours can have every one of these keys.
  const entries = odd.map((name) => `${JSON.stringify(name)}: {"command": "true", "enabled": false}`);
  const kept = Object.entries(mcpServers).map(
    ([name, entry]) => `${JSON.stringify(name)}: ${JSON.stringify(entry)}`,
  );
  writeFileSync(proxy.configFile, `{"mcpServers": {${[...kept, ...entries].join(', ')}}}`);
  const after = await poll('the odd names to be listed', proxy.stderr, async () => {
    const { servers } = await proxy.rest.request('listServers', {});
    return servers.length === before.length + odd.length ? servers : undefined;
  });
  const aliases = after.map(({ name }) => name);
  tally.held(new Set(aliases).size === aliases.length, 'two servers have one alias');
  tally.held(
    aliases.every((alias) => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(alias)),
    `an alias is not plain: ${aliases.join(' ')}`,
  );
  for (const { name, title, target } of before) {
    const now = after.find((each) => each.name === name);
    tally.held(now?.title === title && now.target === target, `${name} is another server now`);
  }
}
