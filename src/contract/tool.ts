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

/** Where a tool stands with the operator: as accepted, never accepted, or different from what was accepted. */
export const ToolStanding = z.enum(['accepted', 'new', 'changed']);
export type ToolStanding = z.infer<typeof ToolStanding>;

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
  changed: z.literal(true).optional().describe('its definition differs from the one that was accepted'),
});
export type ToolEntry = z.infer<typeof ToolEntry>;

/** Tools that an answer does not show, and why. What is withheld is counted whatever the query, so the count gives nothing away. */
export const LeftOut = z.object({
  by_filter: z.number().describe('match the query but not server or operation'),
  by_limit: z.number().describe('match, but come after the last one shown'),
  withheld: z.number().optional().describe('wait for the operator’s approval'),
  out_of_scope: z.number().optional().describe('are not for the agent token of the caller'),
});
export type LeftOut = z.infer<typeof LeftOut>;

/** What to try after an empty answer. */
export const Suggestions = z.object({
  hint: z.string(),
  words: z.array(z.string()).optional().describe('words of tool names close to those of the query'),
  servers: z.array(z.string()).optional(),
});
export type Suggestions = z.infer<typeof Suggestions>;

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
  changed: z.literal(true).optional(),
  why: ScoredTool.shape.why,
});
export type CompactTool = z.infer<typeof CompactTool>;
