import { z } from 'zod';
import { ActivitySource } from './activity.ts';
import { GrantTerms, PolicyAction, PolicyRules } from './approval-policy.ts';
import { Finding, OperationView } from './tool.ts';
import { OperationType, ToolVariant } from './operation.ts';
import { PrincipalText } from './token.ts';

/**
 * pending → approved → running → executed | unknown; pending → denied | expired | cancelled; approved → expired | cancelled.
 * `running`: used, and the call was sent to the server. `unknown`: used, and it is not known whether the call took effect.
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

/** A request to a person to approve exactly one call. */
export const Approval = z.object({
  id: z.string().describe('ULID; sorts by time'),
  status: ApprovalStatus,
  changed: z
    .boolean()
    .optional()
    .describe('true: the row was changed outside of mcpproxy; what it says does not count'),
  scope: ApprovalScope,
  server: z.string(),
  tool: z.string().describe('name without the server'),
  operation: OperationType.describe('the more severe of the chosen variant and the verdict on the tool'),
  tool_variant: ToolVariant.optional(),
  arguments: z.unknown().describe('arguments of the call, secrets masked'),
  arguments_truncated: z.boolean().describe('true: a value is too long and was truncated'),
  arguments_masked: z
    .boolean()
    .describe('true: a value in arguments or input_responses is masked here; GET /approvals/{id} returns it'),
  input_responses: z
    .unknown()
    .optional()
    .describe('answers to input requests of the server that the call includes'),
  description: z.string().optional().describe('description of the call, if the caller gave one'),
  digest: z.string().describe('digest of everything that the approval is bound to'),
  definition_hash: z.string(),
  policy_version: z.string(),
  rule: z.string().describe('why the call requires an approval'),
  verdict: OperationView.optional(),
  hints: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('annotations of the tool, as the server gives them'),
  principal: z.string().describe('credential of the caller'),
  user_id: z.string(),
  source: ActivitySource,
  client: z.string().optional().describe('client program, as it names itself'),
  session_id: z.string().optional(),
  conversation_id: z.string().optional(),
  reason: z.string().optional().describe('reason that the caller declared'),
  created_at: z.string(),
  expires_at: z
    .string()
    .describe('while pending: end of the time to decide; once approved: end of the time to make the call'),
  decided_at: z.string().optional(),
  decided_by: z.string().optional(),
  decided_from: DecidedFrom.optional(),
  decision_reason: z.string().optional(),
  settled_at: z.string().optional().describe('when it reached its final status'),
  record_id: z.string().optional().describe('record of the call that required the approval, or that ran'),
  grant_id: z.string().optional().describe('grant that was created with the decision'),
});
export type Approval = z.infer<typeof Approval>;

/** What happened to an approval request, when and by whom: "was approved by operator (cli) at …; the call ran at …". */
export function settledText(approval: Approval): string {
  return OUTCOMES[approval.status](approval);
}

const OUTCOMES: Record<ApprovalStatus, (approval: Approval) => string> = {
  pending: () => 'is pending',
  approved: (approval) => `was approved${byWhom(approval)}; the call has not run yet`,
  running: (approval) => `was approved${byWhom(approval)}; the call is running`,
  executed: (approval) => `was approved${byWhom(approval)}; the call ran${at(approval.settled_at)}`,
  unknown: (approval) => `was approved${byWhom(approval)}; it is not known whether the call took effect`,
  denied: (approval) => `was denied${byWhom(approval)}`,
  expired: ({ settled_at: time, ...approval }) =>
    approval.decided_at
      ? `was approved${byWhom(approval)}, but not used in time; it expired${at(time)}`
      : `expired${at(time)}: nobody decided in time`,
  cancelled: ({ settled_at: time, decision_reason: why }) =>
    `was withdrawn${at(time)}${why ? ` (${why})` : ''}`,
};

type Decider = Pick<Approval, 'decided_by' | 'decided_from' | 'decided_at'>;

function byWhom({ decided_by: by, decided_from: from, decided_at: time }: Decider): string {
  return `${by ? ` by ${by}` : ''}${from ? ` (${from})` : ''}${at(time)}`;
}

function at(time: string | undefined): string {
  return time === undefined ? '' : ` at ${time}`;
}

/** How the call differs from the last call of the same tool. */
export const SimilarCall = z.object({
  record_id: z.string(),
  timestamp: z.string(),
  client: z.string().optional(),
  changes: z.array(
    z.object({
      path: z.string().describe('JSON pointer into the arguments'),
      before: z.string().optional().describe('as JSON; absent: the value did not exist'),
      after: z.string().optional(),
    }),
  ),
});
export type SimilarCall = z.infer<typeof SimilarCall>;

