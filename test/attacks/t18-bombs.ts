import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modern, openSession } from '../e2e/raw-token.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import type { Attack, Scale, Tally } from './attack.ts';
import { cliOf } from './scaled.ts';
import { deep, deepAnyOf, longArray, longString, manyKeys, NO_JSON, STILL_JSON } from './bombs.ts';

interface Sizes {
  depths: number[];
  count: number;
  characters: number;
}
const SIZES: Record<Scale, Sizes> = {
  quick: { depths: [65, 20_000], count: 10_000, characters: 100_000 },
  full: { depths: [65, 100, 1000, 10_000, 100_000, 1_000_000], count: 1_000_000, characters: 10_000_000 },
};
const LIMIT_MS = 280_000;
/** Objects and arrays within each other: what is around the arguments takes some of the 64 levels. */
const FITTING = 50;

interface Stage {
  proxy: RunningProxy;
  session: Record<string, string>;
  calls: () => number;
}

/** JSON that is too deep, too wide or none at all, at every place where JSON comes in. */
export const bombs: Attack = {
  threat: 'T18',
  title: 'JSON depth and shape bombs',
  async run(tally, scale) {
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-t18-'));
    const log = join(dir, 'calls.log');
    const tools = join(dir, 'tools.json');
    writeFileSync(tools, schemas(SIZES[scale]));
    const proxy = await startProxy({
      config: {
        mcpServers: {
          up: fixture('annotated.mjs', '--log', log),
          odd: fixture('misbehaving.mjs'),
          schemas: fixture('listed.mjs', tools, '--log', log),
        },
      },
    });
    try {
      const session = await openSession(proxy.url, proxy.key);
      const stage = { proxy, session, calls: () => statSync(log, { throwIfNoEntry: false })?.size ?? 0 };
      await tooDeep(stage, tally, SIZES[scale]);
      await tooWide(stage, tally, SIZES[scale]);
      await noJson(stage, tally);
      await fromServers(stage, tally, SIZES[scale]);
      await inConfig(dir, tally, scale);
      tally.held(
        !/failed with an internal error|failed inside|broke inside/.test(proxy.stderr()),
        `something broke inside: ${proxy.stderr().slice(-500)}`,
      );
      tally.figure(`${Math.round(peakMemory(proxy.pid))} MB at most`);
    } finally {
      await proxy.dispose();
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

interface Said {
  status: number;
  text: string;
}

interface Posted {
  headers?: Record<string, string>;
  body: string | Buffer;
}

async function post({ proxy }: Stage, path: string, { headers, body }: Posted): Promise<Said> {
  const response = await fetch(proxy.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${proxy.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  return { status: response.status, text: await response.text() };
}

const HOLE = '"HOLE"';
const CALL = { name: 'up:read_only', intent_operation_type: 'read' };

/** Puts a piece of text where the hole is, byte for byte. */
function filled(body: unknown, piece: string | Buffer): Buffer {
  const [before, after] = JSON.stringify(body).split(HOLE);
  return Buffer.concat([Buffer.from(before!), Buffer.from(piece as string), Buffer.from(after!)]);
}

/** The ways for arguments to come in, each with the rest of its request around them. */
const WAYS: Record<string, (stage: Stage, piece: string | Buffer) => Promise<Said>> = {
  'MCP 2026': (stage, piece) => {
    const { headers, body } = modern('tools/call', {
      name: 'call_tool_read',
      arguments: { ...CALL, args: 'HOLE' },
    });
    return post(stage, '/mcp', { headers, body: filled(body, piece) });
  },
  'MCP 2025': (stage, piece) => {
    const params = { name: 'call_tool_read', arguments: { ...CALL, args: 'HOLE' } };
    const body = filled({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, piece);
    return post(stage, '/mcp', { headers: stage.session, body });
  },
  args_json: (stage, piece) => {
    const { headers, body } = modern('tools/call', {
      name: 'call_tool_read',
      arguments: { ...CALL, args_json: 'HOLE' },
    });
    return post(stage, '/mcp', { headers, body: filled(body, JSON.stringify(piece.toString())) });
  },
  REST: (stage, piece) =>
    post(stage, '/api/v1/tools/call', {
      body: filled({ tool_variant: 'call_tool_read', ...CALL, args: 'HOLE' }, piece),
    }),
};

const ran = ({ status, text }: Said) => status === 200 && !/"isError":true|"error":\{/.test(text);

async function tooDeep(stage: Stage, tally: Tally, { depths }: Sizes): Promise<void> {
  for (const [way, send] of Object.entries(WAYS)) {
    const fits = await send(stage, `{"a":${deep(FITTING)}}`);
    tally.held(ran(fits), `${way}: ${FITTING} levels are refused: ${fits.text.slice(0, 200)}`);
    for (const levels of depths)
      for (const piece of [
        `{"a":${deep(levels)}}`,
        deep(levels, ['{"a":', '}']),
        deep(levels, ['[{"b":', '}]']),
        '['.repeat(levels),
      ]) {
        const before = stage.calls();
        const said = await send(stage, piece);
        const isSaid = /TOO_DEEP|-32600/.test(said.text);
        tally.held(
          isSaid && stage.calls() === before,
          `${way}: ${levels} levels: ${said.status} ${said.text.slice(0, 200)}`,
        );
      }
  }
  for (const path of ['/web/session', '/api/v1/config', '/api/v1/verdicts', '/api/v1/approvals/explain']) {
    const { status } = await post(stage, path, { body: deep(1000) });
    tally.held(status === 400 || status === 405, `${path}: a deep body is answered with ${status}`);
  }
}

/** Wide is not wrong: it may run or be refused, but is answered, and the proxy goes on. */
async function tooWide(stage: Stage, tally: Tally, { count, characters }: Sizes): Promise<void> {
  for (const [way, send] of Object.entries(WAYS))
    for (const piece of [
      manyKeys(count),
      `{"a":${longArray(count)}}`,
      `{"a":${longString(characters)}}`,
      `{"${'k'.repeat(characters)}":1}`,
    ]) {
      const { status, text } = await send(stage, piece);
      tally.held(
        status < 500 && text.length < 2 * piece.length + 20_000,
        `${way}: ${piece.length} characters: ${status}, ${text.length} back`,
      );
    }
  const unknown = await post(stage, '/api/v1/tokens', { body: manyKeys(count) });
  tally.held(
    unknown.status === (count > 100_000 ? 413 : 400) && unknown.text.length < 20_000,
    `unknown keys: ${unknown.status}, ${unknown.text.length} characters back`,
  );
}

async function noJson(stage: Stage, tally: Tally): Promise<void> {
  for (const [way, send] of Object.entries(WAYS)) {
    for (const piece of NO_JSON) {
      // As text of its own, no text at all is "no arguments".
      if (way === 'args_json' && piece.length === 0) continue;
      const before = stage.calls();
      const said = await send(stage, piece);
      tally.held(
        !ran(said) && said.status < 500 && stage.calls() === before,
        `${way}: ${JSON.stringify(piece.toString())} is taken: ${said.text.slice(0, 200)}`,
      );
    }
    for (const piece of STILL_JSON) {
      const said = await send(stage, piece);
      tally.held(ran(said), `${way}: ${piece} is refused: ${said.text.slice(0, 200)}`);
    }
  }
}

const tool = (name: string, schema: string) =>
  `{"name":"${name}","description":"a tool","annotations":{"readOnlyHint":true},"inputSchema":${schema}}`;

/** What a server may list: as deep as a message may be, and as wide as it likes. */
function schemas({ count }: Sizes): string {
  const properties = manyKeys(count / 10).replaceAll(':0', ':{}');
  return `[${[
    tool('plain', '{"type":"object"}'),
    tool('deep_any_of', deepAnyOf(200)),
    tool('deep_properties', deep(200, ['{"properties":{"a":', '}}']).replace('1', '{}')),
    tool('wide_any_of', `{"anyOf":[${'{"type":"object"},'.repeat(count / 10)}{}]}`),
    tool('wide_enum', `{"enum":${longArray(count / 10)}}`),
    tool('wide_properties', `{"type":"object","properties":${properties}}`),
    tool('round', '{"$ref":"#"}'),
    tool(
      'round_again',
      '{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}',
    ),
  ].join(',')}]`;
}

async function fromServers(stage: Stage, tally: Tally, { depths }: Sizes): Promise<void> {
  const { rest } = stage.proxy;
  const call = (name: string, args: unknown = {}) =>
    rest
      .request('callTool', {
        body: { tool_variant: 'call_tool_read', name, args, intent: { operation_type: 'read' } },
      })
      .then(
        (result) => (result.isError ? 'an error of the tool' : 'ran'),
        (error: { code?: string }) => String(error.code),
      );
  for (const levels of depths.filter((depth) => depth > 600)) {
    const answer = await call('odd:deep', { levels });
    tally.held(
      answer === 'UPSTREAM_FAILED' || answer === 'OUTCOME_UNKNOWN',
      `a result of ${levels} levels: ${answer}`,
    );
  }
  const { tools } = await rest.request('listTools', { server: 'schemas', limit: 100 });
  const names = tools.map(({ name }) => name.slice('schemas:'.length));
  tally.held(
    !names.some((name) => name.startsWith('deep')),
    'a tool whose definition is too deep to be passed on is offered',
  );
  tally.held(names.length === 6, `of the others ${names.join(', ')} are known`);
  for (const { name } of tools) {
    const answer = await call(name);
    tally.held(['ran', 'INVALID_TOOL_ARGUMENTS'].includes(answer), `${name}: ${answer}`);
  }
  tally.held((await call('up:read_only')) === 'ran', 'another server is not reached any more');
}

async function inConfig(dir: string, tally: Tally, scale: Scale): Promise<void> {
  const file = join(dir, 'config.json');
  const texts = [
    `{"mcpServers":${deep(SIZES[scale].depths.at(-1)!, ['{"a":', '}'])}}`,
    '{"mcpServers":{"a":{"command":"x"},}',
    '{"mcpServers":NaN}',
    deep(70),
  ];
  for (const text of texts) {
    writeFileSync(file, text, { mode: 0o600 });
    const command = ['config', 'validate', file];
    const { code, stderr, stdout } = await cliOf(scale)(command, { home: dir });
    tally.held(code === 4, `a bad file ends with ${code}: ${(stderr + stdout).slice(0, 200)}`);
  }
}

function peakMemory(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
