import { operationSources, type ActivityRecord } from '../../../contract/activity.ts';
import type { ActivityAudit, AuditedCall, AuditQuery } from '../../../contract/audit.ts';
import { ProxyError } from '../../../contract/errors.ts';
import { exactJson } from '../../../json/index.ts';
import { createAttempts, type Attempts } from './audit-attempts.ts';
import type { ActivityReadPart } from '../parts.ts';

const MAX_CALLS = 1000;
const MAX_TOKENS = 100;
const MAX_PRINCIPALS = 50;
/** Characters of the arguments and of a reason. */
const SHORT = 300;

interface AuditParts {
  activity: Pick<ActivityReadPart, 'export' | 'list' | 'verify'>;
  now: number;
  signal: AbortSignal;
}

type Counted = Pick<ActivityAudit, 'records' | 'tokens' | 'ran' | 'ran_by_status' | 'approved'>;

interface Found {
  counts: Counted;
  calls: ActivityRecord[];
  principals: Set<string>;
  attempts: Attempts;
  /** Approvals with which a call ran, at whatever time. */
  used: Set<string>;
}

/** What a credential destroyed, who approved each call, and whether the log is intact. The times of the query are ISO 8601. */
export async function auditOf(
  query: AuditQuery,
  { activity, now, signal }: AuditParts,
): Promise<ActivityAudit> {
  const { principal } = query;
  const { start_time, end_time = new Date(now).toISOString() } = query;
  const [from, to] = [Date.parse(start_time ?? '1970-01-01'), Date.parse(end_time)];
  if (from > to)
    throw new ProxyError('INVALID_REQUEST', `The time ends before it starts: ${start_time} to ${end_time}`);
  const found = await find({ principal, start_time, end_time }, { activity, signal });
  const calls: AuditedCall[] = [];
  for (const record of found.calls) calls.push(await audit(record, activity));
  const credential = found.counts.records > 0 ? undefined : await credentialOf(principal, activity);
  const verification = await activity.verify({ signal });
  const removed = verification.removed.filter(
    (each) => Date.parse(each.from) <= to && Date.parse(each.until) >= from,
  );
  // What was missing then had been recorded before.
  const restored = verification.restored.filter(({ at }) => Date.parse(at) >= from);
  return {
    principal,
    start_time: start_time ?? null,
    end_time,
    ...found.counts,
    ...found.attempts.result(found.used),
    known_principals: found.counts.records > 0 ? [] : [...found.principals].sort(),
    ...(credential && { credential }),
    calls,
    removed,
    restored,
    verification,
  };
}

const TOKEN = /^token:(.+)$/s;

/** A credential without a record in the time that is asked about: used at another time, or made and never used. A wrong name is neither. */
async function credentialOf(
  principal: string,
  activity: AuditParts['activity'],
): Promise<ActivityAudit['credential']> {
  const { records } = await activity.list({ principal }, { limit: 1 });
  if (records[0]) return { last_record: records[0].timestamp };
  const [, name] = TOKEN.exec(principal) ?? [];
  if (name === undefined) return undefined;
  const wanted = { type: 'config_change', status: 'success', q: name.slice(0, 200) } as const;
  const made = (await activity.list(wanted, { limit: 100 })).records.find(
    ({ metadata, response }) => metadata.action === 'create_token' && textsOf(response).token_name === name,
  );
  return made && { created_at: made.timestamp };
}

/**
 * Reads every record since the beginning of the time. No index, count or search decides what is found: somebody who writes the database
 * could change those. What a record is, is read from the record itself, which the chain covers.
 */
async function find(
  { principal, start_time, end_time }: AuditQuery & { end_time: string },
  { activity, signal }: Pick<AuditParts, 'activity' | 'signal'>,
): Promise<Found> {
  const counts: Counted = {
    records: 0,
    tokens: [],
    ran: 0,
    ran_by_status: {},
    approved: 0,
  };
  const attempts = createAttempts(MAX_CALLS);
  const found: Found = { counts, calls: [], principals: new Set(), attempts, used: new Set() };
  const [start, end] = [Date.parse(start_time ?? '1970-01-01'), Date.parse(end_time)];
  for await (const record of activity.export({ start_time })) {
    signal.throwIfAborted();
    const time = Date.parse(record.timestamp);
    const isInTime = time >= start && time <= end;
    if (isInTime && record.principal !== undefined && found.principals.size < MAX_PRINCIPALS)
      found.principals.add(record.principal);
    attempts.see(record);
    if (record.principal !== principal) continue;
    if (record.approval_id !== undefined && isCallThatRan(record)) found.used.add(record.approval_id);
    if (isInTime) addRecord(found, record);
  }
  return found;
}

const isCallThatRan = (record: ActivityRecord) => record.type === 'tool_call' && mayHaveRun(record);

