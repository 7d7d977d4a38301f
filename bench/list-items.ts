// CPU time of each page of a list of 10,000 resources, 2,000 prompts, or 10,000 tools in direct mode.
//
//   not prepared   a client asks before any entry was made, as in the moment when the list arrives
//   prepared       the entries were made in the background meanwhile: what a running proxy does
//   other scope    the same list once more, for another token
//
//   node --expose-gc --import tsx bench/list-items.ts
import { setTimeout as pause } from 'node:timers/promises';
import type { CatalogTool } from '../src/catalog/catalog-tool.ts';
import { itemDefinition } from '../src/catalog/items/item-definition.ts';
import type { ItemKind } from '../src/contract/item.ts';
import { OperationType } from '../src/contract/operation.ts';
import { createMenu } from '../src/doors/mcp/direct/menu.ts';
import { createListItems } from '../src/doors/mcp/items/list-items.ts';
import { messageText, resultMessage } from '../src/doors/mcp/wire.ts';
import type { JsonObject } from '../src/json/index.ts';
import { createLog } from '../src/lib/log.ts';
import { audienceFor } from '../src/road/index.ts';
import { catalogTool } from '../test/fixtures/catalog-tool.ts';
import { percentile } from './statistics.ts';

const ROUNDS = 20;
const SERVERS = 10;
const KINDS = ['tool', 'resource', 'prompt'] as const;
type Kind = (typeof KINDS)[number];
const COUNTS: Record<Kind, number> = { tool: 10_000, resource: 10_000, prompt: 2_000 };
const CASES = ['not prepared', 'prepared', 'other scope'] as const;

function definition(kind: Kind, index: number): Record<string, unknown> {
  const description = `The entry ${index} of a long list, with a description of an ordinary length for an item.`;
  if (kind === 'prompt') return { name: `prompt_${index}`, description, arguments: [{ name: 'topic' }] };
  if (kind === 'resource') {
    const uri = `file:///data/folder/${index}.txt`;
    return { uri, name: `${index}.txt`, description, mimeType: 'text/plain' };
  }
  const properties = { path: { type: 'string', description: 'Which file' }, limit: { type: 'integer' } };
  return { name: `tool_${index}`, description, inputSchema: { type: 'object', properties } };
}

function entry(kind: Kind, index: number): CatalogTool {
  const server = `server-${index % SERVERS}`;
  const raw = definition(kind, index);
  const made = kind === 'tool' ? (raw as CatalogTool['definition']) : itemDefinition(kind, raw);
  return catalogTool(server, made.name, { definition: made });
}

function catalogOf(kind: Kind) {
  const each = Array.from({ length: COUNTS[kind] }, (_, index) => entry(kind, index));
  const entries = new Map(each.map((item) => [item.name, item]));
  const sorted = [...entries.keys()].sort();
  return { get: (name: string) => entries.get(name), names: () => sorted, revision: () => 1 };
}

interface Lists {
  page(kind: Kind, list: { scope: ReturnType<typeof newScope>; cursor: unknown }): JsonObject;
  /** What the proxy does when a list has arrived. */
  arrived(): Promise<void>;
}

const newScope = () => ({ operations: [...OperationType.options], servers: ['server-*'] });

/** New entries in each round, so that nothing of them is known yet. */
function filled(): Lists {
  const listeners: Array<(kind: ItemKind) => void> = [];
  const items = {
    resource: catalogOf('resource'),
    prompt: catalogOf('prompt'),
    template: { get: () => undefined, names: () => [], revision: () => 1 },
    onChanged: (listener: (kind: ItemKind) => void) => listeners.push(listener),
  };
  const list = createListItems(items as unknown as Parameters<typeof createListItems>[0]);
  const menu = createMenu({
    catalog: catalogOf('tool'),
    config: () => ({ mode: 'direct', direct: { destructive: 'allow', max_menu_tokens: 1e9 } }),
    log: createLog('silent'),
  });
  return {
    page(kind, { scope, cursor }) {
      if (kind === 'tool') return menu.page({ audience: audienceFor(scope), own: [], cursor });
      const token = { id: '1', name: 'a', scope };
      return list(kind, { identity: { principal: 'token:a', userId: 'local', token }, cursor });
    },
    async arrived() {
      menu.toolsChanged();
      for (const kind of ['resource', 'prompt'] as const) for (const tell of listeners) tell(kind);
      await quiet();
    },
  };
}

/** Until nothing runs in the background. */
async function quiet(): Promise<void> {
  for (;;) {
    const before = process.cpuUsage();
    await pause(50);
    if (process.cpuUsage(before).user < 1000) return;
  }
}

function listAll(lists: Lists, kind: Kind): number[] {
  const [scope, times]: [ReturnType<typeof newScope>, number[]] = [newScope(), []];
  let cursor: unknown;
  do {
    const before = process.cpuUsage();
    const page = lists.page(kind, { scope, cursor });
    messageText(resultMessage(1, page));
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return times;
}

const measured = new Map<string, number[]>();

async function measure(isCounted: boolean): Promise<void> {
  for (const kind of KINDS) {
    const [unprepared, lists] = [filled(), filled()];
    const times = new Map<string, number[]>();
    // What was made to fill the catalogs is not part of a page.
    globalThis.gc?.();
    times.set('not prepared', listAll(unprepared, kind));
    await quiet();
    await lists.arrived();
    times.set('prepared', listAll(lists, kind));
    await quiet();
    times.set('other scope', listAll(lists, kind));
    await quiet();
    if (!isCounted) continue;
    for (const [name, each] of times) {
      const key = `${kind}s, ${name}`;
      measured.set(key, [...(measured.get(key) ?? []), ...each]);
    }
  }
}

// Not counted: the code is compiled meanwhile.
await measure(false);
for (let round = 0; round < ROUNDS; round++) await measure(true);
for (const kind of KINDS)
  for (const name of CASES) {
    const sorted = measured.get(`${kind}s, ${name}`)!.toSorted((a, b) => a - b);
    const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)].map((ms) => ms.toFixed(1));
    const max = sorted.at(-1)!.toFixed(1);
    process.stdout.write(
      `${`${kind}s`.padEnd(9)} ${name.padEnd(12)} ${sorted.length} pages, CPU p50 ${p50} ms, p99 ${p99} ms, max ${max} ms\n`,
    );
  }
