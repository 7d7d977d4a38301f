import { z } from 'zod';
import { OperationType, ToolVariant } from './operation.ts';

/** The annotations of a tool. Hints are claims of the server; unknown fields are kept. */
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

/** What tools/list shows: the proxy's own tools, the tools of all servers by their own definitions, or both. */
export const ToolMode = z.enum(['search', 'direct', 'both']);
export type ToolMode = z.infer<typeof ToolMode>;

export const VerdictSource = z.enum(['operator', 'annotation', 'inferred', 'default']);
export type VerdictSource = z.infer<typeof VerdictSource>;

/** The operation that is enforced for a tool, its source, and the operation that the proxy infers. */
export const OperationView = z.object({
  verdict: OperationType,
  source: VerdictSource,
  inferred: OperationType,
  hint: OperationType.optional().describe('what the server declares, where the operator has weakened it'),
  reason: z.string().optional(),
});
export type OperationView = z.infer<typeof OperationView>;

/** The review state of a tool: unchanged since accepted, never accepted, or different from the accepted definition. */
export const ToolStanding = z.enum(['accepted', 'new', 'changed']);
export type ToolStanding = z.infer<typeof ToolStanding>;

/** A tool as `retrieve_tools`, `describe_tool` and the REST API show it. */
export const ToolEntry = z.object({
  name: z.string().describe('server:tool'),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  server: z.string(),
  annotations: z
    .record(z.string(), z.unknown())
    .describe('hints of the server, as it gives them; empty where it gives none'),
  call_with: ToolVariant,
  operation: OperationView,
  enabled: z.boolean().optional().describe('false: disabled by the operator'),
  changed: z.literal(true).optional().describe('the definition differs from the accepted one'),
});
export type ToolEntry = z.infer<typeof ToolEntry>;

/** Tools that an answer omits, and why. Withheld tools are counted independently of the query, so the count reveals nothing about them. */
export const LeftOut = z.object({
  by_filter: z.number().describe('tools that match the query but not the server or operation filter'),
  by_limit: z.number().describe('matching tools beyond the limit'),
  withheld: z.number().optional().describe('tools that wait for the operator’s approval'),
  out_of_scope: z
    .literal(true)
    .optional()
    .describe(
      'the search is limited to the scope of the caller’s agent token; how many tools are outside is not told',
    ),
});
export type LeftOut = z.infer<typeof LeftOut>;

/** What to try when a search finds nothing. */
export const Suggestions = z.object({
  hint: z.string(),
  words: z
    .array(z.string())
    .optional()
    .describe('words of tool names that are similar to those of the query'),
  servers: z.array(z.string()).optional(),
});
export type Suggestions = z.infer<typeof Suggestions>;

export const ScoredTool = ToolEntry.extend({
  score: z.number().min(0).max(1),
  why: z.array(z.object({ term: z.string(), field: z.string(), score: z.number() })).optional(),
});
export type ScoredTool = z.infer<typeof ScoredTool>;

/** One line per tool: enough to choose and call it, with far fewer tokens. */
export const CompactTool = z.object({
  name: z.string(),
  description: z.string(),
  signature: z.string(),
  annotations: ToolAnnotations.pick({ readOnlyHint: true, destructiveHint: true }).describe(
    'the two hints that decide, where the server gives them',
  ),
  call_with: ToolVariant,
  operation: OperationType,
  score: z.number(),
  changed: z.literal(true).optional(),
  why: ScoredTool.shape.why,
});
export type CompactTool = z.infer<typeof CompactTool>;

const Inferred = z.object({ operation: OperationType, reason: z.string() });

/** The inputs of the verdict on a tool. */
export const VerdictBook = z.object({
  hinted: OperationType.nullable().describe('operation by the current hints of the server'),
  held: OperationType.nullable().describe('strictest operation by these hints since they were last accepted'),
  inferred: Inferred,
  decision: z
    .object({ operation: OperationType, by: z.string(), at: z.string().optional() })
    .nullable()
    .describe('verdict of the operator; by "configuration" if it is in the file'),
  enforced: OperationType.nullable().describe(
    'what calls are checked against; null: any variant may call it',
  ),
});
export type VerdictBook = z.infer<typeof VerdictBook>;

/** Text in a definition that looks like an instruction to the model. Hidden characters are made visible. */
export const Finding = z.object({
  rule: z.string(),
  path: z.string().describe('JSON pointer into the definition'),
  why: z.string(),
  excerpt: z.string(),
});
export type Finding = z.infer<typeof Finding>;

