import type { CatalogTool } from './catalog-tool.ts';
import type { SearchIndex, SearchScope } from './search/search-index.ts';

/** The caller that the catalog answers. Nothing of its answer depends on tools and servers outside its scope, not even a count or a score. */
export interface Audience {
  tool(tool: CatalogTool): boolean;
  server(name: string): boolean;
}

/** What a search for one caller is limited to. */
export interface AudienceView {
  scope: SearchScope;
  /** Tools within its scope that wait for approval. Independent of the query: otherwise the count would reveal what their texts contain. */
  withheld: number;
}

/** Computed once per caller and revision of the catalog, and kept as long as the scope of the caller exists. */
export function createAudienceViews(table: {
  tools: () => Iterable<CatalogTool>;
  get: (name: string) => CatalogTool | undefined;
  index: Pick<SearchIndex, 'scope'>;
  revision: () => number;
}) {
  const known = new WeakMap<Audience, AudienceView & { revision: number }>();
  return (audience: Audience): AudienceView => {
    const revision = table.revision();
    const before = known.get(audience);
    if (before?.revision === revision) return before;
    let withheld = 0;
    for (const tool of table.tools()) if (tool.withheld && audience.tool(tool)) withheld++;
    const scope = table.index.scope((name) => audience.tool(table.get(name)!));
    const view = { scope, withheld, revision };
    known.set(audience, view);
    return view;
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
