import type { OperationView, ToolDefinition } from '../contract/tool.ts';
import type { ToolVariant } from '../contract/operation.ts';
import type { Constraint } from './verdict.ts';

/** A tool as the proxy knows it now, with the verdict it is held to. */
export interface CatalogTool {
  /** server:tool */
  name: string;
  server: string;
  tool: string;
  builtin: boolean;
  enabled: boolean;
  definition: ToolDefinition;
  operation: OperationView;
  constraint: Constraint;
  callWith: ToolVariant;
}
