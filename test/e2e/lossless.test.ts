import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onOneLine } from '../../src/json/scan.ts';
import { VERSION } from '../../src/start/version.ts';
import { NUMBERS, objectText } from '../fixtures/json-text.ts';
import { fixture } from '../fixtures/start.ts';
// @ts-expect-error -- a fixture without types
import { resultWith as resultUntyped } from '../fixtures/verbatim.mjs';
import { startVerbatimHttp } from '../fixtures/verbatim-http.ts';
import { openRawMcp, type RawMcp } from './raw-mcp.ts';
import { runCli, spawnCli } from './run-cli.ts';
import { startHere } from './start-here.ts';
import type { RunningProxy } from './start-proxy.ts';

const resultWith = resultUntyped as (text: string) => string;
const BIG = '{"id":12345678901234567890,"2":1.0,"1":-0,"x":1e400,"s":"\\ud800\\/","a":9007199254740993}';
const TEXTS = [
  BIG,
  ...NUMBERS.map((number) => `{"n":${number},"list":[${number}, ${number}]}`),
  ...fc.sample(objectText, { seed: 20_260_728, numRuns: 240 }),
];
const UPSTREAMS = ['stdio', 'json', 'events', 'sse'] as const;
const LINES = new Set<string>(['stdio']);
const META = 'io.modelcontextprotocol/';

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-lossless-'));
let upstream: Awaited<ReturnType<typeof startVerbatimHttp>>;
let proxy: RunningProxy;
let legacy: RawMcp;

beforeAll(async () => {
  writeFileSync(join(dir, 'texts.json'), JSON.stringify(TEXTS));
  upstream = await startVerbatimHttp(TEXTS);
  proxy = await startHere({
    config: {
      mcpServers: {
        stdio: fixture('verbatim.mjs', join(dir, 'texts.json')),
        json: { url: `${upstream.url}/json` },
        events: { url: `${upstream.url}/events` },
        sse: { url: `${upstream.url}/sse`, type: 'sse' },
      },
    },
  });
  legacy = await openRawMcp(proxy);
});

