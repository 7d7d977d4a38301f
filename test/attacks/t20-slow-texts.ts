import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exchange, modern } from '../e2e/raw-token.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { percentile } from '../faults/calls.ts';
import { PIECES } from '../patterns/attack-texts.ts';
import type { Attack, Scale, Tally } from './attack.ts';
import { p99, timesOf, turnsSince, under, watched, withSink, type Sent, type Volley } from './long-texts.ts';

interface Sizes {
  characters: readonly number[];
  perSecond: number;
  /** How long texts come, in each round and for each length. */
  forMs: number;
  rounds: number;
  /** In CPU time: what the longest turn of the event loop may take. */
  turnMs: number;
}
const SIZES: Record<Scale, Sizes> = {
  // CPU time does not depend on what else the machine does.
  quick: { characters: [2_000_000], perSecond: 10, forMs: 1500, rounds: 1, turnMs: 150 },
  full: { characters: [200_000, 2_000_000], perSecond: 50, forMs: 5000, rounds: 3, turnMs: 100 },
};
/** What long texts may add to the time of calls of another server. */
const MOST_ADDED_MS = 20;
/** What long texts are made of: as asked for, and those that escapes and several bytes make longer. */
const TEXTS = ['-', 'a', 'A1', 'a.', 'aGk0', 'curl -u ', 'secret', '"', '\n', '中'];
/** Whatever takes this long has not been read in proportion to its length. */
const HANGS_MS = 20_000;

/** Texts that make patterns and scanners slow, in every place where text is looked at, while somebody else goes on working. */
export const slowTexts: Attack = {
  threat: 'T20',
  title: 'slow patterns and exhausted scanners',
  async run(tally, scale) {
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-t20-'));
    const tools = join(dir, 'tools.json');
    const turns = join(dir, 'turns.jsonl');
    writeFileSync(tools, JSON.stringify(listed(Math.max(...SIZES[scale].characters))));
    const proxy = await startProxy({
      config: {
        mcpServers: {
          up: fixture('annotated.mjs'),
          other: fixture('annotated.mjs'),
          slow: fixture('listed.mjs', tools),
        },
        approvals: { require: [`nobody:${'*a'.repeat(100)}*b`] },
      },
      env: watched(turns),
    });
    try {
      await neverClean(proxy, tally);
      await patterns(proxy, tally);
      await everywhere(proxy, tally);
      await beside(proxy, tally, { ...SIZES[scale], scale, turns });
      tally.held(!/failed inside|broke inside/.test(proxy.stderr()), 'something broke inside');
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

async function everywhere(proxy: RunningProxy, tally: Tally): Promise<void> {
  for (const piece of PIECES)
    for (const act of attempts(proxy, piece)) {
      const began = performance.now();
      await act().catch(() => undefined);
      const took = performance.now() - began;
      tally.held(took < HANGS_MS, `${JSON.stringify(piece)} took ${Math.round(took)} ms`);
    }
}

interface Round {
  quiet: number[];
  during: number[];
  /** While the machine is as busy, but not the program. */
  control: number[];
  sent: Sent[];
}

/** In turns on the same machine: nothing else, long texts to the program, and the same texts to somebody else. */
async function round(proxy: RunningProxy, volley: Volley, isFull: boolean): Promise<Round> {
  const { forMs } = volley;
  const quiet = isFull ? await timesOf(proxy, forMs) : [];
  const { sent, result: during } = await under(proxy, { ...volley, forMs: forMs + LEAD_MS }, () =>
    timesOf(proxy, forMs),
  );
  if (!isFull) return { quiet, during, control: [], sent };
  const { result: control } = await withSink((url) =>
    under({ url, key: 'none' }, { ...volley, forMs: forMs + LEAD_MS }, () => timesOf(proxy, forMs)),
  );
  return { quiet, during, control, sent };
}

/** The process that takes the times starts while the texts come. */
const LEAD_MS = 500;

async function beside(
  proxy: RunningProxy,
  tally: Tally,
  { characters, perSecond, forMs, rounds, turnMs, scale, turns }: Sizes & { scale: Scale; turns: string },
): Promise<void> {
  const isFull = scale === 'full';
  // What is loaded and compiled at the first call is none of the texts' doing.
  const warm = { pieces: TEXTS, characters: 20_000, perSecond: 60, forMs: isFull ? 5000 : 1500 };
  await under(proxy, warm, () => Promise.resolve());
  for (const length of characters) {
    const volley: Volley = { pieces: TEXTS, characters: length, perSecond, forMs };
    const began = Date.now();
    const all: Round[] = [];
    for (let n = 0; n < rounds; n++) all.push(await round(proxy, volley, isFull));
    const [longest = 0] = turnsSince(turns, began);
    judge(tally, length, all, isFull);
    tally.held(longest < turnMs, `a turn of the event loop took ${longest.toFixed(0)} ms of CPU time`);
    tally.figure(`longest turn ${longest.toFixed(0)} ms CPU`);
  }
}

function judge(tally: Tally, length: number, rounds: readonly Round[], isFull: boolean): void {
  const sent = rounds.flatMap((each) => each.sent);
  const during = rounds.flatMap((each) => each.during);
  tally.held(during.every(Number.isFinite), 'calls of another server failed');
  tally.held(!sent.some(({ status }) => status >= 500 && status !== 503), 'something broke inside');
  const shown = `${sent.length} texts of ${length.toLocaleString('en-US')} characters`;
  if (!isFull) return tally.figure(shown);
  // The median of the rounds, each against its own quiet: what else runs on the machine does not come in all of them alike.
  const added = (times: 'during' | 'control') =>
    percentile(
      rounds.map((each) => p99(each[times]) - p99(each.quiet)),
      0.5,
    );
  const [texts, machine] = [added('during'), added('control')];
  const figure = `${shown}: p99 of another server ${p99(rounds.flatMap((each) => each.quiet)).toFixed(1)} ms alone, added ${texts.toFixed(1)} ms; by a neighbour that is as busy ${machine.toFixed(1)} ms`;
  tally.figure(figure);
  if (machine >= MOST_ADDED_MS && texts >= MOST_ADDED_MS)
    return tally.notHere(`the machine is too busy to tell: a neighbour alone adds ${machine.toFixed(1)} ms`);
  tally.held(texts < MOST_ADDED_MS, `${shown} add ${texts.toFixed(1)} ms to the p99 of another server`);
}
