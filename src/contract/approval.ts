import { z } from 'zod';
import { ActivitySource } from './activity.ts';
import { GrantTerms, PolicyAction, PolicyRules } from './approval-policy.ts';
import { Finding, OperationView } from './tool.ts';
import { OperationType, ToolVariant } from './operation.ts';

/**
 * pending → approved → running → executed | unknown; pending → denied | expired | cancelled; approved → expired | cancelled.
 * `running`: used, and on its way to the server. `unknown`: used, and nobody knows whether the call took effect.
 */
export const ApprovalStatus = z.enum([
  'pending',
  'approved',
  'denied',
  'expired',
  'cancelled',
  'running',
  'executed',
  'unknown',
]);
export type ApprovalStatus = z.infer<typeof ApprovalStatus>;

/** `call`: decided with the operator's key. `conversation`: decided by the person's next message. */
export const ApprovalScope = z.enum(['call', 'conversation']);
export type ApprovalScope = z.infer<typeof ApprovalScope>;

export const DecidedFrom = z.enum(['cli', 'api', 'web', 'in-client', 'conversation']);
export type DecidedFrom = z.infer<typeof DecidedFrom>;

/** One question to a person, about exactly one call. */
export const Approval = z.object({
  id: z.string().describe('ULID; sorts by time'),
  status: ApprovalStatus,
  scope: ApprovalScope,
  server: z.string(),
  tool: z.string().describe('without its server'),
  operation: OperationType.describe('the most severe of what was chosen and what the tool is held to'),
  tool_variant: ToolVariant.optional(),
  arguments: z.unknown().describe('what would be sent to the tool, secrets masked'),
  arguments_truncated: z.boolean().describe('something is too long, and cut'),
  arguments_masked: z
    .boolean()
    .describe('something in arguments or input_responses is masked here; GET /approvals/{id} shows it'),
  input_responses: z.unknown().optional().describe('answers to questions of the server that the call brings'),
  description: z.string().optional().describe('the call in words, where the caller gave some'),
  digest: z.string().describe('of everything that the approval is bound to'),
  definition_hash: z.string(),
  policy_version: z.string(),
  rule: z.string().describe('why a person is asked'),
  verdict: OperationView.optional(),
  hints: z.record(z.string(), z.unknown()).optional().describe('what the server says of the tool'),
  principal: z.string().describe('the credential that asks'),
  user_id: z.string(),
  source: ActivitySource,
  client: z.string().optional().describe('the program that asks, as it names itself'),
  session_id: z.string().optional(),
  conversation_id: z.string().optional(),
  reason: z.string().optional().describe('why, as the caller states it'),
  created_at: z.string(),
  expires_at: z.string().describe('of the question; once approved, of the right to make the call'),
  decided_at: z.string().optional(),
  decided_by: z.string().optional(),
  decided_from: DecidedFrom.optional(),
  decision_reason: z.string().optional(),
  settled_at: z.string().optional().describe('when it reached its last status'),
  record_id: z.string().optional().describe('the record of the call that asked, or that ran'),
  grant_id: z.string().optional().describe('the grant that was given with the decision'),
});
export type Approval = z.infer<typeof Approval>;

/** How the call differs from the last one that the same tool was given. */
export const SimilarCall = z.object({
  record_id: z.string(),
  timestamp: z.string(),
  client: z.string().optional(),
  changes: z.array(
    z.object({
      path: z.string().describe('JSON pointer into the arguments'),
      before: z.string().optional().describe('as JSON; absent: it was not there'),
      after: z.string().optional(),
    }),
  ),
});
export type SimilarCall = z.infer<typeof SimilarCall>;

/** A part of a call that is masked in the log and in listings. */
export const MaskedPart = z.object({
  pointer: z.string().describe('JSON pointer into the approval: /arguments/… or /input_responses/…'),
  in: z.enum(['value', 'key']).describe('the value at the pointer, or the key that the pointer ends with'),
  kind: z.string().describe('what it was taken for, for example private-key'),
  start: z
    .number()
    .optional()
    .describe('first character of a text, in UTF-16 units; absent: the whole value'),
  end: z.number().optional().describe('the character behind the last'),
});
export type MaskedPart = z.infer<typeof MaskedPart>;

