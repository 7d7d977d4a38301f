import type { CatalogTool } from './catalog-tool.ts';
import { judgeTool, type CatalogConfig, type ToolFacts } from './verdict/judge-tool.ts';
import { nameForms, type NameForms } from './search/nearest-names.ts';
import { isUncompared, riskOf } from './risk/change-risk.ts';
import { createSearchIndex } from './search/search-index.ts';

export interface TableEntry {
  facts: ToolFacts;
  hash: string;
  tool: CatalogTool;
  forms: NameForms;
}

export type ToolTable = ReturnType<typeof createToolTable>;

/** The listed tools by name and by server, each with its judgement, and the search index over the offered ones. */
export function createToolTable(config: () => CatalogConfig, onUncompared: (name: string) => void) {
  const entries = new Map<string, TableEntry>();
  const byServer = new Map<string, Set<string>>();
  const index = createSearchIndex();
  /** The names of each server in order, so that a change of one server sorts no others. */
  const sortedOf = new Map<string, string[]>();
  let sorted: string[] | undefined;
  let withheld = 0;
  let revision = 0;

  function put(given: ToolFacts, hash: string): CatalogTool {
    const before = entries.get(`${given.server}:${given.definition.name}`);
    const facts = compared(given, before?.facts);
    const tool = judgeTool(facts, config());
    revision++;
    entries.set(tool.name, { facts, hash, tool, forms: before?.forms ?? nameForms(tool.name) });
    withheld += Number(tool.withheld) - Number(before?.tool.withheld ?? false);
    if (!before) {
      unsort(facts.server);
      byServer.set(facts.server, (byServer.get(facts.server) ?? new Set()).add(tool.name));
    }
    // Only offered tools are in the index, so that a missing filter cannot reveal others.
    if (!tool.offered) index.remove([tool.name]);
    else if (before?.hash !== hash || !index.has(tool.name)) index.add({ ...tool, about: facts.about });
    return tool;
  }

  /** With the risk of the change, where the setting asks for it. */
  function compared(facts: ToolFacts, before: ToolFacts | undefined): ToolFacts {
    if (config().quarantine !== 'risky' || facts.builtin) return facts;
    const known = { ...facts, risk: riskOf(facts, before) };
    if (isUncompared(known)) onUncompared(`${facts.server}:${facts.definition.name}`);
    return known;
  }

  function forget(server: string, names: string[]): void {
    if (names.length === 0) return;
    revision++;
    index.remove(names);
    for (const name of names) {
      withheld -= Number(entries.get(name)?.tool.withheld ?? false);
      entries.delete(name);
      byServer.get(server)?.delete(name);
    }
    unsort(server);
  }

  function unsort(server: string): void {
    sorted = undefined;
    sortedOf.delete(server);
  }

  /** The name of a server has no colon, so the names of one server stand together. */
  function allSorted(): string[] {
    const servers = [...byServer.keys()].map((server) => `${server}:`).sort();
    return servers.flatMap((prefix) => namesInOrder(prefix.slice(0, -1)));
  }

  function namesInOrder(server: string): string[] {
    const names = sortedOf.get(server) ?? [...byServer.get(server)!].sort();
    sortedOf.set(server, names);
    return names;
  }

  function* tools(): Generator<CatalogTool> {
    for (const { tool } of entries.values()) yield tool;
  }

  return {
    index,
    put,
    forget,
    tools,
    entry: (name: string): TableEntry | undefined => entries.get(name),
    entries: () => entries.values(),
    get: (name: string): CatalogTool | undefined => entries.get(name)?.tool,
    has: (name: string) => entries.has(name),
    /** All names, in order. */
    names: () => (sorted ??= allSorted()),
    namesOf: (server: string) => [...(byServer.get(server) ?? [])],
    servers: () => byServer.keys(),
    /** Returns the names of the removed tools. */
    forgetServer(server: string): string[] {
      const names = [...(byServer.get(server) ?? [])];
      forget(server, names);
      byServer.delete(server);
      sortedOf.delete(server);
      return names;
    },
    /** How many tools wait for approval. */
    withheld: () => withheld,
    /** Increases with every change of a tool. */
    revision: () => revision,
  };
}
