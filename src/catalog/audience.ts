import type { CatalogTool } from './catalog-tool.ts';

/** For whom the catalogue answers. What is not for it is neither shown nor suggested, only counted. */
export interface Audience {
  tool(tool: CatalogTool): boolean;
  server(name: string): boolean;
}

export interface Hidden {
  /** Tools that agents may have, but not this one. */
  outOfScope: number;
  /** Those that wait for approval, among what it might have. */
  withheld: number;
}

/** Counted whatever the query: a count that followed the words would tell what is in the texts. Worked out once per state of the catalogue. */
export function createHiddenCounts(tools: () => Iterable<CatalogTool>, edition: () => number) {
  const known = new WeakMap<Audience, Hidden & { edition: number }>();
  return (audience: Audience): Hidden => {
    const before = known.get(audience);
    if (before?.edition === edition()) return before;
    const counts = { outOfScope: 0, withheld: 0, edition: edition() };
    for (const tool of tools()) {
      if (tool.offered && !audience.tool(tool)) counts.outOfScope++;
      if (tool.withheld && audience.tool(tool)) counts.withheld++;
    }
    known.set(audience, counts);
    return counts;
  };
}

/** How many of the tools that agents may have are for this one. */
export function reachOf(tools: Iterable<CatalogTool>, audience: Audience): { now: number; total: number } {
  const offered = [...tools].filter((tool) => tool.offered);
  return { now: offered.filter((tool) => audience.tool(tool)).length, total: offered.length };
}