const Distrust = z
  .object({ why: z.string(), at: z.string() })
  .describe(
    'what is stored of this tool does not count, because its row was changed outside of mcpproxy or does not fit after a restore; the tool is withheld until it is approved',
  );

/** A tool as the operator sees it, including what is withheld from agents. */
export const JudgedTool = ToolEntry.extend({
  standing: ToolStanding,
  withheld: z.boolean().describe('true: agents can neither find nor call it until it is approved'),
  withheld_because: z
    .array(z.string())
    .optional()
    .describe('what the setting `quarantine: "risky"` withholds it for'),
  definition_hash: z.string(),
  accepted: z.object({ by: z.string(), at: z.string() }).nullable(),
  rejected: z
    .object({ by: z.string(), at: z.string() })
    .optional()
    .describe(
      'the operator rejected this definition; the tool is withheld until it changes again or is approved',
    ),
  distrusted: Distrust.optional(),
  first_seen: z.string(),
  changed_at: z.string().describe('when the definition last changed'),
  book: VerdictBook,
  suspicious: z
    .boolean()
    .describe(
      'true: the definition contains text that looks like an instruction to the model; see `findings`',
    ),
  findings: z.array(Finding),
});
export type JudgedTool = z.infer<typeof JudgedTool>;

export const VerdictStep = z.object({
  operation: OperationType.nullable().describe(
    'what calls are checked against; null: any variant may call it',
  ),
  source: VerdictSource,
  variants: z.array(ToolVariant).describe('variants that agents may call it with'),
});
export type VerdictStep = z.infer<typeof VerdictStep>;

/** The effect on agents of accepting the current definition of a tool. */
export const ApprovalEffect = z.object({
  before: VerdictStep.nullable().describe('null: the tool was never accepted'),
  after: VerdictStep,
  keeps: OperationType.nullable().describe('verdict of the operator that keep_operation sets; null: none'),
  asks: z
    .enum(['always', 'sometimes', 'never'])
    .optional()
    .describe('whether the policy asks a person before the mildest call that is possible afterwards'),
  consequence: z.string().describe('the effect in one sentence'),
});
export type ApprovalEffect = z.infer<typeof ApprovalEffect>;

/** How a tool differs from the accepted definition. */
export const ToolDiff = z.object({
  name: z.string(),
  standing: ToolStanding,
  withheld: z.boolean(),
  definition_hash: z.string(),
  accepted: z.object({ by: z.string(), at: z.string() }).nullable(),
  changes: z.array(
    z.object({
      path: z.string().describe('JSON pointer into the definition'),
      before: z.string().optional().describe('as JSON; absent: the value did not exist'),
      after: z.string().optional(),
    }),
  ),
  notes: z.array(z.string()).describe('differences that cannot be shown as a change of a field'),
  inferred: Inferred.describe(
    'operation inferred from the current name, description and parameters, independent of the hints',
  ),
  approval: ApprovalEffect.describe('effect of accepting the current definition'),
  rejected: z.object({ by: z.string(), at: z.string() }).optional(),
});
export type ToolDiff = z.infer<typeof ToolDiff>;

/** The operator's verdicts as a file. They are bound to the names of server and tool only. */
export const Verdict = z.strictObject({
  server: z.string().min(1).max(64),
  tool: z.string().min(1).max(256),
  operation: OperationType,
  by: z.string().optional(),
  at: z.string().optional(),
});
export const VerdictFile = z.strictObject({
  version: z.literal(1),
  exported_at: z.string().optional(),
  verdicts: z.array(Verdict).max(100_000),
});
export type VerdictFile = z.infer<typeof VerdictFile>;

export const VerdictImport = z.object({
  dry_run: z.boolean(),
  unchanged: z.number(),
  changed: z.array(z.object({ tool: z.string(), before: OperationType.nullable(), after: OperationType })),
  skipped: z.array(z.object({ tool: z.string(), why: z.string() })),
  unlisted: z
    .number()
    .describe(
      'changed verdicts on tools that no server lists now; they apply as soon as a server lists them',
    ),
});
export type VerdictImport = z.infer<typeof VerdictImport>;

/** The result of accepting all tools of a server. */
export const ServerApproval = z.object({
  server: z.string(),
  approved: z.array(z.string()).describe('tools that waited for approval'),
  skipped: z
    .array(z.object({ tool: z.string(), why: z.string() }))
    .describe('tools that still wait for approval'),
  total: z.number(),
});
export type ServerApproval = z.infer<typeof ServerApproval>;