function addRecord(found: Found, record: ActivityRecord): void {
  const { counts } = found;
  counts.records++;
  noteToken(counts.tokens, record);
  if (record.type !== 'tool_call' || reasonsOf(record).length === 0) return;
  if (mayHaveRun(record)) return addRun(found, record);
  const { id, timestamp: time, status, error_message: because } = record;
  const args = exactJson(record.arguments);
  found.attempts.add(record, {
    id,
    time,
    tool: toolOf(record),
    status,
    ...(args !== undefined && { arguments: short(args) }),
    ...(because !== undefined && status === 'refused' && { because: short(because) }),
  });
}

const toolOf = ({ server_name: server, tool_name: tool }: ActivityRecord) =>
  [server, tool].filter(Boolean).join(':');

/** What makes a call destructive. The hint is on record where the operator has made the tool weaker than its server says. */
const reasonsOf = (record: ActivityRecord): AuditedCall['because'] => [
  ...operationSources(record, 'destructive'),
  ...(record.metadata.operation?.hint === 'destructive' ? (['hint'] as const) : []),
];

const RAN = new Set<ActivityRecord['status']>(['success', 'error', 'unknown']);

/** A record without a duration is not closed: the call runs, or nobody knows how it ended. */
const mayHaveRun = ({ status, duration_ms }: ActivityRecord) => RAN.has(status) || duration_ms === undefined;

function addRun({ counts, calls }: Found, record: ActivityRecord): void {
  counts.ran++;
  count(counts.ran_by_status, record.status);
  if (approvalOf(record)) counts.approved++;
  if (calls.length < MAX_CALLS) calls.push(record);
}

const count = (counts: Record<string, number>, name: string) => (counts[name] = (counts[name] ?? 0) + 1);

const tokenId = ({ metadata: { token_id: id } }: ActivityRecord) => (typeof id === 'string' ? id : undefined);

/** A token of the same name may have been made again. */
function noteToken(tokens: ActivityAudit['tokens'], record: ActivityRecord): void {
  const [id, time] = [tokenId(record), record.timestamp];
  if (id === undefined) return;
  const known = tokens.find((each) => each.id === id);
  if (known) Object.assign(known, { last: time, records: known.records + 1 });
  else if (tokens.length < MAX_TOKENS) tokens.push({ id, first: time, last: time, records: 1 });
}

const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typeof value === 'object' && value !== null ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

function approvalOf({ metadata }: ActivityRecord): AuditedCall['approval'] {
  const { grant_id, granted_by, granted_at, granted_from, granted_with, ...own } = textsOf(metadata.approval);
  const {
    id = granted_with,
    decided_by = granted_by,
    decided_at = granted_at,
    decided_from = granted_from,
    reason,
  } = own;
  if (decided_by === undefined) return null;
  return {
    ...(id !== undefined && { approval_id: id }),
    ...(grant_id !== undefined && { grant_id }),
    decided_by,
    ...(decided_at !== undefined && { decided_at }),
    ...(decided_from !== undefined && { decided_from }),
    ...(reason !== undefined && { reason: short(reason) }),
  };
}

const short = (text: string) => (text.length > SHORT ? `${text.slice(0, SHORT)}…` : text);

async function audit(record: ActivityRecord, activity: AuditParts['activity']): Promise<AuditedCall> {
  const { client, client_address, metadata } = record;
  const [token, args, reason] = [tokenId(record), exactJson(record.arguments), metadata.intent?.reason];
  return {
    id: record.id,
    time: record.timestamp,
    tool: toolOf(record),
    status: record.status,
    ...(token !== undefined && { token_id: token }),
    because: reasonsOf(record),
    ...(args !== undefined && { arguments: short(args) }),
    ...(reason !== undefined && { reason: short(reason) }),
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
  const decision = await decisionOn(approval.approval_id, activity);
  if (!decision) return approval;
  const { id, timestamp, client, client_address } = decision;
  const { reason } = textsOf(decision.arguments);
  return {
    record: id,
    decided_at: timestamp,
    ...(reason !== undefined && { reason: short(reason) }),
    ...approval,
    ...(client !== undefined && { client }),
    ...(client_address !== undefined && { client_address }),
  };
}

/** The decision that took effect. Earlier versions recorded repeats as successful too. */
async function decisionOn(
  approval_id: string,
  activity: AuditParts['activity'],
): Promise<ActivityRecord | undefined> {
  const wanted = { approval_id, type: 'decision', status: 'success' } as const;
  for (let cursor: string | undefined; ;) {
    const { records, next_cursor: next } = await activity.list(wanted, { limit: 100, cursor });
    const decision = records.find(({ metadata: { first } }) => first !== false);
    if (decision || next === null) return decision;
    cursor = next;
  }
}
