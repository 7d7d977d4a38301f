import { ProxyError } from '../contract/errors.ts';
import type { OperationType, ToolVariant } from '../contract/operation.ts';
import type { OperationView, ToolDefinition } from '../contract/tool.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import type { EventBus } from '../lib/event-bus.ts';
import type { Log } from '../lib/log.ts';
import { definitionHash } from './definition-hash.ts';
import { hintsOf, nextHints, type HintChange } from './held-hints.ts';
import { inferOperation } from './infer-operation.ts';
import { judgeTool, overrideOf, type CatalogConfig, type ToolFacts } from './judge-tool.ts';
import type { KnownTool, KnownTools } from './known-tools.ts';
import { nameForms, nearestNames, type NameForms } from './nearest-names.ts';
import {
  coverageOf,
  listTools,
  searchTools,
  toolEntry,
  type ListQuery,
  type SearchQuery,
} from './read-catalog.ts';
import { reportChanges, type ReportParts, type ToolHintChange } from './report-changes.ts';
import { createSearchIndex } from './search-index.ts';
import { usableTools } from './usable-tools.ts';
import type { Constraint } from './verdict.ts';

/** A tool as the proxy knows it now, with the verdict it is held to. */
export interface CatalogTool {
  /** server:tool */
  name: string;
  server: string;
  tool: string;
  builtin: boolean;
  enabled: boolean;
  definition: ToolDefinition;
  operation: OperationView;
  constraint: Constraint;
  callWith: ToolVariant;
}

export interface CatalogParts extends ReportParts {
  store: KnownTools;
  config: () => CatalogConfig;
  events: Pick<EventBus, 'emit'>;
  log: Log;
  clock?: Clock;
}

interface Entry {
  facts: ToolFacts;
  hash: string;
  tool: CatalogTool;
  forms: NameForms;
}

export type Catalog = ReturnType<typeof createCatalog>;

