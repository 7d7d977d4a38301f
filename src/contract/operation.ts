import { z } from 'zod';

/** The effect of a call, ordered from least to most severe. */
export const OperationType = z.enum(['read', 'write', 'destructive']);
export type OperationType = z.infer<typeof OperationType>;

/** The three tools that an agent can call; IDEs grant permissions per tool name. */
export const ToolVariant = z.enum(['call_tool_read', 'call_tool_write', 'call_tool_destructive']);
export type ToolVariant = z.infer<typeof ToolVariant>;

const OPERATION_OF = {
  call_tool_read: 'read',
  call_tool_write: 'write',
  call_tool_destructive: 'destructive',
} as const satisfies Record<ToolVariant, OperationType>;

export function operationOf(variant: ToolVariant): OperationType {
  return OPERATION_OF[variant];
}

/** The variants that may call a tool with this enforced operation; null: no operation is enforced. */
export function variantsAllowed(operation: OperationType | null, strict: boolean): ToolVariant[] {
  if (!strict || operation === null) return [...ToolVariant.options];
  const least = operation === 'read' ? 0 : OperationType.options.indexOf(operation);
  return ToolVariant.options.filter((_, severity) => severity >= least);
}

export function variantFor(operation: OperationType): ToolVariant {
  return `call_tool_${operation}`;
}

export const DataSensitivity = z.enum(['public', 'internal', 'private', 'unknown']);
export type DataSensitivity = z.infer<typeof DataSensitivity>;

/** In Unicode code points, so that the limit is the same for every script. */
export const REASON_MAX_LENGTH = 1000;

/** The declared intent of a call, as stored with its record. Absent fields are not stored. */
export const IntentDeclaration = z.object({
  operation_type: OperationType,
  data_sensitivity: DataSensitivity.optional(),
  reason: z.string().optional(),
});
export type IntentDeclaration = z.infer<typeof IntentDeclaration>;
