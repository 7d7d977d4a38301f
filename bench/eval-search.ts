import { readFileSync } from 'node:fs';
import { createSearchIndex } from '../src/catalog/search-index.ts';
import { ToolDefinition } from '../src/contract/tool.ts';
import { createPlainBm25 } from './plain-bm25.ts';

// Scores search on a labelled set, beside plain BM25 in the same run. Two fifths of the servers are "held out": settings are to be
// tuned on the others only.
// usage: tsx bench/eval-search.ts CATALOGUE.jsonl QUERIES.jsonl
//   catalogue rows: {server, name, description?, inputSchema?}     query rows: {query, relevant: ["server:tool"], source?}
interface Query {
  query: string;
  relevant: string[];
  source?: string;
}
type Rank = (query: string) => string[];
type Scores = Record<(typeof COLUMNS)[number], number>;

const COLUMNS = ['recall@1', 'recall@5', 'recall@10', 'MRR', 'nDCG@10'] as const;

const [catalogueFile, queriesFile] = process.argv.slice(2);
if (!catalogueFile || !queriesFile) {
  console.error('usage: tsx bench/eval-search.ts CATALOGUE.jsonl QUERIES.jsonl');
  process.exit(2);
}

const tools = rows<{ server: string; inputSchema?: unknown }>(catalogueFile).map((row) => ({
  server: row.server,
  definition: ToolDefinition.parse({ ...row, inputSchema: row.inputSchema ?? {} }),
}));
const queries = rows<Query>(queriesFile);
const index = createSearchIndex();
for (const { server, definition } of tools)
  index.add({ name: `${server}:${definition.name}`, server, definition });

const engines: Record<string, Rank> = {
  'plain BM25': createPlainBm25(
    tools.map(({ server, definition }) => [
      `${server}:${definition.name}`,
      `${server} ${definition.name} ${definition.description ?? ''}`,
    ]),
  ),
  mcpproxy: (query) => index.search(query, { limit: 10 }).hits.map(({ name }) => name),
};

console.log(`${tools.length} tools, ${queries.length} queries`);
for (const [part, chosen] of [
  ['all', queries],
  ['tuned on', queries.filter((query) => !heldOut(query))],
  ['held out', queries.filter(heldOut)],
] as const) {
  console.log(
    `\n${`${part} (${chosen.length})`.padEnd(34)}${COLUMNS.map((column) => column.padStart(10)).join('')}`,
  );
  for (const [engine, rank] of Object.entries(engines)) report(engine, rank, chosen);
}

/** Every source counts the same in the last line, however many queries it has. */
function report(engine: string, rank: Rank, chosen: Query[]): void {
  const sources = [...grouped(chosen)].map(([source, group]) => {
    const scores = mean(group.map(({ query, relevant }) => judge(rank(query), relevant)));
    console.log(line(`${engine}: ${source} (${group.length})`, scores));
    return scores;
  });
  console.log(line(`${engine}: mean of sources`, mean(sources)));
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

function line(label: string, scores: Scores): string {
  return label.padEnd(34) + COLUMNS.map((column) => scores[column].toFixed(3).padStart(10)).join('');
}

/** By server, so that no tool is seen on both sides; by hash, so that a new set splits the same way. */
function heldOut({ relevant }: Query): boolean {
  const server = relevant[0]!.slice(0, relevant[0]!.indexOf(':'));
  let hash = 2166136261;
  for (const character of server) hash = Math.imul(hash ^ character.codePointAt(0)!, 16777619) >>> 0;
  return hash % 5 >= 3;
}

function rows<T>(file: string): T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text) as T);
}
