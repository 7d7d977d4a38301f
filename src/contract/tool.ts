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

/** A tool as `retrieve_tools`, `describe_tool` and the REST API show it. */
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

const Inferred = z.object({ operation: OperationType, reason: z.string() });

/** What the verdict on a tool is made of. */
export const VerdictBook = z.object({
  hinted: OperationType.nullable().describe('what the hints of the server say now'),
  held: OperationType.nullable().describe('the strictest that they said since they were last accepted'),
  inferred: Inferred,
  decision: z
    .object({ operation: OperationType, by: z.string(), at: z.string().optional() })
    .nullable()
    .describe('the operator’s word; by "configuration" where the file says it'),
  enforced: OperationType.nullable().describe(
    'what calls are checked against; null: any variant may call it',
  ),
});
export type VerdictBook = z.infer<typeof VerdictBook>;

/** Text of a definition that looks meant for the model instead of the person. Hidden characters are made visible. */
export const Finding = z.object({
  rule: z.string(),
  path: z.string().describe('JSON pointer into the definition'),
  why: z.string(),
  excerpt: z.string(),
});
export type Finding = z.infer<typeof Finding>;

/** A tool as the operator sees it: everything, also what is withheld from agents. */
export const JudgedTool = ToolEntry.extend({
  standing: ToolStanding,
  withheld: z.boolean().describe('true: agents neither find nor call it until it is approved'),
  definition_hash: z.string(),
  accepted: z.object({ by: z.string(), at: z.string() }).nullable(),
  rejected: z
    .object({ by: z.string(), at: z.string() })
    .optional()
    .describe(
      'the operator has rejected it as it is now; it stays withheld until it changes again or is approved',
    ),
  first_seen: z.string(),
  changed_at: z.string().describe('when its definition was last seen to change'),
  book: VerdictBook,
  suspicious: z.boolean().describe('true: its text looks meant for the model; `findings` say why'),
  findings: z.array(Finding),
});
export type JudgedTool = z.infer<typeof JudgedTool>;

export const VerdictStep = z.object({
  operation: OperationType.nullable().describe(
    'what calls are checked against; null: any variant may call it',
  ),
  source: VerdictSource,
  variants: z.array(ToolVariant).describe('those that agents may call it with'),
});
export type VerdictStep = z.infer<typeof VerdictStep>;

/** What accepting a tool as it is now means for agents. */
export const ApprovalEffect = z.object({
  before: VerdictStep.nullable().describe('null: nobody has accepted the tool before'),
  after: VerdictStep,
  keeps: OperationType.nullable().describe(
    'what keep_operation sets as the operator’s verdict; null: nothing',
  ),
  consequence: z.string().describe('the same in a sentence'),
});
export type ApprovalEffect = z.infer<typeof ApprovalEffect>;

/** How a tool differs from the definition that was accepted. */
export const ToolDiff = z.object({
  name: z.string(),
  standing: ToolStanding,
  withheld: z.boolean(),
  definition_hash: z.string(),
  accepted: z.object({ by: z.string(), at: z.string() }).nullable(),
  changes: z.array(
    z.object({
      path: z.string().describe('JSON pointer into the definition'),
      before: z.string().optional().describe('as JSON; absent: it was not there'),
      after: z.string().optional(),
    }),
  ),
  notes: z.array(z.string()).describe('what cannot be shown as a change of a field'),
  inferred: Inferred.describe(
    'what its name, description and parameters look like now, whatever its hints say',
  ),
  approval: ApprovalEffect.describe('what follows if it is accepted as it is now'),
  rejected: z.object({ by: z.string(), at: z.string() }).optional(),
});
export type ToolDiff = z.infer<typeof ToolDiff>;

/** The operator's decisions as a file. They are bound to the names of server and tool, and to nothing else. */
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
  unlisted: z.number().describe('of those changed: tools that no server lists now; they count once one does'),
});
export type VerdictImport = z.infer<typeof VerdictImport>;

/** What came of accepting all tools of a server. */
export const ServerApproval = z.object({
  server: z.string(),
  approved: z.array(z.string()).describe('those that were waiting'),
  skipped: z.array(z.object({ tool: z.string(), why: z.string() })).describe('those that go on waiting'),
  total: z.number(),
});
export type ServerApproval = z.infer<typeof ServerApproval>;
