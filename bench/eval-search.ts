import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createSearchIndex } from '../src/catalog/search/search-index.ts';
import { SETTINGS, type SearchSettings } from '../src/catalog/search/search-settings.ts';
import { ToolDefinition } from '../src/contract/tool.ts';
import { isHeldOut } from './held-out.ts';
import { createPlainBm25 } from './plain-bm25.ts';

// Scores search on a labelled set, and plain BM25 for comparison. Two fifths of the servers are "held out": settings are tuned on the
// others only. --ablate also shows what is lost without each part of search.
// usage: npm run eval:search -- CATALOG.jsonl QUERIES.jsonl [--ablate]
//   catalog rows: {server, name, description?, inputSchema?}     query rows: {query, relevant: ["server:tool"], source?}
interface Query {
  query: string;
  relevant: string[];
  source?: string;
}
type Rank = (query: string) => string[];
type Scores = Record<(typeof COLUMNS)[number], number>;

const ABLATIONS: Record<string, Partial<SearchSettings>> = {
  'likeness of meaning': { meaning: 0 },
  'near words': { near: 0 },
  pairs: { pair: 0 },
  'lighter empty words': { emphasis: 0 },
  synonyms: { synonym: 0 },
  verbs: { verb: 0 },
  'lighter quotes': { quoted: 1 },
  'lighter ids and dates': { literal: 1 },
  'the floor': { floor: 0 },
  'field weights': {
    weights: { name: 1, server: 1, summary: 1, description: 1, parameters: 1, parameter_text: 1, about: 1 },
  },
};

const COLUMNS = ['recall@1', 'recall@5', 'recall@10', 'MRR', 'nDCG@10'] as const;

const {
  values: { ablate },
  positionals: [catalogFile, queriesFile],
} = parseArgs({ options: { ablate: { type: 'boolean' } }, allowPositionals: true });
if (!catalogFile || !queriesFile) {
  console.error('usage: npm run eval:search -- CATALOG.jsonl QUERIES.jsonl [--ablate]');
  process.exit(2);
}

const tools = rows<{ server: string; inputSchema?: unknown }>(catalogFile).map((row) => ({
  server: row.server,
  definition: ToolDefinition.parse({ ...row, inputSchema: row.inputSchema ?? {} }),
}));
const queries = rows<Query>(queriesFile);

const plain = createPlainBm25(
  tools.map(({ server, definition }) => [
    `${server}:${definition.name}`,
    `${server} ${definition.name} ${definition.description ?? ''}`,
  ]),
);

console.log(`${tools.length} tools, ${queries.length} queries`);
for (const [part, chosen] of [
  ['all', queries],
  ['tuned on', queries.filter((query) => !heldOut(query))],
  ['held out', queries.filter(heldOut)],
] as const) {
  console.log(
    `\n${`${part} (${chosen.length})`.padEnd(34)}${COLUMNS.map((column) => column.padStart(10)).join('')}`,
  );
  const baseline = report('plain BM25', plain, chosen);
  const scores = report('mcpproxy', ours(), chosen);
  console.log(line('mcpproxy / plain BM25', ratio(scores, baseline)));
  if (!ablate) continue;
  for (const [part, without] of Object.entries(ABLATIONS))
    console.log(line(`without ${part}`, meanOfSources(ours(without), chosen).mean));
}

function ours(change: Partial<SearchSettings> = {}): Rank {
  const index = createSearchIndex({ ...SETTINGS, ...change });
  for (const { server, definition } of tools)
    index.add({ name: `${server}:${definition.name}`, server, definition });
  return (query) => index.search(query, { limit: 10 }).hits.map(({ name }) => name);
}

function report(engine: string, rank: Rank, chosen: Query[]): Scores {
  const { sources, mean } = meanOfSources(rank, chosen);
  for (const { source, count, scores } of sources)
    console.log(line(`${engine}: ${source} (${count})`, scores));
  console.log(line(`${engine}: mean of sources`, mean));
  return mean;
}

/** Every source counts the same, however many queries it has. */
function meanOfSources(rank: Rank, chosen: Query[]) {
  const sources = [...grouped(chosen)].map(([source, group]) => ({
    source,
    count: group.length,
    scores: mean(group.map(({ query, relevant }) => judge(rank(query), relevant))),
  }));
  return { sources, mean: mean(sources.map(({ scores }) => scores)) };
}

function grouped(chosen: Query[]): Map<string, Query[]> {
  const groups = new Map<string, Query[]>();
  for (const query of chosen) groups.set(sourceOf(query), [...(groups.get(sourceOf(query)) ?? []), query]);
  return groups;
}

function sourceOf({ source }: Query): string {
  return source ?? 'queries';
}

function judge(ranked: string[], relevant: string[]): Scores {
  const gains = ranked.slice(0, 10).map((name) => (relevant.includes(name) ? 1 : 0));
  const recall = (n: number) => gains.slice(0, n).filter(Boolean).length / relevant.length;
  const discounted = (values: number[]) =>
    values.reduce<number>((sum, gain, i) => sum + gain / Math.log2(i + 2), 0);
  const first = gains.indexOf(1);
  return {
    'recall@1': recall(1),
    'recall@5': recall(5),
    'recall@10': recall(10),
    MRR: first < 0 ? 0 : 1 / (first + 1),
    'nDCG@10': discounted(gains) / discounted(Array.from({ length: Math.min(10, relevant.length) }, () => 1)),
  };
}

function mean(all: Scores[]): Scores {
  return Object.fromEntries(
    COLUMNS.map((column) => [column, all.reduce((sum, scores) => sum + scores[column], 0) / all.length]),
  ) as Scores;
}

function ratio(ours: Scores, baseline: Scores): Scores {
  return Object.fromEntries(COLUMNS.map((column) => [column, ours[column] / baseline[column]])) as Scores;
}

function line(label: string, scores: Scores): string {
  return label.padEnd(34) + COLUMNS.map((column) => scores[column].toFixed(3).padStart(10)).join('');
}

function heldOut({ relevant }: Query): boolean {
  return isHeldOut(relevant[0]!.slice(0, relevant[0]!.indexOf(':')));
}

function rows<T>(file: string): T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text) as T);
}
