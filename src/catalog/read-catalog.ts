import type { Status } from '../contract/api.ts';
import type { OperationType } from '../contract/operation.ts';
import type { ScoredTool, ToolEntry } from '../contract/tool.ts';
import type { CatalogTool } from './catalog.ts';
import { pageOfNames } from './page-of-tools.ts';
import type { SearchIndex } from './search-index.ts';
import { declaredOperation } from './verdict.ts';

export interface ListQuery {
  server?: string | undefined;
  operation?: OperationType | undefined;
  unannotated?: boolean | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface SearchQuery {
  query: string;
  limit?: number | undefined;
  server?: string | undefined;
  operation?: OperationType | undefined;
  explain?: boolean | undefined;
}

export interface Readable {
  get: (name: string) => CatalogTool | undefined;
  tools: () => Iterable<CatalogTool>;
  /** All names in order. */
  names: () => string[];
  index: SearchIndex;
}

/** A tool as the doors show it. */
export function toolEntry({
  name,
  server,
  enabled,
  definition,
  callWith,
  operation,
}: CatalogTool): ToolEntry {
  const { description, title, inputSchema, outputSchema, annotations } = definition;
  return {
    name,
    description: description ?? title ?? '',
    inputSchema,
    ...(outputSchema && { outputSchema }),
    server,
    ...(annotations && { annotations }),
    call_with: callWith,
    operation,
    ...(!enabled && { enabled: false }),
  };
}

export function listTools(
  { get, names }: Readable,
  { server, operation, unannotated, limit = 100, cursor }: ListQuery,
) {
  const all = server === undefined && operation === undefined && unannotated !== true;
  const matches = (name: string) => {
    const tool = get(name)!;
    if (server !== undefined && tool.server !== server) return false;
    if (operation !== undefined && tool.operation.verdict !== operation) return false;
    return unannotated !== true || isUnannotated(tool);
  };
  const matching = all ? names() : names().filter(matches);
  const page = pageOfNames(matching, limit, cursor);
  return {
    tools: page.names.map((name) => toolEntry(get(name)!)),
    next_cursor: page.next,
    total: matching.length,
  };
}

export function searchTools(
  { get, index }: Readable,
  { query, limit = 10, server, operation, explain }: SearchQuery,
) {
  const filtered = server !== undefined || operation !== undefined;
  const accept = (name: string) => {
    const tool = get(name)!;
    return (
      (server === undefined || tool.server === server) &&
      (operation === undefined || tool.operation.verdict === operation)
    );
  };
  const { hits, total } = index.search(query, { limit, accept: filtered ? accept : undefined });
  const tools = hits.map(({ name, score }): ScoredTool => ({
    ...toolEntry(get(name)!),
    score: rounded(score),
    ...(explain && {
      why: index.explain(query, name).map((part) => ({ ...part, score: rounded(part.score) })),
    }),
  }));
  return { tools, total, query };
}

/** How much of the catalogue says what it does, and how much should. */
export function coverageOf({ tools }: Readable): Status['tools'] {
  const coverage = { total: 0, annotated: 0, unannotated_destructive: 0 };
  for (const tool of tools()) {
    coverage.total++;
    if (!isUnannotated(tool)) coverage.annotated++;
    else if (tool.operation.inferred === 'destructive') coverage.unannotated_destructive++;
  }
  return coverage;
}

function isUnannotated({ definition }: CatalogTool): boolean {
  return declaredOperation(definition.annotations) === null;
}

function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
