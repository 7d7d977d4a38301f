import { z } from 'zod';
import { filterProblem, filterTextSchema } from './filter/filter-check.ts';
import type { WithClauses } from './filter/record-filter.ts';
import { TimeText as time } from './time.ts';
import { OperationType, ToolVariant, IntentDeclaration } from './operation.ts';
import { PrincipalText } from './token.ts';

export const ActivityType = z.enum([
  'tool_call',
  'prompt_get',
  'resource_read',
  'resource_subscribe',
  'completion',
  'discovery',
  'sampling',
  'elicitation',
  'roots',
  'bad_request',
  'server_change',
  'tool_change',
  'finding',
  'config_change',
  'config',
  'approval',
  'decision',
  'assistant_decision',
]);
export type ActivityType = z.infer<typeof ActivityType>;

export const ActivitySource = z.enum(['mcp', 'cli', 'api', 'chat', 'system']);
export type ActivitySource = z.infer<typeof ActivitySource>;

export const ActivityStatus = z.enum([
  'success',
  'error',
  'refused',
  'pending',
  'denied',
  'expired',
  'unknown',
]);
export type ActivityStatus = z.infer<typeof ActivityStatus>;

export const ActivityMetadata = z.looseObject({
  intent: IntentDeclaration.partial().optional(),
  intent_source: z
    .literal('verdict')
    .optional()
    .describe(
      'verdict: nobody declared the operation of the call, as in direct mode or for a prompt or a resource; it is the verdict',
    ),
  tool_variant: ToolVariant.optional(),
  warnings: z.array(z.string()).optional(),
  operation: z.record(z.string(), z.unknown()).optional(),
  masked: z.number().optional().describe('how many parts of the record are masked'),
  secrets_sent: z
    .array(z.string())
    .optional()
    .describe('the kinds of secrets in the arguments, as in github-token; up to 20'),
  secrets_received: z.array(z.string()).optional().describe('the kinds of secrets in the response; up to 20'),
  arguments_truncated: z
    .boolean()
    .optional()
    .describe('true: the log left out a part of the arguments, because they are too long or binary'),
  policy_version: z
    .string()
    .optional()
    .describe(
      'configuration by which the proxy decided: the number of its revision or, where the file has it, the first 16 digits of its digest',
    ),
  trace_id: z.string().optional().describe('trace that the call belongs to, if any'),
});
export type ActivityMetadata = z.infer<typeof ActivityMetadata>;

export const CallOperations = z.object({
  declared: OperationType.optional().describe('what the caller declared'),
  variant: OperationType.optional().describe('what the called variant says'),
  verdict: OperationType.optional().describe('what the tool is held to'),
});
export type CallOperations = z.infer<typeof CallOperations>;

export const ActivityRecord = z.object({
  id: z.string().describe('ULID; sorts by time'),
  type: ActivityType,
  source: ActivitySource,
  server_name: z.string().optional(),
  tool_name: z.string().optional(),
  arguments: z.unknown().optional().describe('as sent to the tool, with secrets masked'),
  response: z.unknown().optional().describe('as received, with secrets masked, truncated at the size limit'),
  response_truncated: z.boolean(),
  status: ActivityStatus,
  error_code: z.string().optional(),
  error_message: z.string().optional(),
  duration_ms: z.number().int().optional().describe('whole milliseconds'),
  timestamp: z.string().describe('ISO 8601, when the record was opened'),
  session_id: z.string().optional(),
  request_id: z.string(),
  conversation_id: z.string().optional(),
  client: z.string().optional().describe('client program, as in "claude-code/2.1.0"'),
  principal: z.string().optional().describe('credential of the caller: operator, token:NAME or anonymous'),
  approval_id: z
    .string()
    .optional()
    .describe('approval that the record is about, or that permitted the call'),
  decided_by: z.string().optional().describe('who decided on the approval'),
  client_address: z
    .string()
    .optional()
    .describe('IP address of the client; behind a trusted proxy the one that it forwards'),
  operation_type: OperationType.optional().describe('operation of a call; absent for a decision on a call'),
  operations: CallOperations.optional().describe(
    'the operation of a call by each of its sources; intent_type matches any of them',
  ),
  metadata: ActivityMetadata,
});
export type ActivityRecord = z.infer<typeof ActivityRecord>;

