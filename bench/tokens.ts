import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createCatalog } from '../src/catalog/catalog.ts';
import type { KnownTool } from '../src/catalog/known/known-tool.ts';
import type { KnownToolUpdate } from '../src/catalog/known/known-tools.ts';
import { Config } from '../src/contract/config.ts';
import { ToolDefinition } from '../src/contract/tool.ts';
import { createLog } from '../src/lib/log.ts';
import { describeTools, retrieveTools, type DiscoveryParts } from '../src/doors/mcp/tools/discover-tools.ts';
import { listProxyTools } from '../src/doors/mcp/tools/tool-list.ts';
import { tokensOf } from './count-tokens.ts';
import { percentile } from './statistics.ts';

// What an agent pays, in tokens: for the list of the proxy's tools, for answers of retrieve_tools in full and compact form, and for
// describe_tool, on a given catalog. Beside it what it would pay for all the tools at once.
// usage: tsx bench/tokens.ts CATALOG     a JSONL file of {server, name, description?, inputSchema?}, or a folder with corpus.jsonl
//        and, where it is there, queries.jsonl of {query}; else the names of the tools are the queries
interface Row {
  server: string;
  name: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
}

const [given] = process.argv.slice(2);
if (!given) {
  console.error('usage: tsx bench/tokens.ts CATALOG');
  process.exit(2);
}
const isFolder = statSync(given).isDirectory();
const tools = rows<Row>(isFolder ? join(given, 'corpus.jsonl') : given);
const queriesFile = isFolder ? join(given, 'queries.jsonl') : '';
const queries = existsSync(queriesFile)
  ? rows<{ query: string }>(queriesFile).map(({ query }) => query)
  : tools.map(({ name }) => name);

const config = Config.parse({});
const catalog = createCatalog({
  store: forgetful(),
  config: () => config,
  events: { emit: () => {} },
  record: () => {},
  log: createLog('silent'),
});
for (const [server, listed] of grouped(tools))
  catalog.replace(
    server,
    listed.map((row) => ToolDefinition.parse({ inputSchema: {}, ...row })),
  );
const parts: DiscoveryParts = { config: () => config, catalog };

console.log(`${tools.length} tools, ${queries.length} queries; tokens by the o200k vocabulary\n`);
print('', ['tokens']);
print('tools/list of the proxy', [tokensOf({ tools: listProxyTools(config) })]);
print('all tools at once, without a proxy', [
  tools.reduce((sum, { server: _server, ...tool }) => sum + tokensOf(tool), 0),
]);
console.log('');
print('answer of retrieve_tools', ['mean', 'median', 'p95']);
for (const limit of [5, 10]) {
  const full = answers(limit, 'full');
  const compact = answers(limit, 'compact');
  print(`limit ${limit}, full`, summary(full));
  print(`limit ${limit}, compact`, summary(compact));
  print(`limit ${limit}, compact / full`, [(mean(compact) / mean(full)).toFixed(2)]);
}
print(
  'describe_tool, one tool',
  summary(
    sample(tools, 400).map(({ server, name }) =>
      tokensOf(describeTools(parts, { names: [`${server}:${name}`] }, {})),
    ),
  ),
);

function answers(limit: number, detail: 'full' | 'compact'): number[] {
  return sample(queries, 400).map((query) =>
    tokensOf(retrieveTools(parts, { query: query.slice(0, 1000), limit, detail }, {})),
  );
}

/** Evenly through the whole list, so that every source is in it. */
function sample<T>(items: T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return Array.from({ length: Math.min(count, items.length) }, (_, i) => items[Math.floor(i * step)]!);
}

function summary(values: number[]): Array<string | number> {
  const sorted = [...values].sort((a, b) => a - b);
  return [Math.round(mean(values)), percentile(sorted, 0.5), percentile(sorted, 0.95)];
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function print(title: string, cells: Array<string | number>): void {
  console.log(title.padEnd(36) + cells.map((cell) => String(cell).padStart(10)).join(''));
}

function rows<T>(file: string): T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

function grouped(all: Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of all) groups.set(row.server, [...(groups.get(row.server) ?? []), row]);
  return groups;
}

/** A store that keeps nothing. */
function forgetful() {
  const none: ReadonlyMap<string, KnownTool> = new Map();
  return {
    ofServer: () => none,
    isFull: () => false,
    save: () => {},
    update: async (_key: unknown, { initial, change }: KnownToolUpdate) => change(initial),
    acceptedDefinition: async () => null,
    decisions: () => [],
    onChanged: () => {},
    close: () => {},
    flush: async () => {},
  };
}