/** A part of a call that is masked in the log and in listings. */
export const MaskedPart = z.object({
  pointer: z.string().describe('JSON pointer into the approval: /arguments/… or /input_responses/…'),
  in: z.enum(['value', 'key']).describe('the value at the pointer, or the key that the pointer ends with'),
  kind: z.string().describe('kind of secret, for example private-key'),
  start: z
    .number()
    .optional()
    .describe('index of the first character, in UTF-16 units; absent: the whole value'),
  end: z.number().optional().describe('index after the last character'),
});
export type MaskedPart = z.infer<typeof MaskedPart>;

export const ApprovalDetail = Approval.extend({
  arguments: z
    .unknown()
    .describe(
      'arguments of the call (the order of object keys may differ); if arguments_complete is false, the same as in the list',
    ),
  arguments_complete: z
    .boolean()
    .describe(
      'true: arguments and input_responses are complete and unmasked; only the order of object keys may differ. false: the call is settled, or cannot be shown completely and so cannot be approved',
    ),
  masked_parts: z
    .array(MaskedPart)
    .describe('parts that are masked in the log and in lists, and unmasked here; the access is recorded'),
  findings: z
    .array(Finding)
    .describe('text in the definition of the tool that looks like an instruction to the model'),
  similar: SimilarCall.nullable().describe('last successful call of the same tool'),
});
export type ApprovalDetail = z.infer<typeof ApprovalDetail>;

export const ApprovalPage = z.object({ approvals: z.array(Approval), next_cursor: z.string().nullable() });
export type ApprovalPage = z.infer<typeof ApprovalPage>;

export const DecisionBody = z.strictObject({
  decision: z.enum(['approve', 'deny']),
  reason: z
    .string()
    .max(1000)
    .optional()
    .describe('returned to the caller, so that it can react to a denial'),
  grant: GrantTerms.optional().describe(
    'with approve: also allow further calls of this tool by this caller for a limited time',
  ),
});
export type DecisionBody = z.infer<typeof DecisionBody>;

/** Lets a caller use a tool without further approvals for a limited time. Bound to the definition of the tool. */
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
  args: z.record(z.string(), z.unknown()).optional().describe('default: the arguments are not checked'),
  tool_variant: ToolVariant.optional().describe('default: the call_with of the tool'),
  client: z
    .string()
    .max(200)
    .pipe(PrincipalText)
    .optional()
    .describe('credential of the caller, or the name of a token; default operator'),
  program: z.string().max(200).optional().describe('client program, as it names itself'),
});
export type ExplainRequest = z.infer<typeof ExplainRequest>;

/** How the policy would treat a call, and why. */
export const Explanation = z.object({
  tool: z.string(),
  tool_variant: ToolVariant,
  client: z.string(),
  outcome: z.enum(['allow', 'ask', 'refuse']),
  code: z.string().optional().describe('error code of a refused call'),
  why: z.string(),
  arguments_checked: z.boolean().optional().describe('false: no arguments were given, so none were checked'),
  policy: z.object({
    action: PolicyAction,
    rule: z.number().nullable().describe('index of the deciding rule in approvals.require, from 0'),
    reason: z.string(),
    version: z.string(),
  }),
  operation: OperationType.nullable(),
  operation_reason: z.string().nullable(),
  expires_after_s: z.number().optional().describe('how long the call would wait for a decision'),
  grant: Grant.optional().describe('grant that would permit the call'),
});
export type Explanation = z.infer<typeof Explanation>;

export const ReplayRequest = z.strictObject({
  since: z.iso.datetime({ offset: true }),
  until: z.iso.datetime({ offset: true }).optional(),
  require: PolicyRules.optional().describe('policy to evaluate; default: the current one'),
  buckets: z
    .number()
    .int()
    .min(1)
    .max(500)
    .default(28)
    .describe('number of points over time, all of the same length'),
});
export type ReplayRequest = z.infer<typeof ReplayRequest>;

const ActionCounts = z.object({ allow: z.number(), ask: z.number(), refuse: z.number() });

/** The result of evaluating a policy against the calls in the log. */
export const Replay = z.object({
  since: z.string(),
  until: z.string(),
  policy_version: z.string(),
  calls: z.number(),
  ...ActionCounts.shape,
  truncated: z.boolean().describe('true: there are more calls than were evaluated'),
  points: z
    .array(ActionCounts.extend({ time: z.string().describe('ISO 8601, start of the point') }))
    .describe('the calls over time, oldest first, without gaps'),
  rules: z.array(z.number()).describe('how many of the calls each rule decided, in the order of the rules'),
  tools: z.array(
    ActionCounts.extend({
      tool: z.string(),
      reason: z.string().describe('reason of the most severe action'),
    }),
  ),
  examples: z.array(
    z.object({
      record_id: z.string(),
      timestamp: z.string(),
      tool: z.string(),
      action: PolicyAction,
      reason: z.string(),
      status: z.string().describe('recorded status of the call'),
    }),
  ),
});
export type Replay = z.infer<typeof Replay>;
