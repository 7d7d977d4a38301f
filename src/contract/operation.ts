import { z } from 'zod';

/** What a call does to the world. Ordered from least to most severe. */
export const OperationType = z.enum(['read', 'write', 'destructive']);
export type OperationType = z.infer<typeof OperationType>;

/** The three doors an agent can choose; an IDE grants permissions per name. */
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

/** Which variants may call a tool that is held to an operation; null: nothing is known of it. */
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

/** Counted in Unicode code points, so that every script gets the same room. */
export const REASON_MAX_LENGTH = 1000;

/** What a call claims to do, as stored with its record. Fields that were not given are not stored. */
export const IntentDeclaration = z.object({
  operation_type: OperationType,
  data_sensitivity: DataSensitivity.optional(),
  reason: z.string().optional(),
});
export type IntentDeclaration = z.infer<typeof IntentDeclaration>;
