import type { OperationType } from '../../contract/operation.ts';
import type { LeftOut, ScoredTool, Suggestions } from '../../contract/tool.ts';
import type { Audience, AudienceView } from '../audience.ts';
import { toolEntry, type CatalogTool } from '../catalog-tool.ts';
import { checkServerName } from '../listing/check-server-name.ts';
import type { SearchIndex } from './search-index.ts';
import type { Contribution } from './search-score.ts';
import { nearestWords } from './nearest-names.ts';

export interface SearchQuery {
  query: string;
  limit?: number | undefined;
  server?: string | undefined;
  operation?: OperationType | undefined;
  explain?: boolean | undefined;
  /** Absent: every offered tool. */
  audience?: Audience | undefined;
}

export interface Found {
  tools: ScoredTool[];
  /** How many match the query and the filters. */
  total: number;
  query: string;
  left_out: LeftOut;
  /** Only if nothing was found. */
  suggestions?: Suggestions;
}

export interface Searchable {
  get: (name: string) => CatalogTool | undefined;
  tools: () => Iterable<CatalogTool>;
  /** Servers with tools, and configured servers. */
  servers: () => string[];
  /** How many tools wait for approval. */
  withheld: () => number;
  viewOf: (audience: Audience) => AudienceView;
  /** Whether the operator has added a server that this caller may use. */
  hasAdded: (audience?: Audience) => boolean;
  index: SearchIndex;
}

/** The offered tools that match a query. Filters apply before the limit, and tools that are not shown are counted. */
export function searchTools(catalog: Searchable, search: SearchQuery): Found {
  const { query, limit = 10, server, operation, explain, audience } = search;
  if (server !== undefined) {
    checkServerName(
      server,
      catalog.servers().filter((name) => audience?.server(name) ?? true),
    );
  }
  const view = audience && catalog.viewOf(audience);
  let byFilter = 0;
  const accept = (name: string) => {
    const tool = catalog.get(name)!;
    const matches =
      (server === undefined || tool.server === server) &&
      (operation === undefined || tool.operation.verdict === operation);
    if (!matches) byFilter++;
    return matches;
  };
  const filtered = server !== undefined || operation !== undefined;
  const { hits, total } = catalog.index.search(query, {
    limit,
    scope: view?.scope,
    accept: filtered ? accept : undefined,
  });
  const tools = hits.map(({ name, score, repeated = 0 }): ScoredTool => ({
    ...toolEntry(catalog.get(name)!),
    score: rounded(score),
    ...(explain && {
      why: [...catalog.index.explain(query, name, view?.scope), ...repeatedPart(repeated)].map((part) => ({
        ...part,
        score: rounded(part.score),
      })),
    }),
  }));
  const left = leftOut(view, {
    by_filter: byFilter,
    by_limit: total - tools.length,
    withheld: view?.withheld ?? catalog.withheld(),
  });
  const suggestions = tools.length === 0 && suggest(catalog, search, byFilter);
  return { tools, total, query, left_out: left, ...(suggestions && { suggestions }) };
}

function repeatedPart(repeated: number): Contribution[] {
  return repeated > 0 ? [{ term: 'matched by tools above', field: 'repeated', score: -repeated }] : [];
}

/** A token hears that its scope limits the search, never how many tools that leaves out. */
function leftOut(
  view: AudienceView | undefined,
  { withheld, ...rest }: { by_filter: number; by_limit: number; withheld: number },
): LeftOut {
  return { ...rest, ...(withheld > 0 && { withheld }), ...(view && { out_of_scope: true as const }) };
}

const MAX_SERVERS = 20;
const OTHER_WORDS = 'No matching tool. Try other words, one task per query, or ask what a server offers';
const NOTHING_NOW =
  'No tools are available now: the servers are not connected, or their tools wait for approval. Try again in a moment; the operator can see why with: mcpproxy upstream list';
const NO_SERVERS =
  'No matching tool, and no server has been added yet. The operator can add one with: mcpproxy upstream add';

function suggest(
  catalog: Searchable,
  { query, server, operation, audience }: SearchQuery,
  byFilter: number,
): Suggestions {
  if (byFilter > 0) {
    const filters = [
      ...(server === undefined ? [] : ['server']),
      ...(operation === undefined ? [] : ['operation']),
    ];
    return {
      hint: `No matching tool with these filters; without the filter on ${filters.join(' and ')} there are ${byFilter}`,
    };
  }
  const offered = [...catalog.tools()].filter((tool) => tool.offered && (audience?.tool(tool) ?? true));
  const words = nearestWords(query, offered);
  const servers = [...new Set(offered.map((tool) => tool.server))].sort().slice(0, MAX_SERVERS);
  const hint = catalog.hasAdded(audience) ? (offered.length === 0 ? NOTHING_NOW : OTHER_WORDS) : NO_SERVERS;
  return { hint, ...(words.length > 0 && { words }), ...(servers.length > 0 && { servers }) };
}

function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
