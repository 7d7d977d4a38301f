// CPU time of each page of a list of 10,000 resources, 2,000 prompts, or 10,000 tools in direct mode: right after the list has arrived, when
// no entry is made yet; when the entries were made in the background, which a running proxy does; and for another scope.
//
//   node --expose-gc --import tsx bench/list-items.ts
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CatalogTool } from '../src/catalog/catalog-tool.ts';
import { itemDefinition } from '../src/catalog/items/item-definition.ts';
import type { ItemKind } from '../src/contract/item.ts';
import { OperationType } from '../src/contract/operation.ts';
import { createListItems } from '../src/doors/mcp/items/list-items.ts';
import { messageText, resultMessage } from '../src/doors/mcp/wire.ts';
import { catalogTool } from '../test/fixtures/catalog-tool.ts';
import { percentile } from './statistics.ts';

const ROUNDS = 20;
const SERVERS = 10;
const COUNTS = { resource: 10_000, prompt: 2_000 };
const first: Record<string, number[]> = { resource: [], prompt: [] };
const later: Record<string, number[]> = { resource: [], prompt: [] };

function definition(kind: ItemKind, index: number): Record<string, unknown> {
  const description = `The entry ${index} of a long list, with a description of an ordinary length for an item.`;
  if (kind === 'prompt') return { name: `prompt_${index}`, description, arguments: [{ name: 'topic' }] };
  return {
    uri: `file:///data/folder/${index}.txt`,
    name: `${index}.txt`,
    description,
    mimeType: 'text/plain',
  };
}

/** New entries in each round, so that nothing of them is known yet; the names are sorted when a list arrives, not when it is asked for. */
function filled() {
  const catalogOf = (kind: ItemKind, count: number) => {
    const each = Array.from({ length: count }, (_, index) => entry(kind, index));
    const entries = new Map(each.map((item) => [item.name, item]));
    const sorted = [...entries.keys()].sort();
    return {
      get: (name: string) => entries.get(name),
      names: () => sorted,
      revision: () => 1,
    };
  };
  const catalogs = {
    resource: catalogOf('resource', COUNTS.resource),
    prompt: catalogOf('prompt', COUNTS.prompt),
    template: catalogOf('template', 0),
  };
  return createListItems(catalogs as unknown as Parameters<typeof createListItems>[0]);
}

function entry(kind: ItemKind, index: number): CatalogTool {
  const server = `server-${index % SERVERS}`;
  const made = itemDefinition(kind, definition(kind, index));
  return catalogTool(server, made.name, { definition: made });
}

function listAll(list: ReturnType<typeof filled>, kind: 'resource' | 'prompt', into: number[]): void {
  const scope = { operations: [...OperationType.options], servers: ['server-*'] };
  const identity = { principal: 'token:a', userId: 'local', token: { id: '1', name: 'a', scope } };
  let cursor: unknown;
  do {
    const before = process.cpuUsage();
    const page = list(kind, { identity, cursor });
    messageText(resultMessage(1, page));
    const { user, system } = process.cpuUsage(before);
    into.push((user + system) / 1000);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** Not counted: the code is compiled meanwhile. */
for (const kind of ['resource', 'prompt'] as const) listAll(filled(), kind, []);
for (let round = 0; round < ROUNDS; round++) {
  const list = filled();
  // What was made to fill the catalogs is not part of a page.
  globalThis.gc?.();
  for (const kind of ['resource', 'prompt'] as const) {
    listAll(list, kind, first[kind]!);
    // Another scope: its view is new, the entries are not.
    listAll(list, kind, later[kind]!);
  }
}
const shown = (times: number[]) => {
  const sorted = times.toSorted((a, b) => a - b);
  const [p50, p99, max] = [percentile(sorted, 0.5), percentile(sorted, 0.99), sorted.at(-1)!];
  return `${times.length} pages, CPU p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms`;
};
for (const kind of ['resource', 'prompt'] as const) {
  process.stdout.write(`${kind}s, first scope:  ${shown(first[kind]!)}\n`);
  process.stdout.write(`${kind}s, second scope: ${shown(later[kind]!)}\n`);
}