/** Which sources gave a call this operation. */
export function operationSources(
  { operations = {} }: Pick<ActivityRecord, 'operations'>,
  wanted: OperationType,
): Array<keyof CallOperations> {
  return (['declared', 'variant', 'verdict'] as const).filter((source) => operations[source] === wanted);
}

const ITEMS: readonly ActivityType[] = ['prompt_get', 'resource_read', 'resource_subscribe', 'completion'];

/** A server has asked the client of a call, or for something of it. */
export const isAsk = ({ type }: Pick<ActivityRecord, 'type'>): boolean =>
  type === 'sampling' || type === 'elicitation' || type === 'roots';

/** Whether a record is about a request for something else than a tool. */
export const isItemRequest = ({ type }: Pick<ActivityRecord, 'type'>): boolean => ITEMS.includes(type);

const DONE: readonly ActivityType[] = ['config_change', 'config', 'server_change', 'approval'];

/** The action of a record that is neither a call nor a person's decision on a call, as in "revoke_token". */
export function actionOf({
  type,
  metadata: { action },
}: Pick<ActivityRecord, 'type' | 'metadata'>): string | undefined {
  return DONE.includes(type) && typeof action === 'string' ? action : undefined;
}

/** The only values of some fields in the text of a filter. */
export const CLAUSE_VALUES = {
  status: ActivityStatus.options,
  type: ActivityType.options,
  op: OperationType.options,
};

export const ActivityFilter = z.object({
  type: ActivityType.optional(),
  server: z.string().optional(),
  tool: z.string().optional().describe('tool name, with or without its server'),
  status: ActivityStatus.optional(),
  intent_type: OperationType.optional().describe(
    'operation that was declared, that the variant says, or that the tool is held to',
  ),
  session_id: z.string().optional(),
  request_id: z.string().optional(),
  conversation_id: z.string().optional(),
  principal: PrincipalText.optional().describe(
    'credential: operator, anonymous, token:NAME or the name of a token',
  ),
  client: z.string().optional().describe('client program, with or without its version'),
  approval_id: z.string().optional().describe('records about this approval, and the call that it permitted'),
  decided_by: z.string().optional().describe('who decided on the approval'),
  start_time: time
    .optional()
    .describe('an age (2h, 7d, 1w), today, yesterday, last week, or ISO 8601; UTC where no zone is given'),
  end_time: time.optional().describe('in the same formats; a day or week is included'),
  q: z
    .string()
    .max(200)
    .optional()
    .describe('words to find in tool, arguments, reason, error, principal, client, approval and decider'),
  filter: filterTextSchema(CLAUSE_VALUES)
    .optional()
    .describe(
      'conditions with several values and exclusions, as in `agent:cursor op:write,destructive -status:success since:7d`; fields: agent, client, server, tool, op, status, code, type, session, request, conversation, approval, decider, secret, received_secret',
    ),
});
export type ActivityFilter = z.infer<typeof ActivityFilter>;

/** A filter as the log gets it, after its text was read. */
export type RecordFilter = WithClauses<ActivityFilter>;

/** Why a text is no filter; undefined where it is one. */
export const activityFilterProblem = (text: string): string | undefined => filterProblem(text, CLAUSE_VALUES);

export {
  ANY_KIND,
  CLAUSE_FIELDS,
  FilterTextError,
  fieldNamed,
  filterText,
  parseFilterText,
  type Clause,
  type ClauseField,
  type ParsedFilter,
} from './filter/filter-text.ts';
export { recordFilter, SECRET_WORD } from './filter/record-filter.ts';

