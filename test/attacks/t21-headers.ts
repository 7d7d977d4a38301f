import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modern } from '../e2e/raw-token.ts';
import type { RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { RawLine, type Answer } from '../fuzz/raw-line.ts';
import type { Attack, Tally } from './attack.ts';
import { startHeaderServer } from './header-server.ts';
import { startOf } from './scaled.ts';

const META = 'io.modelcontextprotocol/protocolVersion';
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** What a gateway reads in the headers and what the proxy reads in the body must be the same thing. */
export const headers: Attack = {
  threat: 'T21',
  title: 'headers that disagree with the body',
  async run(tally, scale) {
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-t21-'));
    const log = join(dir, 'calls.log');
    const upstream = await startHeaderServer(listed());
    const proxy = await startOf(scale)({
      config: { mcpServers: { up: fixture('annotated.mjs', '--log', log), web: { url: upstream.url } } },
    });
    try {
      await disagreeing(proxy, () => statSync(log, { throwIfNoEntry: false })?.size ?? 0, tally);
      await mirrored(proxy, upstream.calls, tally);
    } finally {
      await proxy.dispose();
      upstream.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

const { body: CALL } = modern('tools/call', {
  name: 'call_tool_destructive',
  arguments: { name: 'up:destructive', args: {}, intent_operation_type: 'destructive' },
});
const [VERSION, METHOD, NAME] = ['2026-07-28', 'tools/call', 'call_tool_destructive'];
const RIGHT = [`MCP-Protocol-Version: ${VERSION}`, `Mcp-Method: ${METHOD}`, `Mcp-Name: ${NAME}`];
const without = (name: string, ...more: string[]) => [
  ...RIGHT.filter((line) => !line.toLowerCase().startsWith(name.toLowerCase())),
  ...more,
];

/** Each a set of header lines as they are written, for a body that makes a destructive call. */
const LINES: Record<string, string[]> = {
  'another tool': without('Mcp-Name', 'Mcp-Name: call_tool_read'),
  'a tool that only looks': without('Mcp-Name', 'Mcp-Name: retrieve_tools'),
  'no name': without('Mcp-Name'),
  'an empty name': without('Mcp-Name', 'Mcp-Name:'),
  'no method': without('Mcp-Method'),
  'no version': without('MCP-Protocol-Version'),
  'another method': without('Mcp-Method', 'Mcp-Method: tools/list'),
  'another version': without('MCP-Protocol-Version', 'MCP-Protocol-Version: 2025-11-25'),
  'an unknown version': without('MCP-Protocol-Version', 'MCP-Protocol-Version: 2099-01-01'),
  'a method in capitals': without('Mcp-Method', 'Mcp-Method: TOOLS/CALL'),
  'a name in capitals': without('Mcp-Name', 'Mcp-Name: CALL_TOOL_DESTRUCTIVE'),
  'the right name, then another': [...RIGHT, 'Mcp-Name: call_tool_read'],
  'another name, then the right one': ['Mcp-Name: call_tool_read', ...RIGHT],
  'the right name twice': [...RIGHT, `mcp-name: ${NAME}`],
  'two methods': [...RIGHT, 'MCP-METHOD: tools/list'],
  'two versions': [...RIGHT, 'MCP-Protocol-Version: 2025-11-25'],
  'an encoded other name': without('Mcp-Name', `Mcp-Name: ${base64('call_tool_read')}`),
  'encoded twice': without('Mcp-Name', `Mcp-Name: ${base64(base64(NAME))}`),
  'encoded in capitals': without('Mcp-Name', `Mcp-Name: ${base64(NAME).replace('base64', 'BASE64')}`),
  'encoded without an end': without('Mcp-Name', `Mcp-Name: ${base64(NAME).slice(0, -2)}`),
  'encoded with a line too many': without('Mcp-Name', `Mcp-Name: ${base64(`${NAME}\r\n`)}`),
  'encoded with too many marks': without('Mcp-Name', `Mcp-Name: ${base64(NAME).replace(/\?=$/, '==?=')}`),
  'a name with a blank in it': without('Mcp-Name', 'Mcp-Name: call_tool_ destructive'),
  'a name with something behind it': without('Mcp-Name', `Mcp-Name: ${NAME}; call_tool_read`),
  'names as a list': without('Mcp-Name', `Mcp-Name: ${NAME}, ${NAME}`),
  'an underscore in its own name': without('Mcp-Name', `Mcp_Name: ${NAME}`),
  'a letter that looks the same': without('Mcp-Name', `Mcp-Name: \u0441all_tool_destructive`),
};

/** No header lines at all as HTTP has them: refused before anybody looks at the body. */
const NOT_HTTP: Record<string, string[]> = {
  'a line that goes on': without('Mcp-Name', 'Mcp-Name: call_tool_read\r\n , x'),
  'a name over two lines': without('Mcp-Name', 'Mcp-Name: call_tool_\r\n destructive'),
  'a bare line feed': without('Mcp-Name', `Mcp-Name: call_tool_read\nMcp-Name: ${NAME}`),
  'a bare carriage return': without('Mcp-Name', `Mcp-Name: call_tool_read\rMcp-Name: ${NAME}`),
  'a NUL': without('Mcp-Name', `Mcp-Name: ${NAME}\0call_tool_read`),
  'a blank before the colon': without('Mcp-Name', `Mcp-Name : ${NAME}`),
};

async function disagreeing(proxy: RunningProxy, calls: () => number, tally: Tally): Promise<void> {
  const send = (lines: string[], body: unknown = CALL) =>
    exchanged(proxy, lines, { body: JSON.stringify(body) });
  const good = await send(RIGHT);
  tally.held(good.status === 200 && calls() > 0, `what agrees is refused: ${good.status} ${good.body}`);
  let before = calls();
  const held = (what: string, { status, body }: Answer, code: RegExp) => {
    const isSame = calls() === before;
    tally.held(status === 400 && code.test(body) && isSame, `${what}: ${status} ${body.slice(0, 200)}`);
    before = calls();
  };
  for (const [what, lines] of Object.entries(LINES)) held(what, await send(lines), /-32020/);
  for (const [what, lines] of Object.entries(NOT_HTTP)) {
    held(what, await send(lines), /./);
  }
  // The other way round: right headers, and a body that says something else.
  const other = (change: object) => ({ ...CALL, params: { ...CALL.params, ...change } });
  held('a body that names another tool', await send(RIGHT, other({ name: 'call_tool_write' })), /-32020/);
  held('a body with another method', await send(RIGHT, { ...CALL, method: 'tools/list' }), /-32020/);
  const older = { ...CALL.params._meta, [META]: '2025-11-25' };
  held('a body of another revision', await send(RIGHT, other({ _meta: older })), /-32020/);
  held('a body of no revision', await send(RIGHT, other({ _meta: {} })), /-32602/);
  const encoded = other({ name: base64('call_tool_read') });
  held(
    'a name that reads as encoded',
    await send(without('Mcp-Name', `Mcp-Name: ${base64('call_tool_read')}`), encoded),
    /-32020/,
  );
  held('a batch', await send(RIGHT, [CALL]), /-32600/);
  // Behind the body, where a gateway no longer looks.
  const text = JSON.stringify(CALL);
  const chunked = `${text.length.toString(16)}\r\n${text}\r\n0\r\nMcp-Name: ${NAME}\r\n\r\n`;
  held(
    'a name behind the body',
    await exchanged(proxy, [...without('Mcp-Name'), 'Trailer: Mcp-Name'], { body: chunked, isChunked: true }),
    /-32020/,
  );
  const plain = await send(without('Mcp-Name', `Mcp-Name: ${base64(NAME)}`));
  tally.held(plain.status === 200, `the same name, encoded, is refused: ${plain.body.slice(0, 200)}`);
}

async function exchanged(
  proxy: RunningProxy,
  lines: string[],
  { body, isChunked = false }: { body: string; isChunked?: boolean },
): Promise<Answer> {
  const port = Number(new URL(proxy.url).port);
  const head = [
    'POST /mcp HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${proxy.key}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...lines,
    isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const line = new RawLine(port);
  try {
    return await line.send(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`));
  } finally {
    line.close();
  }
}

const region = (header: unknown, type: unknown = 'string') => ({
  type: 'object',
  properties: { region: { type, 'x-mcp-header': header } },
});
const tool = (name: string, inputSchema: unknown) => ({
  name,
  description: 'a tool',
  inputSchema,
  annotations: { readOnlyHint: true },
});

/** Declarations that would write a header of their own, beside one that is good. */
const BAD: unknown[] = [
  'Region\r\nX-Evil: 1',
  'Region: x',
  'Re gion',
  '',
  'R\u00e9gion',
  'Region\0',
  5,
  null,
  ['Region'],
  { toString: 1 },
];
const listed = () => [
  tool('region', region('Region')),
  tool('weiter_\u00fc', { type: 'object' }),
  ...BAD.map((header, i) => tool(`bad_${i}`, region(header))),
  tool('bad_type', region('Region', { toString: 1 })),
  tool('bad_twice', {
    type: 'object',
    properties: { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
  }),
];
const VALUES = ['eu', 'a\r\nX-Evil: 1', 'a\nb', '\u00fc', ' edge ', '', '\0', base64('eu'), 'x'.repeat(2000)];

async function mirrored(
  proxy: RunningProxy,
  calls: Awaited<ReturnType<typeof startHeaderServer>>['calls'],
  tally: Tally,
): Promise<void> {
  const { tools } = await proxy.rest.request('listTools', { server: 'web' });
  const names = tools.map(({ name }) => name).sort();
  tally.held(names.join() === 'web:region,web:weiter_\u00fc', `offered: ${names.join()}`);
  const call = (name: string, args: object) =>
    proxy.rest.request('callTool', {
      body: { tool_variant: 'call_tool_read', name, args, intent: { operation_type: 'read' } },
    });
  for (const value of VALUES) {
    await call('web:region', { region: value });
    const { headers: sent, args } = calls.at(-1)!;
    const said = sent.filter(([name]) => name === 'mcp-param-region').map(([, one]) => decoded(one));
    tally.held(
      said.length === 1 && said[0] === value && args!.region === value,
      `${JSON.stringify(value)} arrives as ${JSON.stringify(said)}`,
    );
    tally.held(!sent.some(([name]) => name.startsWith('x-evil')), `${JSON.stringify(value)} writes a header`);
  }
  await call('web:weiter_\u00fc', {});
  const named = calls
    .at(-1)!
    .headers.filter(([name]) => name === 'mcp-name')
    .map(([, one]) => decoded(one));
  tally.held(named.join() === 'weiter_\u00fc', `a name arrives as ${named.join()}`);
}

function decoded(value: string): string {
  const inner = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  return inner === undefined ? value : Buffer.from(inner, 'base64').toString();
}
