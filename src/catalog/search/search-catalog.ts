import type { OperationType } from '../../contract/operation.ts';
import type { LeftOut, ScoredTool, Suggestions } from '../../contract/tool.ts';
import type { Audience, Hidden } from '../audience.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import { checkServerName } from '../listing/check-server-name.ts';
import { toolEntry } from '../read-catalog.ts';
import type { SearchIndex } from './search-index.ts';
import { nearestWords } from './vocabulary.ts';

export interface SearchQuery {
  query: string;
  limit?: number | undefined;
  server?: string | undefined;
  operation?: OperationType | undefined;
  explain?: boolean | undefined;
  /** Absent: everybody who may have what is offered. */
  audience?: Audience | undefined;
}

export interface Found {
  tools: ScoredTool[];
  /** All that match the query and the filters. */
  total: number;
  query: string;
  left_out: LeftOut;
  /** Only where nothing was found. */
  suggestions?: Suggestions;
}

export interface Searchable {
  get: (name: string) => CatalogTool | undefined;
  tools: () => Iterable<CatalogTool>;
  /** Servers that have tools now, and those that are configured. */
  servers: () => string[];
  /** How many tools wait for approval. */
  withheld: () => number;
  hidden: (audience: Audience) => Hidden;
  /** Whether the operator has added a server to those that are built in. */
  hasAdded: () => boolean;
  index: SearchIndex;
}

/** What agents may have that fits the query. Filters come before the cut, and what is not shown is counted. */
export function searchTools(catalog: Searchable, search: SearchQuery): Found {
  const { query, limit = 10, server, operation, explain, audience } = search;
  if (server !== undefined) {
    checkServerName(
      server,
      catalog.servers().filter((name) => audience?.server(name) ?? true),
    );
  }
  let byFilter = 0;
  const accept = (name: string) => {
    const tool = catalog.get(name)!;
    if (audience && !audience.tool(tool)) return false;
    const fits =
      (server === undefined || tool.server === server) &&
      (operation === undefined || tool.operation.verdict === operation);
    if (!fits) byFilter++;
    return fits;
  };
  const filtered = audience !== undefined || server !== undefined || operation !== undefined;
  const { hits, total } = catalog.index.search(query, { limit, accept: filtered ? accept : undefined });
  const tools = hits.map(({ name, score }): ScoredTool => ({
    ...toolEntry(catalog.get(name)!),
    score: rounded(score),
    ...(explain && {
      why: catalog.index.explain(query, name).map((part) => ({ ...part, score: rounded(part.score) })),
    }),
  }));
  const left = leftOut(catalog, audience, { byFilter, byLimit: total - tools.length });
  const suggestions = tools.length === 0 && suggest(catalog, search, byFilter);
  return { tools, total, query, left_out: left, ...(suggestions && { suggestions }) };
}

/** The withheld are counted whatever the query: a count that followed the words would tell what is in their texts. */
function leftOut(
  catalog: Searchable,
  audience: Audience | undefined,
  { byFilter, byLimit }: { byFilter: number; byLimit: number },
): LeftOut {
  const { withheld, outOfScope } = audience
    ? catalog.hidden(audience)
    : { withheld: catalog.withheld(), outOfScope: 0 };
  return {
    by_filter: byFilter,
    by_limit: byLimit,
    ...(withheld > 0 && { withheld }),
    ...(outOfScope > 0 && { out_of_scope: outOfScope }),
  };
}

const MAX_SERVERS = 20;
const OTHER_WORDS =
  'No tool speaks of this. Try other words for one single need, or ask for what a server offers';
const NOTHING_NOW =
  'No tools are available now: the servers are not connected, or their tools wait for approval. Try again in a moment; the operator sees why with: mcpproxy upstream list';
const NO_SERVERS =
  'No tool speaks of this, and no server has been added yet. The operator adds one with: mcpproxy upstream add';

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
    return { hint: `Nothing fits; without the filter on ${filters.join(' and ')}, ${byFilter} would` };
  }
  const offered = [...catalog.tools()].filter((tool) => tool.offered && (audience?.tool(tool) ?? true));
  const words = nearestWords(query, offered);
  const servers = [...new Set(offered.map((tool) => tool.server))].sort().slice(0, MAX_SERVERS);
  const hint = catalog.hasAdded() ? (offered.length === 0 ? NOTHING_NOW : OTHER_WORDS) : NO_SERVERS;
  return { hint, ...(words.length > 0 && { words }), ...(servers.length > 0 && { servers }) };
}

function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