export const ApprovalDetail = Approval.extend({
  arguments: z
    .unknown()
    .describe(
      'what would be sent to the tool (the order of keys in an object does not count); where arguments_complete is false, as in the list',
    ),
  arguments_complete: z
    .boolean()
    .describe(
      'arguments and input_responses are all that would be sent, as it would be sent but for the order of keys in an object. False: the call is settled, or cannot be shown whole and so cannot be approved',
    ),
  masked_parts: z
    .array(MaskedPart)
    .describe(
      'parts that are masked in the log and in listings, and shown here; that they were shown is recorded',
    ),
  findings: z.array(Finding).describe('text of the tool that looks meant for the model'),
  similar: SimilarCall.nullable().describe('the last call of the same tool that worked'),
});
export type ApprovalDetail = z.infer<typeof ApprovalDetail>;

export const ApprovalPage = z.object({ approvals: z.array(Approval), next_cursor: z.string().nullable() });
export type ApprovalPage = z.infer<typeof ApprovalPage>;

export const DecisionBody = z.strictObject({
  decision: z.enum(['approve', 'deny']),
  reason: z.string().max(1000).optional().describe('the caller is told; so it can act on a denial'),
  grant: GrantTerms.optional().describe('with approve: also allow further calls of this tool by this caller'),
});
export type DecisionBody = z.infer<typeof DecisionBody>;

/** For a while, a caller may use a tool without asking each time. Bound to the definition of the tool. */
export const Grant = z.object({
  id: z.string(),
  status: z.enum(['active', 'expired', 'used up', 'revoked']),
  server: z.string(),
  tool: z.string(),
  principal: z.string(),
  user_id: z.string(),
  client: z.string().optional(),
  definition_hash: z.string(),
  created_at: z.string(),
  created_by: z.string(),
  created_from: DecidedFrom,
  expires_at: z.string(),
  max_calls: z.number().nullable(),
  used: z.number(),
  reason: z.string().optional(),
  approval_id: z.string().optional(),
  revoked_at: z.string().optional(),
  revoked_by: z.string().optional(),
});
export type Grant = z.infer<typeof Grant>;

export const ExplainRequest = z.strictObject({
  tool: z.string().min(1).max(512).describe('server:tool'),
  args: z.record(z.string(), z.unknown()).optional(),
  tool_variant: ToolVariant.optional().describe('default: the call_with of the tool'),
  client: z.string().max(200).optional().describe('credential of the caller; default operator'),
  program: z.string().max(200).optional().describe('the program that calls, as it names itself'),
});
export type ExplainRequest = z.infer<typeof ExplainRequest>;

/** What the road would do with a call, and why. */
export const Explanation = z.object({
  tool: z.string(),
  tool_variant: ToolVariant,
  client: z.string(),
  outcome: z.enum(['allow', 'ask', 'refuse']),
  code: z.string().optional().describe('of the error that a refused call gets'),
  why: z.string(),
  policy: z.object({
    action: PolicyAction,
    rule: z.number().nullable().describe('place of the rule that decides in approvals.require, from 0'),
    reason: z.string(),
    version: z.string(),
  }),
  operation: OperationType.nullable(),
  operation_reason: z.string().nullable(),
  expires_after_s: z.number().optional().describe('how long it would wait for a decision'),
  grant: Grant.optional().describe('the grant that would let it pass'),
});
export type Explanation = z.infer<typeof Explanation>;

export const ReplayRequest = z.strictObject({
  since: z.iso.datetime({ offset: true }),
  until: z.iso.datetime({ offset: true }).optional(),
  require: PolicyRules.optional().describe('the policy to try; default: the one in force'),
});
export type ReplayRequest = z.infer<typeof ReplayRequest>;

const ActionCounts = z.object({ allow: z.number(), ask: z.number(), refuse: z.number() });

/** What a policy would have done with the calls in the log. */
export const Replay = z.object({
  since: z.string(),
  until: z.string(),
  policy_version: z.string(),
  calls: z.number(),
  ...ActionCounts.shape,
  truncated: z.boolean().describe('true: there are more calls than are looked at'),
  tools: z.array(
    ActionCounts.extend({ tool: z.string(), reason: z.string().describe('of the most severe action') }),
  ),
  examples: z.array(
    z.object({
      record_id: z.string(),
      timestamp: z.string(),
      tool: z.string(),
      action: PolicyAction,
      reason: z.string(),
      status: z.string().describe('how the call really ended'),
    }),
  ),
});
export type Replay = z.infer<typeof Replay>;
