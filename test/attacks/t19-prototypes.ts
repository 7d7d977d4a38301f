import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../src/config/parse.ts';
import { modern } from '../e2e/raw-token.ts';
import { fixture } from '../fixtures/start.ts';
import { startStage, type Sent, type Stage } from '../fuzz/stage.ts';
import type { Attack, Tally } from './attack.ts';

/** Names that every object has without having been given them. */
const INHERITED = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
];
/** Not all may be a server's. */
const SERVERS = ['constructor', 'toString'];

/** A proxy in this process: what it did to every object can then be seen. */
export const prototypes: Attack = {
  threat: 'T19',
  title: 'prototype pollution and key confusion',
  async run(tally) {
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-t19-'));
    const hints = join(dir, 'hints.json');
    const some = INHERITED.slice(0, 5).map((name) => `${JSON.stringify(name)}:{"readOnlyHint":true}`);
    writeFileSync(hints, `{${some.join(',')}}`);
    const server = (name: string) =>
      fixture('annotated.mjs', '--name', name, '--hints', hints, '--log', join(dir, `${name}.log`));
    const [tools, raw] = [join(dir, 'tools.json'), join(dir, 'raw.log')];
    writeFileSync(
      tools,
      '[{"name":"take","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]',
    );
    const servers = ['up', ...SERVERS].map((name) => [name, server(name)]);
    const stage = await startStage({
      mcpServers: { ...Object.fromEntries(servers), raw: fixture('listed.mjs', tools, '--log', raw) },
    });
    const ran = (name: string) => linesOf(join(dir, `${name}.log`));
    try {
      await names(stage, ran, tally);
      await values(stage, () => ran('up'), tally);
      await lookups(stage, tally);
      await settings(stage, tally);
      await digits(stage, () => linesOf(raw).map(({ line }) => line!), tally);
      tally.held(stage.faults.length === 0, `something broke inside: ${stage.faults.join('')}`);
    } finally {
      await stage.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

interface Run {
  tool: string;
  args: unknown;
  /** The request as it came, where the server keeps it. */
  line?: string;
}

function linesOf(file: string): Run[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Run);
  } catch {
    return [];
  }
}

/** What every object of the process has; none of it was there before. */
function added(): string[] {
  return [Object.prototype, Array.prototype, Function.prototype].flatMap((all) => Object.keys(all));
}

async function clean(tally: Tally, what: string): Promise<void> {
  const found = added();
  tally.held(found.length === 0, `${what}: every object has ${found.join()}`);
  for (const name of found) delete (Object.prototype as Record<string, unknown>)[name];
}

async function names(stage: Stage, ran: (server: string) => Run[], tally: Tally): Promise<void> {
  const all = ['up', ...SERVERS];
  for (const server of all)
    for (const tool of INHERITED) {
      const before = all.map((name) => ran(name).length);
      const code = await outcome(stage, `${server}:${tool}`, {});
      const isThere = INHERITED.indexOf(tool) < 5;
      const after = all.map((name, i) => ran(name).length - before[i]!);
      const wanted = all.map((name) => (name === server && isThere ? 1 : 0));
      const right = code === (isThere ? 'ran' : 'TOOL_NOT_FOUND') && after.join() === wanted.join();
      tally.held(
        right && (!isThere || ran(server).at(-1)!.tool === tool),
        `${server}:${tool}: ${code}, ran ${after.join()}`,
      );
    }
  for (const server of ['__proto__', 'valueOf', 'hasOwnProperty']) {
    const code = await outcome(stage, `${server}:read_only`, {});
    tally.held(code === 'TOOL_NOT_FOUND', `${server}:read_only: ${code}`);
  }
  const { tools } = await stage.rest.request('listTools', { server: 'constructor', limit: 100 });
  tally.held(
    INHERITED.slice(0, 5).every((name) => tools.some((tool) => tool.name === `constructor:${name}`)),
    'a tool is not listed',
  );
  const found = await stage.rest.request('searchTools', { q: '__proto__', server: 'toString' });
  tally.held(found.tools[0]?.name === 'toString:__proto__', `found ${found.tools[0]?.name}`);
  await stage.rest.request('setOperation', {
    name: 'constructor:__proto__',
    body: { operation: 'destructive' },
  });
  tally.held(
    (await outcome(stage, 'constructor:__proto__', {})) === 'SERVER_MISMATCH',
    'a verdict does not hold',
  );
  tally.held(
    (await outcome(stage, 'toString:__proto__', {})) === 'ran',
    'a verdict holds for another server',
  );
  tally.held(
    (await outcome(stage, 'constructor:constructor', {})) === 'ran',
    'a verdict holds for another tool',
  );
  await clean(tally, 'names');
}

async function outcome(stage: Stage, name: string, args: unknown): Promise<string> {
  const body = { tool_variant: 'call_tool_read' as const, name, args, intent: { operation_type: 'read' } };
  return stage.rest.request('callTool', { body }).then(
    () => 'ran',
    (error: { code?: string }) => String(error.code),
  );
}

/** As text: a literal of this language would set the prototype instead. */
const EVIL = [
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"a":{"__proto__":{"polluted":1},"b":[{"__proto__":[1]}]}}',
  '{"__proto__":null,"toString":1,"valueOf":null,"hasOwnProperty":0,"length":-1}',
  '{"__proto__":"x","__defineGetter__":{},"then":{"__proto__":1}}',
];

