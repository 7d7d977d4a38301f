import { ProxyError } from '../contract/errors.ts';
import type { JudgedTool } from '../contract/tool.ts';
import type { OperationType } from '../contract/operation.ts';
import { countReachable, createAudienceViews, type Audience } from './audience.ts';
import type { CatalogTool } from './catalog-tool.ts';
import { checkServerName } from './listing/check-server-name.ts';
import { nearestNames, type NameForms } from './search/nearest-names.ts';
import { searchTools, type SearchQuery } from './search/search-catalog.ts';
import type { ToolTable } from './tool-table.ts';
import type { CatalogConfig, ToolFacts } from './verdict/judge-tool.ts';
import { heldTool, type HeldTool } from './verdict/held-tool.ts';
import { declaredOperation } from './verdict/verdict.ts';
import { coverageOf, judgedTool } from './verdict/verdict-book.ts';

export interface ListQuery {
  server?: string | undefined;
  operation?: OperationType | undefined;
  /** The inferred operation. */
  inferred?: OperationType | undefined;
  unannotated?: boolean | undefined;
  /** New, or different from the accepted definition. */
  changed?: boolean | undefined;
  withheld?: boolean | undefined;
  /** With text that looks like an instruction to the model. */
  suspicious?: boolean | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

const MAX_NEAREST = 3;

/** The questions that the catalog answers, all from memory. */
export function createReader(table: ToolTable, config: () => CatalogConfig) {
  const { get } = table;
  const searchable = {
    get,
    tools: table.tools,
    servers,
    withheld: table.withheld,
    viewOf: createAudienceViews(table),
    hasAdded: (audience?: Audience) =>
      Object.keys(config().mcpServers).some((name) => audience?.server(name) ?? true),
    index: table.index,
  };

  function servers(): string[] {
    return [...new Set([...table.servers(), ...Object.keys(config().mcpServers)])].sort();
  }

  function nearest(name: string, audience?: Audience): string[] {
    return nearestNames(name, offeredForms(audience), MAX_NEAREST);
  }

  /** Suggestions must not reveal the names of tools that the caller may not use. */
  function* offeredForms(audience?: Audience): Generator<NameForms> {
    for (const { forms, tool } of table.entries())
      if (tool.offered && (!audience || audience.tool(tool))) yield forms;
  }

  function factsOf(name: string): ToolFacts {
    const entry = table.entry(name);
    if (entry) return entry.facts;
    const tool = name.slice(0, 200);
    throw new ProxyError('TOOL_NOT_FOUND', `Tool '${tool}' not found`, { tool, nearest: nearest(name) });
  }

  const judged = (tool: CatalogTool) => judgedTool(tool, factsOf(tool.name), config());

  return {
    get,
    nearest,
    /** All names in order, and a number that increases with every change of a tool. */
    names: table.names,
    revision: table.revision,
    factsOf,
    judged,
    list(query: ListQuery = {}) {
      if (query.server !== undefined) checkServerName(query.server, servers());
      return listTools({ get, names: table.names, judged }, query);
    },
    search: (query: SearchQuery) => searchTools(searchable, query),
    coverage: () => coverageOf(table.tools()),
    held: (): HeldTool[] => [...table.tools()].map(heldTool),
    reach: (audience: Audience) => countReachable(table.tools(), audience),
  };
}

interface Listable {
  get: (name: string) => CatalogTool | undefined;
  /** All names in order. */
  names: () => string[];
  judged: (tool: CatalogTool) => JudgedTool;
}

/** The operator's view: all tools, also those that agents do not see. */
function listTools({ get, names, judged }: Listable, query: ListQuery) {
  const { limit = 100, cursor } = query;
  const conditions = conditionsOf(query);
  const matches = (name: string) => {
    const tool = get(name)!;
    return conditions.every((holds) => holds(tool));
  };
  const matching = conditions.length === 0 ? names() : names().filter(matches);
  const page = pageOfNames(matching, limit, cursor);
  return {
    tools: page.names.map((name) => judged(get(name)!)),
    next_cursor: page.next,
    total: matching.length,
  };
}

function conditionsOf({
  server,
  operation,
  inferred,
  unannotated,
  changed,
  withheld,
  suspicious,
}: ListQuery) {
  const conditions: Array<(tool: CatalogTool) => boolean> = [];
  if (server !== undefined) conditions.push((tool) => tool.server === server);
  if (operation !== undefined) conditions.push((tool) => tool.operation.verdict === operation);
  if (inferred !== undefined) conditions.push((tool) => tool.operation.inferred === inferred);
  if (unannotated) conditions.push(({ definition }) => declaredOperation(definition.annotations) === null);
  if (changed) conditions.push(({ standing }) => standing !== 'accepted');
  if (withheld) conditions.push((tool) => tool.withheld);
  if (suspicious) conditions.push((tool) => tool.suspicious);
  return conditions;
}

/** A page of sorted names. The cursor holds the last name shown, so a change between pages neither repeats nor skips a tool. */
export function pageOfNames(
  sorted: string[],
  limit: number,
  cursor: string | undefined,
): { names: string[]; next: string | null } {
  const start = cursor === undefined ? 0 : firstAfter(sorted, readCursor(cursor));
  const names = sorted.slice(start, start + limit);
  const more = start + names.length < sorted.length && names.length > 0;
  return { names, next: more ? Buffer.from(names.at(-1)!, 'utf8').toString('base64url') : null };
}

function readCursor(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!name.includes(':'))
    throw new ProxyError('INVALID_REQUEST', 'Invalid cursor; omit it to start from the beginning', {
      parameter: 'cursor',
    });
  return name;
}

function firstAfter(sorted: string[], name: string): number {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= name) low = middle + 1;
    else high = middle;
  }
  return low;
}
