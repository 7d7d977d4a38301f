import { operationSources, type ActivityRecord } from '../../../contract/activity.ts';
import type { ActivityAudit, AuditedCall, AuditQuery } from '../../../contract/audit.ts';
import type { ActivityPart } from '../parts.ts';

const MAX_CALLS = 1000;
/** Statuses of calls that were sent to the server. */
const RAN = new Set<ActivityRecord['status']>(['success', 'error', 'unknown']);

interface AuditParts {
  activity: Pick<ActivityPart, 'export' | 'list' | 'verify'>;
  now: number;
  signal: AbortSignal;
}

/** What a credential destroyed, who approved each call, and whether the log is intact. The times of the query are ISO 8601. */
export async function auditOf(
  query: AuditQuery,
  { activity, now, signal }: AuditParts,
): Promise<ActivityAudit> {
  const principal = principalOf(query.principal);
  const { start_time, end_time } = query;
  const calls: ActivityRecord[] = [];
  const others: Record<string, number> = {};
  let [ran, approved] = [0, 0];
  const filter = { type: 'tool_call', intent_type: 'destructive', principal, start_time, end_time } as const;
  for await (const record of activity.export(filter)) {
    signal.throwIfAborted();
    if (!RAN.has(record.status)) others[record.status] = (others[record.status] ?? 0) + 1;
    else {
      ran++;
      if (approvalOf(record)) approved++;
      if (calls.length < MAX_CALLS) calls.push(record);
    }
  }
  const audited: AuditedCall[] = [];
  for (const record of calls) audited.push(await audit(record, activity));
  return {
    principal,
    start_time: start_time ?? null,
    end_time: end_time ?? new Date(now).toISOString(),
    ran,
    calls: audited,
    approved,
    did_not_run: Object.values(others).reduce((sum, n) => sum + n, 0),
    did_not_run_by_status: others,
    verification: await activity.verify({ signal }),
  };
}

/** The name of a token alone is enough. */
const principalOf = (given: string) =>
  given === 'operator' || given === 'anonymous' || given.includes(':') ? given : `token:${given}`;

const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typeof value === 'object' && value !== null ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

function approvalOf({ metadata }: ActivityRecord): AuditedCall['approval'] {
  const {
    id,
    grant_id,
    granted_by,
    decided_by = granted_by,
    decided_at,
    decided_from,
  } = textsOf(metadata.approval);
  if (decided_by === undefined) return null;
  return {
    ...(id !== undefined && { approval_id: id }),
    ...(grant_id !== undefined && { grant_id }),
    decided_by,
    ...(decided_at !== undefined && { decided_at }),
    ...(decided_from !== undefined && { decided_from }),
  };
}

async function audit(record: ActivityRecord, activity: AuditParts['activity']): Promise<AuditedCall> {
  const { client, client_address } = record;
  return {
    id: record.id,
    time: record.timestamp,
    tool: [record.server_name, record.tool_name].filter(Boolean).join(':'),
    status: record.status,
    because: operationSources(record, 'destructive'),
    ...(client !== undefined && { client }),
    ...(client_address !== undefined && { client_address }),
    approval: await withDecision(approvalOf(record), activity),
  };
}

/** Adds what the record of the decision says. */
async function withDecision(
  approval: AuditedCall['approval'],
  activity: AuditParts['activity'],
): Promise<AuditedCall['approval']> {
  if (approval?.approval_id === undefined) return approval;
  const wanted = { approval_id: approval.approval_id, type: 'decision', status: 'success' } as const;
  const { records } = await activity.list(wanted, { limit: 1 });
  const [decision] = records;
  if (!decision) return approval;
  const { timestamp, client, client_address } = decision;
  return {
    decided_at: timestamp,
    ...approval,
    ...(client !== undefined && { client }),
    ...(client_address !== undefined && { client_address }),
  };
}
