import { z } from 'zod';
import { OperationType, ToolVariant } from './operation.ts';
import { ToolEntry, ToolStanding, VerdictSource } from './tool.ts';

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
