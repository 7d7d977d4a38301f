import type { CatalogTool } from './catalog-tool.ts';
import { judgeTool, type CatalogConfig, type ToolFacts } from './verdict/judge-tool.ts';
import { nameForms, type NameForms } from './search/nearest-names.ts';
import { createSearchIndex } from './search/search-index.ts';

export interface TableEntry {
  facts: ToolFacts;
  hash: string;
  tool: CatalogTool;
  forms: NameForms;
}

export type ToolTable = ReturnType<typeof createToolTable>;

/** The tools that are known now, by name and by server, each judged by the configuration; and the index over those that agents may have. */
export function createToolTable(config: () => CatalogConfig) {
  const entries = new Map<string, TableEntry>();
  const byServer = new Map<string, Set<string>>();
  const index = createSearchIndex();
  let sorted: string[] | undefined;
  let withheld = 0;
  let edition = 0;

  function put(facts: ToolFacts, hash: string): CatalogTool {
    const tool = judgeTool(facts, config());
    const before = entries.get(tool.name);
    edition++;
    entries.set(tool.name, { facts, hash, tool, forms: before?.forms ?? nameForms(tool.name) });
    withheld += Number(tool.withheld) - Number(before?.tool.withheld ?? false);
    if (!before) {
      sorted = undefined;
      byServer.set(facts.server, (byServer.get(facts.server) ?? new Set()).add(tool.name));
    }
    // What agents may not have is not in the index at all, so no filter can forget it.
    if (!tool.offered) index.remove([tool.name]);
    else if (!before?.tool.offered || before.hash !== hash) index.add(tool);
    return tool;
  }

  function forget(server: string, names: string[]): void {
    if (names.length === 0) return;
    edition++;
    index.remove(names);
    for (const name of names) {
      withheld -= Number(entries.get(name)?.tool.withheld ?? false);
      entries.delete(name);
      byServer.get(server)?.delete(name);
    }
    sorted = undefined;
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
    names: () => (sorted ??= [...entries.keys()].sort()),
    namesOf: (server: string) => [...(byServer.get(server) ?? [])],
    servers: () => byServer.keys(),
    /** The server is gone; gives the names of its tools. */
    forgetServer(server: string): string[] {
      const names = [...(byServer.get(server) ?? [])];
      forget(server, names);
      byServer.delete(server);
      return names;
    },
    /** How many tools wait for approval. */
    withheld: () => withheld,
    /** Moves with every change of a tool. */
    edition: () => edition,
  };
}