/** The filter matches "claude-code/2.1.0" with and without its version. */
export const clientProgram = (client: string): string => client.replace(/\/[^/]*$/, '');

export const isClient = (client: string | null | undefined, wanted: string): boolean =>
  typeof client === 'string' && (client === wanted || clientProgram(client) === wanted);

export const ActivityPage = z.object({
  records: z.array(ActivityRecord),
  next_cursor: z.string().nullable(),
  total: z
    .number()
    .describe(
      'number of matching records; with q, principal, client, approval_id or decided_by counted up to 10,000',
    ),
});
export type ActivityPage = z.infer<typeof ActivityPage>;

export const SummaryPeriod = z.enum(['1h', '24h', '7d', '30d', 'all']);
export type SummaryPeriod = z.infer<typeof SummaryPeriod>;

/** A period up to now, or a time range. */
export const SummaryQuery = z.object({
  period: SummaryPeriod.optional().describe('default: 24h, unless a time is given'),
  start_time: time.optional(),
  end_time: time.optional().describe('default: now'),
  type: ActivityType.optional().describe('only records of this type'),
  names: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe('maximum number of servers and of tools; the others are summed up. Default: 100'),
});
export type SummaryQuery = z.infer<typeof SummaryQuery>;

const Counts = z.record(z.string(), z.number());
export const ActivitySummary = z.object({
  period: SummaryPeriod.nullable().describe('null: the times were given'),
  start_time: z.string().nullable(),
  end_time: z.string(),
  total: z.number(),
  by_operation: Counts,
  by_status: Counts,
  by_server: Counts,
  by_tool: Counts,
  decisions: z
    .number()
    .describe('decisions of people on approval requests; included in the total, not in the other counts'),
});
export type ActivitySummary = z.infer<typeof ActivitySummary>;

/** Both ends and all points are rounded up to whole steps. A step is a whole number of minutes, or of hours if it exceeds one hour. */
export const SeriesQuery = z.object({
  start_time: time.optional().describe('default: an hour before the end'),
  end_time: time.optional().describe('default: now'),
  buckets: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(60)
    .describe('maximum number of points; a point covers at least one minute'),
});
export type SeriesQuery = z.infer<typeof SeriesQuery>;

export const SeriesPoint = z.object({
  time: z.string().describe('ISO 8601, start of the step'),
  read: z.number(),
  write: z.number(),
  destructive: z.number(),
  other: z.number().describe('records without an operation'),
  decisions: z.number().describe('decisions of people on approval requests; these are not calls'),
  refused: z.number().describe('of these: status refused, denied or expired'),
  errors: z.number().describe('of these: status error or unknown'),
  total: z.number(),
});
export type SeriesPoint = z.infer<typeof SeriesPoint>;

export const ActivitySeries = z.object({
  start_time: z.string(),
  end_time: z.string().describe('exclusive'),
  step_ms: z.number(),
  points: z.array(SeriesPoint).describe('oldest first, without gaps, including empty points'),
});
export type ActivitySeries = z.infer<typeof ActivitySeries>;

const FacetValue = z.object({ value: z.string(), count: z.number() });
export type FacetValue = z.infer<typeof FacetValue>;

/** The fields of which a breakdown counts the values. */
export const BREAKDOWN_FIELDS = [
  'agent',
  'client',
  'server',
  'tool',
  'op',
  'status',
  'code',
  'type',
  'session',
  'secret',
  'received_secret',
] as const;
export type BreakdownField = (typeof BREAKDOWN_FIELDS)[number];

/** Calls that did not succeed for the same reason. */
export const FailureGroup = z.object({
  status: ActivityStatus,
  code: z.string().optional(),
  server: z.string().optional(),
  tool: z.string().optional(),
  agent: z.string().optional(),
  count: z.number(),
  first: z.string().describe('ISO 8601'),
  last: z.string().describe('ISO 8601'),
  record: z.string().describe('id of the newest record'),
  points: z.array(z.number()).describe('records of the group per point of the series'),
});
export type FailureGroup = z.infer<typeof FailureGroup>;

