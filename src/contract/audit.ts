import { z } from 'zod';
import { AcceptedGap, ActivityStatus, ActivityVerification, RemovedRecords } from './activity.ts';
import { TimeText } from './time.ts';
import { PrincipalText } from './token.ts';

export const AuditQuery = z.object({
  principal: z
    .string()
    .min(1)
    .max(200)
    .pipe(PrincipalText)
    .describe('operator, anonymous, token:NAME or the name of a token'),
  start_time: TimeText.optional().describe('as in the list of records; default: the beginning of the log'),
  end_time: TimeText.optional().describe('default: now'),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

/** Who approved a call, when and from where. Absent values are not on record. */
const AuditedApproval = z.object({
  record: z.string().optional().describe('id of the record of the decision'),
  approval_id: z.string().optional(),
  grant_id: z.string().optional().describe('set where a grant let the call pass'),
  decided_by: z.string().optional(),
  decided_at: z.string().optional(),
  reason: z.string().optional().describe('reason of the person, cut'),
  decided_from: z.string().optional().describe('where the person decided: cli, web and others'),
  client: z.string().optional(),
  client_address: z.string().optional(),
});

export const AuditedCall = z.object({
  id: z.string().describe('id of the record'),
  time: z.string(),
  tool: z.string(),
  status: ActivityStatus.describe('pending: the call is running, or its outcome was never recorded'),
  token_id: z.string().optional().describe('names of tokens may be used again, ids never are'),
  because: z
    .array(z.enum(['declared', 'variant', 'verdict', 'hint']))
    .describe(
      'what makes the call destructive: the declaration, the variant, the verdict on the tool, or the hint of the server where the operator has weakened it',
    ),
  arguments: z.string().optional().describe('JSON, with secrets masked, cut; the record has all of it'),
  reason: z.string().optional().describe('reason of the agent, cut'),
  client: z.string().optional(),
  client_address: z.string().optional(),
  approval: AuditedApproval.nullable().describe('null: the policy required no approval'),
});
export type AuditedCall = z.infer<typeof AuditedCall>;

/** All records about one approval are one attempt. */
export const AuditedAttempt = z.object({
  id: z.string().describe('id of its first record'),
  time: z.string(),
  tool: z.string(),
  status: ActivityStatus.describe(
    'pending: it waits for an approval, or the approval ended without a record',
  ),
  arguments: z.string().optional(),
  ended_by: z.string().optional().describe('who denied it'),
  ended_at: z.string().optional(),
  because: z.string().optional().describe('reason of that person, or the error of the proxy'),
});
export type AuditedAttempt = z.infer<typeof AuditedAttempt>;

export const ActivityAudit = z.object({
  principal: z.string(),
  start_time: z.string().nullable(),
  end_time: z.string(),
  records: z.number().describe('all records of this credential in this time'),
  tokens: z
    .array(z.object({ id: z.string(), first: z.string(), last: z.string(), records: z.number() }))
    .describe('tokens that had this name, by their first record in this time; at most 100'),
  ran: z.number().describe('destructive calls that ran or may have run'),
  ran_by_status: z.record(z.string(), z.number()),
  calls: z.array(AuditedCall).describe('those calls, oldest first; at most 1,000'),
  approved: z.number().describe('of these: approved by a person or by a grant'),
  did_not_run: z
    .number()
    .describe('destructive attempts that did not run; all records about one approval are one attempt'),
  did_not_run_by_status: z
    .record(z.string(), z.number())
    .describe(
      'pending: the call waits for an approval, or its approval ended without a record; no call has run with it',
    ),
  attempts: z.array(AuditedAttempt).describe('those attempts, oldest first; at most 1,000'),
  known_principals: z
    .array(z.string())
    .describe('where this credential has no record: credentials that have some in this time; at most 50'),
  credential: z
    .object({ last_record: z.string().optional(), created_at: z.string().optional() })
    .optional()
    .describe(
      'where this credential has no record in this time, but is known: the time of its newest record, or when a token of this name was created that was never used',
    ),
  removed: z
    .array(RemovedRecords)
    .describe('records that retention has removed, and which may be of this time'),
  restored: z
    .array(AcceptedGap)
    .describe('accepted restores: entries of this time may have been missing then'),
  verification: ActivityVerification,
});
export type ActivityAudit = z.infer<typeof ActivityAudit>;
