import type { CatalogTool } from './catalog-tool.ts';

/** The caller that the catalog answers. Tools and servers outside its scope are neither shown nor suggested, only counted. */
export interface Audience {
  tool(tool: CatalogTool): boolean;
  server(name: string): boolean;
}

export interface Hidden {
  /** Offered tools outside the scope of this caller. */
  outOfScope: number;
  /** Tools within its scope that wait for approval. */
  withheld: number;
}

/** Independent of the query: otherwise a count would reveal what the texts contain. Computed once per revision of the catalog. */
export function createHiddenCounts(tools: () => Iterable<CatalogTool>, revision: () => number) {
  const known = new WeakMap<Audience, Hidden & { revision: number }>();
  return (audience: Audience): Hidden => {
    const before = known.get(audience);
    if (before?.revision === revision()) return before;
    const counts = { outOfScope: 0, withheld: 0, revision: revision() };
    for (const tool of tools()) {
      if (tool.offered && !audience.tool(tool)) counts.outOfScope++;
      if (tool.withheld && audience.tool(tool)) counts.withheld++;
    }
    known.set(audience, counts);
    return counts;
  };
}

/** How many of the offered tools are within the scope of a caller. */
export function countReachable(
  tools: Iterable<CatalogTool>,
  audience: Audience,
): { now: number; total: number } {
  const offered = [...tools].filter((tool) => tool.offered);
  return { now: offered.filter((tool) => audience.tool(tool)).length, total: offered.length };
}
