import type { OperationType } from '../contract/operation.ts';
import type { JudgedTool, ToolEntry } from '../contract/tool.ts';
import type { CatalogTool } from './catalog-tool.ts';
import { pageOfNames } from './page-of-tools.ts';
import { declaredOperation } from './verdict/verdict.ts';

export interface ListQuery {
  server?: string | undefined;
  operation?: OperationType | undefined;
  /** What we would take it for. */
  inferred?: OperationType | undefined;
  unannotated?: boolean | undefined;
  /** New, or different from what was accepted. */
  changed?: boolean | undefined;
  withheld?: boolean | undefined;
  /** With text that looks meant for the model. */
  suspicious?: boolean | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface Listable {
  get: (name: string) => CatalogTool | undefined;
  /** All names in order. */
  names: () => string[];
  judged: (tool: CatalogTool) => JudgedTool;
}

/** A tool as the doors show it to agents. */
export function toolEntry({
  name,
  server,
  enabled,
  standing,
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
    ...(standing === 'changed' && { changed: true as const }),
  };
}

/** The operator's view: everything, also what agents do not get. */
export function listTools({ get, names, judged }: Listable, query: ListQuery) {
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
