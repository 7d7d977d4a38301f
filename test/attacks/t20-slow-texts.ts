import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exchange, modern } from '../e2e/raw-token.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { PIECES } from '../patterns/attack-texts.ts';
import type { Attack, Tally } from './attack.ts';
import { beside, LENGTHS } from './beside-texts.ts';
import { watched } from './long-texts.ts';

/** Whatever takes this long has not been read in proportion to its length. */
const HANGS_MS = 100_000;

/** Texts that make patterns and scanners slow, in every place where text is looked at, while somebody else goes on working. */
export const slowTexts: Attack = {
  threat: 'T20',
  title: 'slow patterns and exhausted scanners',
  async run(tally, scale) {
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-t20-'));
    const tools = join(dir, 'tools.json');
    const turns = join(dir, 'turns.jsonl');
    writeFileSync(tools, JSON.stringify(listed(scale === 'full' ? Math.max(...LENGTHS[scale]) : 200_000)));
    const proxy = await startProxy({
      config: {
        // The texts are suspicious, and the tools beside them have to run.
        quarantine: 'warn',
        mcpServers: {
          up: fixture('annotated.mjs'),
          other: fixture('annotated.mjs'),
          slow: fixture('listed.mjs', tools),
          giants: fixture('giants.mjs'),
        },
        approvals: { require: [`nobody:${'*a'.repeat(100)}*b`] },
      },
      env: watched(turns),
    });
    try {
      await neverClean(proxy, tally);
      await patterns(proxy, tally);
      await everywhere(proxy, tally, scale === 'full' ? PIECES : PIECES.filter((_, i) => i % 4 === 0));
      await beside(proxy, tally, { scale, turns });
      tally.held(
        !/failed with an internal error|failed inside|broke inside/.test(proxy.stderr()),
        'something broke inside',
      );
    } finally {
      await proxy.dispose();
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

const filled = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Every place of a definition, each with another text, and patterns that the built-in engine would not survive. */
function listed(characters: number): unknown[] {
  const places: Array<(text: string) => object> = [
    (description) => ({ description }),
    (title) => ({ title }),
    (description) => ({
      inputSchema: { type: 'object', properties: { a: { type: 'string', description } } },
    }),
    (one) => ({ inputSchema: { type: 'object', properties: { a: { enum: [one] } } } }),
    (one) => ({ outputSchema: { type: 'object', properties: { a: { default: one } } } }),
    (key) => ({ inputSchema: { type: 'object', properties: { [key]: {} } } }),
  ];
  const long = PIECES.map((piece, i) => ({
    name: `long_${i}`,
    ...places[i % places.length]!(filled(piece, characters)),
  }));
  const evil = EVIL.map((pattern, i) => ({
    name: `pattern_${i}`,
    inputSchema: { type: 'object', properties: { a: { type: 'string', pattern } }, required: ['a'] },
  }));
  const usual = {
    description: 'a tool',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  };
  return [...long, ...evil].map((tool) => ({ ...usual, ...tool }));
}

const EVIL = [
  '(a+)+$',
  '^(a|a)*$',
  '([a-zA-Z]+)*!$',
  '(.*a){20}',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(?:a?){30}a{30}',
];

/** What was not read, or not to its end, is told, and counts as doubtful: never as looked at and found harmless. */
async function neverClean({ rest }: RunningProxy, tally: Tally): Promise<void> {
  const look = () => rest.request('listTools', { server: 'slow', limit: 100 });
  const isLong = ({ name }: { name: string }) => name.startsWith('slow:long_');
  for (let waiting = true; waiting;) {
    const long = (await look()).tools.filter(isLong);
    const clean = long.filter(({ findings }) => findings.length === 0).map(({ name }) => name);
    tally.held(
      clean.length === 0 && long.length === PIECES.length,
      `taken for read: ${clean.join(', ')} of ${long.length}`,
    );
    waiting = long.some(({ findings }) => findings.some(({ rule }) => rule === 'not-scanned'));
    if (waiting) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const { name, findings } of (await look()).tools.filter(isLong))
    tally.held(
      findings.some(({ rule }) => rule === 'too-long'),
      `${name} is taken for read: ${JSON.stringify(findings).slice(0, 200)}`,
    );
  const { total } = await rest.request('listTools', { server: 'slow', suspicious: 'true', limit: 100 });
  tally.held(total >= PIECES.length, `${total} are called doubtful`);
}

async function patterns({ rest }: RunningProxy, tally: Tally): Promise<void> {
  for (const [i, pattern] of EVIL.entries()) {
    const started = performance.now();
    const body = {
      tool_variant: 'call_tool_read' as const,
      name: `slow:pattern_${i}`,
      args: { a: `${'a'.repeat(50_000)}!` },
      intent: { operation_type: 'read' },
    };
    const said = await rest.request('callTool', { body }).then(
      () => 'ran',
      (error: { code?: string }) => String(error.code),
    );
    const took = performance.now() - started;
    tally.held(
      ['ran', 'INVALID_TOOL_ARGUMENTS'].includes(said) && took < HANGS_MS,
      `/${pattern}/: ${said} after ${Math.round(took)} ms`,
    );
  }
}

/** Long texts as reasons, queries, names, filters and messages: what is looked at in another way than arguments and results. */
function attempts({ url, key, rest }: RunningProxy, piece: string): Array<() => Promise<unknown>> {
  const said = (params: Record<string, unknown>) => {
    const { headers, body } = modern('tools/call', params);
    return exchange(url, { token: key, headers, body }).ended;
  };
  const call = (more: object) =>
    said({
      name: 'call_tool_read',
      arguments: { name: 'up:read_only', intent_operation_type: 'read', ...more },
    });
  return [
    () => call({ args: {}, intent_reason: filled(piece, 1000) }),
    () => call({ name: `up:${filled(piece, 500)}` }),
    () => rest.request('searchTools', { q: filled(piece, 1000) }),
    () => rest.request('listActivity', { q: filled(piece, 200) }),
    () => rest.request('chat', { body: { message: filled(piece, 4000) } }),
    () => rest.request('explainChat', { body: { message: filled(piece, 4000) } }),
  ];
}

async function everywhere(proxy: RunningProxy, tally: Tally, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces)
    for (const act of attempts(proxy, piece)) {
      const began = performance.now();
      await act().catch(() => undefined);
      const took = performance.now() - began;
      tally.held(took < HANGS_MS, `${JSON.stringify(piece)} took ${Math.round(took)} ms`);
    }
}