/** Tool calls by one agent to one tool with one operation. */
export const CallFlow = z.object({
  agent: z.string(),
  server: z.string(),
  tool: z.string().describe('name without the server'),
  op: OperationType.optional(),
  calls: z.number(),
  stopped: z.number().describe('of these: refused, denied or expired, so that they did not reach the server'),
});
export type CallFlow = z.infer<typeof CallFlow>;

export const BreakdownQuery = ActivityFilter.extend({
  buckets: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(60)
    .describe('maximum number of points of the series'),
  flows: z.enum(['true', 'false']).optional().describe('true: also from which agent to which tool'),
});
export type BreakdownQuery = z.infer<typeof BreakdownQuery>;

/** What the matching records are: values with counts, points over time, and groups of failures. */
export const ActivityBreakdown = z.object({
  counted: z.number().describe('records that were counted, the newest ones: up to 10,000'),
  complete: z.boolean().describe('false: more records match than were counted'),
  fields: z
    .record(z.enum(BREAKDOWN_FIELDS), z.array(FacetValue))
    .describe('the most frequent values of each field, up to 50; a call with two operations counts for both'),
  series: ActivitySeries,
  failures: z
    .array(FailureGroup)
    .describe('refused, denied and failed calls by reason, the largest groups first; up to 50'),
  flows: z
    .array(CallFlow)
    .optional()
    .describe('with flows=true: tool calls by agent, tool and operation, the most frequent first; up to 500'),
});
export type ActivityBreakdown = z.infer<typeof ActivityBreakdown>;

/** An entry of a hash chain about a record. */
export const ChainEntry = z.object({
  log: z.string().describe('id of the log'),
  n: z.number().describe('number of the entry in the chain, from 1'),
  kind: z.string().describe('opened, closed, redacted and others'),
  time: z.string(),
});
export type ChainEntry = z.infer<typeof ChainEntry>;

/** The log ends before what was acknowledged or signed, so entries are missing. */
export const ActivityRollback = z.object({
  reason: z.string(),
  missing: z.number().describe('number of entries that are known to be missing'),
  logs: z.array(
    z.object({
      log: z.string().describe('id of the log'),
      entries: z.number().describe('number of the last entry in the database'),
      expected: z
        .number()
        .describe('number of entries that were acknowledged, or that the last checkpoint names'),
      missing: z.number(),
      head: z.string().optional().describe('hash of the last entry in the database'),
      restored: z
        .number()
        .optional()
        .describe('records that the proxy still had in memory and has appended again'),
    }),
  ),
});
export type ActivityRollback = z.infer<typeof ActivityRollback>;

export const AcceptedRestore = ActivityRollback.extend({
  kept_as: z.string().describe('file of the data directory with the older checkpoints'),
});
export type AcceptedRestore = z.infer<typeof AcceptedRestore>;

const Range = z.object({ from: z.number(), to: z.number() });

/** What checkpoints from outside say about the entries. */
export const WitnessComparison = z.object({
  checkpoints: z.number().describe('signed checkpoints that were compared'),
  ignored: z.number().describe('checkpoints that no key of this log has signed'),
  logs: z.array(
    z.object({
      log: z.string(),
      confirmed_to: z.number().describe('entries up to this one are those that the witness has seen'),
      differs: Range.optional().describe('the first entry that differs is one of these'),
      missing: Range.optional().describe('entries that the witness has seen and the database lacks'),
    }),
  ),
  unwitnessed: z.array(z.string()).describe('logs of which the witness has no checkpoint'),
});
export type WitnessComparison = z.infer<typeof WitnessComparison>;