async function values(stage: Stage, ran: () => Run[], tally: Tally): Promise<void> {
  const call = { name: 'up:read_only', intent_operation_type: 'read' };
  const hole = '"HOLE"';
  for (const evil of EVIL) {
    const { headers, body } = modern('tools/call', {
      name: 'call_tool_read',
      arguments: { ...call, args: 'HOLE' },
    });
    const text = modern('tools/call', { name: 'call_tool_read', arguments: { ...call, args_json: evil } });
    const meta = { ...body, params: { ...body.params, arguments: { ...call, args: {} } } };
    const withMeta = JSON.stringify(meta).replace('"_meta":{', `"_meta":{${evil.slice(1, -1)},`);
    const rest = JSON.stringify({ tool_variant: 'call_tool_read', ...call, args: 'HOLE' });
    const ways: Array<[string, Sent, string]> = [
      ['MCP', posted('/mcp', JSON.stringify(body).replace(hole, evil), headers), evil],
      ['args_json', posted('/mcp', JSON.stringify(text.body), text.headers), evil],
      ['REST', posted('/api/v1/tools/call', rest.replace(hole, evil)), evil],
      ['_meta', posted('/mcp', withMeta, headers), '{}'],
      [
        'around it',
        posted(
          '/mcp',
          JSON.stringify(meta).replace('"arguments":{', `"arguments":{"__proto__":{"polluted":1},`),
          headers,
        ),
        '{}',
      ],
    ];
    for (const [way, sent, arrives] of ways) {
      const before = ran().length;
      const { status, body: said } = await stage.send(sent);
      const last = ran().at(-1);
      const same = ran().length === before + 1 && JSON.stringify(last?.args) === arrives;
      tally.held(
        same,
        `${way}: ${evil} arrives as ${JSON.stringify(last?.args)}: ${status} ${said.slice(0, 200)}`,
      );
      await clean(tally, `${way} ${evil}`);
    }
  }
}

function posted(path: string, body: string, headers: Record<string, string> = {}): Sent {
  const own = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  return { path, body, headers: Object.entries(own) };
}

/** Things that are asked for by a name that every object has. */
async function lookups(stage: Stage, tally: Tally): Promise<void> {
  for (const name of INHERITED.filter((one) => !SERVERS.includes(one)))
    for (const path of [
      `/servers/${name}`,
      `/servers/${name}/logs`,
      `/tools/${name}:x`,
      `/tools/${name}`,
      `/activity/${name}`,
      `/approvals/${name}`,
      `/conversations/${name}`,
      `/${name}`,
    ]) {
      const { status } = await stage.send({ method: 'GET', path: `/api/v1${path}` });
      tally.held(status === 404, `${path}: ${status}`);
    }
  for (const query of INHERITED.flatMap((name) => [
    `${name}=1`,
    `${name}[polluted]=1`,
    `server=${name}&${name}=${name}`,
  ])) {
    const { status } = await stage.send({ method: 'GET', path: `/api/v1/tools?${encodeURI(query)}` });
    tally.held(status === 400, `?${query}: ${status}`);
  }
  const odd = INHERITED.map((name) => [name, 'polluted'] as const);
  const { status } = await stage.send({ method: 'GET', path: '/api/v1/status', headers: odd });
  tally.held(status === 200, `headers of such names: ${status}`);
  const filter = await stage.send({
    method: 'GET',
    path: '/api/v1/activity?server=__proto__&tool=constructor',
  });
  tally.held(filter.status === 200, `a filter: ${filter.status}`);
  await clean(tally, 'lookups');
}

