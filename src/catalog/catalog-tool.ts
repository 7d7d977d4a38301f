import type { ToolVariant } from '../contract/operation.ts';
import type { OperationView, ToolDefinition, ToolStanding } from '../contract/tool.ts';
import type { Constraint } from './verdict/verdict.ts';

/** A tool as the proxy knows it now, with the verdict it is held to. */
export interface CatalogTool {
  /** server:tool */
  name: string;
  server: string;
  tool: string;
  builtin: boolean;
  enabled: boolean;
  standing: ToolStanding;
  /** Neither found nor callable until the operator approves it. */
  withheld: boolean;
  /** The operator has rejected it as it is now, so that it does not wait. */
  rejected: boolean;
  /** Its text looks meant for the model. */
  suspicious: boolean;
  /** Enabled and not withheld: agents may see it. Nothing of any other tool may reach them. */
  offered: boolean;
  definition: ToolDefinition;
  operation: OperationView;
  constraint: Constraint;
  callWith: ToolVariant;
}