/** All tools of all servers, answered from memory. What must outlive the process goes through the store. */
export function createCatalog({ store, config, events, record, log, clock = systemClock }: CatalogParts) {
  const entries = new Map<string, Entry>();
  const namesOf = new Map<string, Set<string>>();
  const index = createSearchIndex();
  let sorted: string[] | undefined;
  const now = () => new Date(clock.now()).toISOString();
  const get = (name: string) => entries.get(name)?.tool;
  const readable = { get, tools: allTools, names: () => (sorted ??= [...entries.keys()].sort()), index };

  /** The tools that a server lists now. Those that are the same as before are left alone, so a quiet refresh costs little. */
  function replace(
    server: string,
    listed: readonly ToolDefinition[],
    { builtin = false }: { builtin?: boolean } = {},
  ): void {
    const { tools, left } = usableTools(listed);
    for (const [tool, why] of [...left].slice(0, 20))
      log.warn({ server, tool }, `a tool is left out: ${why}`);
    const gone = [...(namesOf.get(server) ?? [])].filter((name) => !tools.has(name.slice(server.length + 1)));
    const fresh = [...tools.values()]
      .map((definition) => ({
        name: `${server}:${definition.name}`,
        definition,
        hash: definitionHash(definition),
      }))
      .filter(({ name, hash }) => entries.get(name)?.hash !== hash);
    if (gone.length + fresh.length === 0) return;
    // In one sweep: taking tools out of the index one by one would go through its long lists once for each.
    index.remove([...gone, ...fresh.map(({ name }) => name)]);
    forget(server, gone);
    const changes: ToolHintChange[] = [];
    for (const { definition, hash } of fresh) {
      const { known, change } = learn(server, definition, hash);
      put({ server, builtin, definition, inferred: inferOperation(definition), known }, hash);
      if (change) changes.push({ tool: definition.name, ...change });
    }
    reportChanges(server, changes, { record, log });
    announce(server);
  }

  /** Compares a definition with what is remembered of the tool, also from before a restart. */
  function learn(
    server: string,
    definition: ToolDefinition,
    hash: string,
  ): { known: KnownTool; change?: HintChange } {
    const before = store.ofServer(server).get(definition.name);
    if (before?.hash === hash) return { known: before };
    const hints = hintsOf(definition.annotations);
    const { state, change } = nextHints(before ?? { hints, held: hints }, hints);
    const known = { ...before, ...state, hash, firstSeen: before?.firstSeen ?? now(), changedAt: now() };
    store.save(server, definition.name, known);
    return { known, ...(change && { change }) };
  }

  function put(facts: ToolFacts, hash: string): CatalogTool {
    const tool = judgeTool(facts, config());
    const before = entries.get(tool.name);
    entries.set(tool.name, { facts, hash, tool, forms: before?.forms ?? nameForms(tool.name) });
    if (!before) {
      sorted = undefined;
      namesOf.set(facts.server, (namesOf.get(facts.server) ?? new Set()).add(tool.name));
    }
    // What is switched off is not in the index at all, so no filter can forget it.
    if (!tool.enabled) index.remove([tool.name]);
    else if (!before?.tool.enabled || before.hash !== hash) index.add(tool);
    return tool;
  }

  function forget(server: string, names: string[]): void {
    if (names.length === 0) return;
    index.remove(names);
    for (const name of names) {
      entries.delete(name);
      namesOf.get(server)?.delete(name);
    }
    sorted = undefined;
  }

  function remove(server: string): void {
    const names = [...(namesOf.get(server) ?? [])];
    forget(server, names);
    namesOf.delete(server);
    if (names.length > 0) announce(server);
  }

  function announce(server: string): void {
    events.emit('tools', { server, total: namesOf.get(server)?.size ?? 0 });
  }

  /** The configuration has changed: verdicts and switched-off tools are worked out anew. */
  function refreshConfig(): void {
    const touched = new Set<string>();
    for (const { facts, hash, tool } of entries.values()) {
      const after = put(facts, hash);
      if (
        after.enabled !== tool.enabled ||
        JSON.stringify(after.operation) !== JSON.stringify(tool.operation)
      )
        touched.add(tool.server);
    }
    for (const server of touched) announce(server);
  }

  /** The operator's word on a tool: in force once it is on disk. */
  async function decide(name: string, change: (known: KnownTool) => KnownTool): Promise<CatalogTool> {
    const { facts } = entries.get(name) ?? notFound(name);
    const known = await store.update(facts.server, facts.definition.name, facts.known, change);
    const entry = entries.get(name) ?? notFound(name);
    const tool = put({ ...entry.facts, known }, entry.hash);
    announce(tool.server);
    return tool;
  }

  /** `null` takes the operator's verdict back. */
  async function setOperation(
    name: string,
    operation: OperationType | null,
    by = 'operator',
  ): Promise<CatalogTool> {
    const { tool } = entries.get(name) ?? notFound(name);
    if (overrideOf(config(), tool.server, tool.tool)?.operation) {
      throw new ProxyError('CONFLICT', `The configuration sets the operation of '${name}'; change it there`, {
        tool: name,
      });
    }
    const decided = await decide(name, ({ operator: _before, ...known }) =>
      operation === null ? known : { ...known, operator: { operation, by, at: now() } },
    );
    log.info({ tool: name, operation, by }, 'the operator has set the operation of a tool');
    return decided;
  }

  /** Accepts the hints that the tool has now, also where they became weaker. */
  async function approve(name: string, by = 'operator'): Promise<CatalogTool> {
    const tool = await decide(name, (known) => ({ ...known, held: known.hints }));
    log.info(
      { tool: name, hints: entries.get(name)?.facts.known.held, by },
      'the hints of a tool are accepted',
    );
    return tool;
  }

  function nearest(name: string, count = 3): string[] {
    return nearestNames(name, enabledForms(), count);
  }

  function* allTools(): Generator<CatalogTool> {
    for (const { tool } of entries.values()) yield tool;
  }

  /** Names of tools that are switched off are not given away as suggestions. */
  function* enabledForms(): Generator<NameForms> {
    for (const { forms, tool } of entries.values()) if (tool.enabled) yield forms;
  }

  function notFound(name: string): never {
    const tool = name.slice(0, 200);
    throw new ProxyError('TOOL_NOT_FOUND', `Tool '${tool}' not found`, { tool, nearest: nearest(name) });
  }

  return {
    replace,
    remove,
    refreshConfig,
    get,
    nearest,
    entry: toolEntry,
    list: (query: ListQuery = {}) => listTools(readable, query),
    search: (query: SearchQuery) => searchTools(readable, query),
    coverage: () => coverageOf(readable),
    setOperation,
    approve,
    /** Before the database is closed: everything learnt so far goes to disk. */
    flush: () => store.flush(),
  };
}
