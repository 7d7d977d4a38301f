import type { ToolVariant } from '../contract/operation.ts';
import type { OperationView, ToolDefinition, ToolEntry, ToolStanding } from '../contract/tool.ts';
import type { Events } from '../lib/event-bus.ts';
import type { Constraint } from './verdict/verdict.ts';

/** A tool as the proxy knows it now, with its verdict. */
export interface CatalogTool {
  /** server:tool */
  name: string;
  server: string;
  tool: string;
  builtin: boolean;
  enabled: boolean;
  standing: ToolStanding;
  /** Agents can neither find nor call it until the operator approves it. */
  withheld: boolean;
  /** The operator has rejected its present definition, so it does not wait for a decision. */
  rejected: boolean;
  /** Its definition contains text that looks like an instruction to the model. */
  suspicious: boolean;
  /** Enabled and not withheld: agents may see it. No part of any other tool may reach them. */
  offered: boolean;
  definition: ToolDefinition;
  operation: OperationView;
  constraint: Constraint;
  callWith: ToolVariant;
}

/** The event for a change of a server's tools: how many there are, and how many wait for the operator. */
export function toolsEvent(server: string, tools: readonly CatalogTool[]): Events['tools'] {
  const changed = tools.filter(({ standing }) => standing !== 'accepted').length;
  const withheld = tools.filter((tool) => tool.withheld).length;
  return { server, total: tools.length, ...(changed > 0 && { changed }), ...(withheld > 0 && { withheld }) };
}

/** Whether a tool's verdict or standing differs between two judgements. */
export function isJudgedDifferently(a: CatalogTool, b: CatalogTool): boolean {
  const [now, before] = [a.operation, b.operation];
  return (
    a.offered !== b.offered ||
    a.standing !== b.standing ||
    now.verdict !== before.verdict ||
    now.source !== before.source ||
    now.inferred !== before.inferred ||
    now.reason !== before.reason
  );
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
    annotations: annotations ?? {},
    call_with: callWith,
    operation,
    ...(!enabled && { enabled: false }),
    ...(standing === 'changed' && { changed: true as const }),
  };
}
