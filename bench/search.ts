import { createSearchIndex, type SearchIndex } from '../src/catalog/search/search-index.ts';
import { shippedWordVectors } from '../src/catalog/search/word-vectors.ts';
import type { ToolDefinition } from '../src/contract/tool.ts';

// How long search takes on synthetic catalogs, and what building and replacing a server cost.
// usage: node --expose-gc --import tsx bench/search.ts [SIZE …]

const VERBS =
  'get list create update delete search send read move copy export import sync check run open close share archive restore'.split(
    ' ',
  );
const THINGS =
  'issue pull_request file message channel customer invoice order calendar_event contact document page database table row user team project task ticket build deployment container image volume secret token webhook report dashboard metric alert log trace payment refund subscription product price recipe flight hotel song playlist video photo comment label branch commit'.split(
    ' ',
  );
const FILLER =
  'the of a with for by and in from to optional given specific returns matching filter results workspace account identifier newest first page size status name owner date range format text list all current user when before after includes related default limit sorted order'.split(
    ' ',
  );
const QUERIES = [
  'create an issue in the repository',
  'send a message to a channel',
  'list my open pull requests',
  'find a customer by email and show the last invoice',
  'delete a file',
  'what is on my calendar today',
  'export the dashboard metrics as a report',
  'restart the deployment of the billing service and tell me the status of the containers when it is done please',
  'get user',
  'search for flights and hotels with the best price for the summer and share the playlist',
];

interface Synthetic {
  name: string;
  server: string;
  definition: ToolDefinition;
}

/** The same catalog on every run: a linear congruential generator, not Math.random. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function synthetic(i: number, words: number): Synthetic {
  const random = createRandom(i + 1);
  const pick = (list: string[]) => list[random(list.length)]!;
  const server = `server_${Math.floor(i / 100)}`;
  const [verb, thing, other] = [pick(VERBS), pick(THINGS), pick(THINGS)];
  const sentence = Array.from({ length: words }, (_, n) =>
    n % 6 === 5 ? pick(THINGS) : n % 17 === 16 ? `word${random(20_000)}` : pick(FILLER),
  ).join(' ');
  const properties = Object.fromEntries(
    [thing, other, 'limit'].map((key) => [
      `${key}_id`,
      { type: 'string', description: `the ${key} to ${verb}` },
    ]),
  );
  const name = `${verb}_${thing}_${i % 100}`;
  return {
    name: `${server}:${name}`,
    server,
    definition: {
      name,
      description: `${verb} a ${thing} of a ${other}. ${sentence}`,
      inputSchema: { type: 'object', properties },
    },
  };
}

function percentile(sorted: number[], p: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))]!;
}

function timeQueries(index: SearchIndex, runs: number): number[] {
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    index.search(QUERIES[i % QUERIES.length]!, { limit: 10 });
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

function timeReplace(index: SearchIndex, words: number): number {
  const tools = Array.from({ length: 100 }, (_, i) => synthetic(i, words));
  const start = performance.now();
  index.remove(tools.map(({ name }) => name));
  for (const tool of tools) index.add(tool);
  return performance.now() - start;
}

/** Objects and the buffers outside the heap: the vectors live in the latter. */
function memoryMb(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

function measure(size: number, words: number): string[] {
  const tools = Array.from({ length: size }, (_, i) => synthetic(i, words));
  const before = memoryMb();
  const index = createSearchIndex();
  const start = performance.now();
  for (const tool of tools) index.add(tool);
  const build = performance.now() - start;
  const memory = memoryMb() - before;
  timeQueries(index, 50);
  const times = timeQueries(index, 1000);
  const replaces = Array.from({ length: 5 }, () => timeReplace(index, words)).sort((a, b) => a - b);
  return [
    String(size),
    String(words),
    percentile(times, 0.5).toFixed(3),
    percentile(times, 0.99).toFixed(3),
    build.toFixed(0),
    memory.toFixed(0),
    replaces[2]!.toFixed(1),
    replaces[4]!.toFixed(1),
  ];
}

const HEADER = [
  'tools',
  'words each',
  'p50 ms',
  'p99 ms',
  'build ms',
  'index MB',
  'replace 100 ms',
  'slowest',
];
const loading = performance.now();
shippedWordVectors();
console.log(`reading the table of word vectors: ${(performance.now() - loading).toFixed(1)} ms`);

const sizes = process.argv.slice(2).map(Number);
console.log(HEADER.map((cell) => cell.padStart(15)).join(''));
for (const size of sizes.length > 0 ? sizes : [1_000, 10_000, 100_000]) {
  for (const words of size > 10_000 ? [20] : [20, 300])
    console.log(
      measure(size, words)
        .map((cell) => cell.padStart(15))
        .join(''),
    );
}