afterAll(async () => {
  await proxy?.dispose();
  upstream?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** The arguments as the agent writes them: an object, or a string that holds one; some clients make an object of that string. */
const GIVEN = {
  args: (text: string) => `"args" :\t${text}`,
  args_json: (text: string) => `"args_json":${JSON.stringify(text)}`,
  'args_json as an object': (text: string) => `"args_json" : ${text}`,
};
type Given = keyof typeof GIVEN;
const call = (server: string, text: string, as: Given) =>
  `{"name":"${server}:say",${GIVEN[as](text)} ,"intent":{"operation_type":"read"}}`;

interface Road {
  name: string;
  send(server: string, text: string): Promise<string>;
  /** What is to come back for a result of the server. */
  expected(result: string): string;
}

const roads: Road[] = [
  ...(Object.keys(GIVEN) as Given[]).flatMap((as): Road[] => [
    {
      name: `MCP 2025, ${as}`,
      send: async (server, text) => {
        const answer = (await legacy.call('call_tool_read', call(server, text, as))).text;
        return answer.replace(/^\{"jsonrpc":"2.0","id":\d+,"result":/, '').replace(/\}$/, '');
      },
      expected: (result) => result,
    },
    {
      name: `REST, ${as}`,
      send: (server, text) => rest(server, text, as),
      expected: (result) => result,
    },
  ]),
  {
    name: 'MCP 2026',
    send: (server, text) => modern(server, text),
    expected: (result) =>
      result
        .replace('{ "content"', '{"resultType":"complete", "content"')
        .replace(
          '"_meta":{"10"',
          `"_meta":{"${META}serverInfo":{"name":"mcpproxy","version":"${VERSION}"},"10"`,
        ),
  },
];

async function rest(server: string, text: string, as: Given): Promise<string> {
  const body = `{"tool_variant":"call_tool_read",${call(server, text, as).slice(1)}`;
  const headers = { 'x-api-key': proxy.key, 'content-type': 'application/json' };
  const response = await fetch(`${proxy.url}/api/v1/tools/call`, { method: 'POST', headers, body });
  return response.text();
}

async function modern(server: string, text: string): Promise<string> {
  const meta = `{"${META}protocolVersion":"2026-07-28","${META}clientCapabilities":{}}`;
  const params = `{"name":"call_tool_read","arguments":${call(server, text, 'args')},"_meta":${meta}}`;
  const response = await fetch(`${proxy.url}/mcp`, {
    method: 'POST',
    headers: {
      'x-api-key': proxy.key,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'call_tool_read',
    },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
  });
  return (await response.text()).replace('{"jsonrpc":"2.0","id":1,"result":', '').replace(/\}$/, '');
}

describe('arguments and results, byte for byte', () => {
  test.each(UPSTREAMS)('server over %s, every door', async (server) => {
    const differ: unknown[] = [];
    const one = async (text: string, at: number): Promise<void> => {
      const road = roads[at % roads.length]!;
      const got = await road.send(server, text);
      const result = resultWith(LINES.has(server) ? onOneLine(text) : text);
      // A stream of events has its own line breaks.
      const same =
        server === 'json' || server === 'stdio'
          ? (a: string) => a
          : (a: string) => a.replaceAll(/\r\n?/g, '\n');
      if (same(got) !== same(road.expected(result)))
        differ.push({ road: road.name, text, got, expected: road.expected(result) });
    };
    for (let from = 0; from < TEXTS.length; from += 16)
      await Promise.all(TEXTS.slice(from, from + 16).map((text, at) => one(text, from + at)));
    expect(differ).toEqual([]);
  });

  test('the command line: as it is typed, and every digit of the result', async () => {
    const argv = ['call', 'tool-read', 'json:say', '--args', BIG, '-o', 'json'];
    const { code, stdout } = await runCli([...argv, ...proxy.place], { home: proxy.home });
    expect([
      code,
      stdout.match(/12345678901234567890|9007199254740993|\b1\.0\b|-0\b|1e400/g)?.length,
    ]).toEqual([0, 14]);
  });

  test('the door for pipes', async () => {
    const home = mkdtempSync(join(dir, 'home-'));
    const config = join(home, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({ mcpServers: { stdio: fixture('verbatim.mjs', join(dir, 'texts.json')) } }),
      { mode: 0o600 },
    );
    const child = spawnCli(['stdio', '--config', config, '--data-dir', join(home, 'data')], { home });
    const waiting = new Map<number, (line: string) => void>();
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      for (const line of lines) waiting.get(Number(/^\{"jsonrpc":"2.0","id":(\d+)/.exec(line)?.[1]))?.(line);
    });
    const ask = (id: number, method: string, params: string) =>
      new Promise<string>((done) => {
        waiting.set(id, done);
        child.stdin.write(
          `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${onOneLine(params)}}\n`,
        );
      });
    await ask(
      1,
      'initialize',
      '{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}',
    );
    for (let answer = ''; !answer.includes('structuredContent":{"id"');)
      answer = await ask(
        2,
        'tools/call',
        `{"name":"call_tool_read","arguments":${call('stdio', BIG, 'args')}}`,
      );
    const some = TEXTS.slice(0, 60);
    const answers = await Promise.all(
      some.map((text, at) =>
        ask(
          10 + at,
          'tools/call',
          `{"name":"call_tool_read","arguments":${call('stdio', text, at % 2 === 0 ? 'args_json' : 'args')}}`,
        ),
      ),
    );
    child.stdin.end();
    expect(answers).toEqual(
      some.map((text, at) => `{"jsonrpc":"2.0","id":${10 + at},"result":${onOneLine(resultWith(text))}}`),
    );
  });
});

test('the record of a call has every digit, of the arguments and of the result', async () => {
  await rest('json', BIG, 'args_json');
  const response = await fetch(`${proxy.url}/api/v1/activity?type=tool_call&limit=1`, {
    headers: { 'x-api-key': proxy.key },
  });
  const text = await response.text();
  expect(text).toContain('"id":12345678901234567890');
  expect(text).toContain('"a":9007199254740993');
  expect(text.match(/"x":1e400/g)).toHaveLength(3);
});

describe('a key that stands twice is refused, and nothing is called', () => {
  const TWICE = '{"a":1,"b":{"c":1,"\\u0063":2}}';
  test.each([
    [
      'in args_json',
      () => legacy.call('call_tool_read', call('json', TWICE, 'args_json')),
      'INVALID_ARGUMENTS',
    ],
    ['in args', () => legacy.call('call_tool_read', call('json', TWICE, 'args')), '"code":-32600'],
    [
      'in the intent',
      () =>
        legacy.call(
          'call_tool_read',
          call('json', BIG, 'args_json').replace(
            '{"operation_type"',
            '{"operation_type":"write","operation_type"',
          ),
        ),
      '"code":-32600',
    ],
    ['over REST', async () => ({ text: await rest('json', TWICE, 'args') }), 'INVALID_REQUEST'],
    [
      'over REST, in args_json',
      async () => ({ text: await rest('json', TWICE, 'args_json') }),
      'INVALID_ARGUMENTS',
    ],
  ])('%s', async (_, send, code) => {
    const before = upstream.calls();
    const { text } = await send();
    expect(text).toContain(code);
    expect(text).toMatch(/twice/);
    expect(upstream.calls()).toBe(before);
  });
});
