import type { OperationType } from '../../contract/operation.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import { declaredOperation } from './verdict.ts';

/** What a tool is held to, and what it looks like: without its schemas, so that all tools fit into an answer. */
export interface HeldTool {
  name: string;
  /** What calls are checked against; null: any variant may call it. */
  enforced: OperationType | null;
  inferred: OperationType;
  /** Its server says what it does. */
  annotated: boolean;
  /** The operator says what it does. */
  decided: boolean;
}

export function heldTool({ name, definition, operation, constraint }: CatalogTool): HeldTool {
  return {
    name,
    enforced: constraint.operation,
    inferred: operation.inferred,
    annotated: declaredOperation(definition.annotations) !== null,
    decided: operation.source === 'operator',
  };
}
