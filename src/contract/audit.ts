import { z } from 'zod';
import { ActivityStatus, ActivityVerification } from './activity.ts';
import { TimeText } from './time.ts';

export const AuditQuery = z.object({
  principal: z.string().min(1).max(200).describe('operator, anonymous, token:NAME or the name of a token'),
  start_time: TimeText.optional().describe('as in the list of records; default: the beginning of the log'),
  end_time: TimeText.optional().describe('default: now'),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

/** Who approved a call, when and from where. Absent values are not on record. */
const AuditedApproval = z.object({
  approval_id: z.string().optional(),
  grant_id: z.string().optional().describe('set where a grant let the call pass'),
  decided_by: z.string().optional(),
  decided_at: z.string().optional(),
  decided_from: z.string().optional().describe('where the person decided: cli, web and others'),
  client: z.string().optional(),
  client_address: z.string().optional(),
});

export const AuditedCall = z.object({
  id: z.string().describe('id of the record'),
  time: z.string(),
  tool: z.string(),
  status: ActivityStatus,
  because: z
    .array(z.enum(['declared', 'variant', 'verdict']))
    .describe('what makes the call destructive: the declaration, the variant, the verdict on the tool'),
  client: z.string().optional(),
  client_address: z.string().optional(),
  approval: AuditedApproval.nullable().describe('null: the policy required no approval'),
});
export type AuditedCall = z.infer<typeof AuditedCall>;

export const ActivityAudit = z.object({
  principal: z.string(),
  start_time: z.string().nullable(),
  end_time: z.string(),
  ran: z.number().describe('destructive calls that ran or may have run'),
  calls: z.array(AuditedCall).describe('those calls, oldest first; at most 1,000'),
  approved: z.number().describe('of these: approved by a person or by a grant'),
  did_not_run: z.number().describe('destructive attempts that did not run'),
  did_not_run_by_status: z.record(z.string(), z.number()),
  verification: ActivityVerification,
});
export type ActivityAudit = z.infer<typeof ActivityAudit>;