/** What retention has removed from the beginning of a log. */
export const RemovedRecords = z.object({
  log: z.string(),
  records: z.number(),
  from: z.string().describe('time of the first entry that was removed'),
  until: z.string().describe('time of the last one; newer records and kept changes are still there'),
});
export type RemovedRecords = z.infer<typeof RemovedRecords>;

/** A restore that the operator has accepted, read from its record in the chain. */
export const AcceptedGap = z.object({
  record: z.string(),
  at: z.string().describe('the missing entries were written before this time'),
  by: z.string().describe('credential that accepted it'),
  missing: z.number().describe('entries that were missing; 0: nobody could tell how many'),
});
export type AcceptedGap = z.infer<typeof AcceptedGap>;

export const gapText = ({ missing }: Pick<AcceptedGap, 'missing'>): string =>
  missing === 0
    ? 'entries whose number is unknown, and that may have been missing'
    : `${missing} ${missing === 1 ? 'entry that was' : 'entries that were'} missing`;

export const ActivityVerification = z.object({
  verdict: z.enum(['intact', 'broken', 'unknown']).describe('unknown: the check is not possible; see `why`'),
  intact: z.boolean(),
  entries: z.number().describe('number of chain entries checked'),
  entries_by_kind: z
    .record(z.string(), z.number())
    .optional()
    .describe(
      'the same by kind: opened, closed, recovered (found open after a crash), late, adopted, restored (appended again after the database had lost it) and redacted are about a record, checkpoint, dropped (by retention) and lost (by the database) are not',
    ),
  records: z.number().describe('records whose present state an entry confirms'),
  head: z.string().nullable().describe('hash of the last entry'),
  checkpoint: z
    .object({ log: z.string(), n: z.number(), head: z.string(), time: z.string() })
    .nullable()
    .describe('last signed state'),
  unsigned_entries: z
    .number()
    .describe('entries after the last checkpoint of their log, linked but not yet signed'),
  logs: z
    .array(
      z.object({
        log: z.string(),
        entries: z.number(),
        records: z.number(),
        head: z.string(),
        unsigned_entries: z.number(),
      }),
    )
    .describe('every chain that was checked; each writer has its own'),
  removed: z.array(RemovedRecords).describe('signed statements of what retention has removed'),
  restored: z
    .array(AcceptedGap)
    .describe('restores that were accepted: the log is intact except for the entries that were missing then'),
  counts: z
    .enum(['agree', 'differ'])
    .optional()
    .describe(
      'whether the stored counts, which summaries, totals and charts show, are those of the records; absent if they were not compared',
    ),
  problem: z
    .object({
      log: z.string(),
      entry: z.number().describe('first invalid entry'),
      record: z.string().nullable(),
      reason: z.enum([
        'hash',
        'gap',
        'order',
        'truncated',
        'bad signature',
        'row differs',
        'row missing',
        'row without entry',
        'derived value differs',
        'schema differs',
      ]),
      message: z.string(),
    })
    .optional(),
  why: z.string().optional(),
  witness: WitnessComparison.optional().describe('present if a witness was given'),
  proves: z.string(),
  does_not_prove: z.string(),
});
export type ActivityVerification = z.infer<typeof ActivityVerification>;

/** Kinds of entries as people read them. The numbers add up to all entries. */
const KINDS: Record<string, string> = {
  opened: 'open a record before its call runs',
  closed: 'close a record',
  recovered: 'close one after a crash',
  late: 'close one late',
  adopted: 'take one over from an earlier version',
  redacted: 'redact one',
  checkpoint: 'sign the log',
  dropped: 'tell of removals by retention',
};

export function entriesText({
  entries,
  entries_by_kind: kinds = {},
}: Pick<ActivityVerification, 'entries' | 'entries_by_kind'>): string {
  const parts = Object.entries(kinds).map(([kind, n]) => `${n} ${KINDS[kind] ?? kind}`);
  return parts.length === 0 ? String(entries) : `${entries}: ${parts.join(', ')}`;
}
