import { z } from 'zod';
import { OperationType, ToolVariant } from './operation.ts';

/** What an upstream says of a tool. Hints are claims; unknown fields are kept. */
export const ToolAnnotations = z.looseObject({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});
export type ToolAnnotations = z.infer<typeof ToolAnnotations>;

/** A tool exactly as its server lists it. Everything beyond the name is untrusted text. */
export const ToolDefinition = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: z.record(z.string(), z.unknown()).optional(),
});
export type ToolDefinition = z.infer<typeof ToolDefinition>;

export const VerdictSource = z.enum(['operator', 'annotation', 'inferred', 'default']);
export type VerdictSource = z.infer<typeof VerdictSource>;

/** The operation that a tool is held to, where that comes from, and what we would infer. */
export const OperationView = z.object({
  verdict: OperationType,
  source: VerdictSource,
  inferred: OperationType,
  reason: z.string().optional(),
});
export type OperationView = z.infer<typeof OperationView>;

/** A tool as `retrieve_tools`, `describe_tool` and the REST catalogue show it. */
export const ToolEntry = z.object({
  name: z.string().describe('server:tool'),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  server: z.string(),
  annotations: z.record(z.string(), z.unknown()).optional(),
  call_with: ToolVariant,
  operation: OperationView,
  enabled: z.boolean().optional().describe('false: switched off by the operator'),
});
export type ToolEntry = z.infer<typeof ToolEntry>;

export const ScoredTool = ToolEntry.extend({
  score: z.number().min(0).max(1),
  why: z.array(z.object({ term: z.string(), field: z.string(), score: z.number() })).optional(),
});
export type ScoredTool = z.infer<typeof ScoredTool>;

/** One line per tool: enough to choose and to call, at a fraction of the tokens. */
export const CompactTool = z.object({
  name: z.string(),
  description: z.string(),
  signature: z.string(),
  call_with: ToolVariant,
  operation: OperationType,
  score: z.number(),
});
export type CompactTool = z.infer<typeof CompactTool>;