async function settings(stage: Stage, tally: Tally): Promise<void> {
  const patches = [
    ['/api/v1/config', '{"__proto__":{"polluted":1}}'],
    ['/api/v1/config', '{"approvals":{"__proto__":{"polluted":1}}}'],
    ['/api/v1/config', '{"constructor":{"prototype":{"polluted":1}}}'],
    ['/api/v1/config', '{"tools":{"constructor":{"prototype":{"polluted":1}}}}'],
    ['/api/v1/servers/up', '{"__proto__":{"polluted":1}}'],
    ['/api/v1/servers/up', '{"tools":{"__proto__":{"enabled":false}}}'],
    ['/api/v1/servers/up', '{"env":{"__proto__":"x"}}'],
    ['/api/v1/servers/__proto__', '{"enabled":false}'],
  ] as const;
  for (const [path, body] of patches) {
    const { status } = await stage.send({ ...posted(path, body), method: 'PATCH' });
    tally.held(status >= 400 && status < 500, `PATCH ${path} ${body}: ${status}`);
    await clean(tally, `PATCH ${path}`);
  }
  for (const name of ['__proto__', 'prototype.__proto__', 'hasOwnProperty']) {
    const body = `{"name":"${name}","config":{"command":"/nonexistent","enabled":false,"__proto__":{"polluted":1}}}`;
    const { status } = await stage.send(posted('/api/v1/servers', body));
    tally.held(status === 400, `a server ${name}: ${status}`);
  }
  for (const text of EVIL) {
    for (const file of [text, `{"mcpServers":${text}}`])
      tally.held(startsNothing(file), `a file with ${file} starts a server`);
  }
  await clean(tally, 'settings');
  tally.held((await outcome(stage, 'up:read_only', {})) === 'ran', 'a server was changed all the same');
}

/** The file is refused, or no server in it can be used. */
function startsNothing(text: string): boolean {
  try {
    const { mcpServers } = parseConfig(text, 'file');
    return Object.values(mcpServers).every(({ problem }) => problem !== undefined);
  } catch {
    return true;
  }
}

/** What a usual parser changes without a word. */
const DIGITS = [
  '{"id":9007199254740993}',
  '{"id":-9223372036854775809}',
  '{"id":123456789012345678901234567890}',
  '{"a":1.0}',
  '{"a":-0}',
  '{"a":-0.0}',
  '{"a":1e400}',
  '{"a":-1E+400}',
  '{"a":0.1000}',
  '{"a":1e-400}',
  '{"a":0.30000000000000004441}',
  '{"a":"\\ud800"}',
  '{"a":"\\udc00x"}',
  '{"a":1,"a":2}',
  '{"a":{"b":1,"b":{"c":1.0}}}',
  '{"2":1,"1":2}',
  '{"a":[1.0,[9007199254740993,-0]]}',
];

/** Every digit and every key arrives as it was sent, or the call is refused; nothing is changed in silence. */
async function digits(stage: Stage, lines: () => string[], tally: Tally): Promise<void> {
  const call = { name: 'raw:take', intent_operation_type: 'read' };
  const { headers, body } = modern('tools/call', {
    name: 'call_tool_read',
    arguments: { ...call, args: 'HOLE' },
  });
  const rest = JSON.stringify({ tool_variant: 'call_tool_read', ...call, args: 'HOLE' });
  let same = 0;
  for (const piece of DIGITS) {
    const text = modern('tools/call', { name: 'call_tool_read', arguments: { ...call, args_json: piece } });
    const ways: Array<[string, Sent]> = [
      ['MCP', posted('/mcp', JSON.stringify(body).replace('"HOLE"', piece), headers)],
      ['args_json', posted('/mcp', JSON.stringify(text.body), text.headers)],
      ['REST', posted('/api/v1/tools/call', rest.replace('"HOLE"', piece))],
    ];
    for (const [way, sent] of ways) {
      const before = lines().length;
      const { status, body: said } = await stage.send(sent);
      const arrived = lines().slice(before);
      const refused = arrived.length === 0 && (status >= 400 || said.includes('"isError":true'));
      const isSame = arrived.length === 1 && arrived[0]!.includes(`"arguments":${piece}`);
      if (isSame) same++;
      tally.held(
        refused || isSame,
        `${way}: ${piece} arrives as ${arrived[0] ?? `nothing: ${status} ${said.slice(0, 200)}`}`,
      );
    }
  }
  tally.figure(
    `${same} of ${3 * DIGITS.length} odd numbers, texts and keys arrive byte for byte, the others are refused`,
  );
}
