import { z } from 'zod';
import { ActivityRollback } from './activity.ts';
import { LimitsConfig } from './config.ts';
import { WitnessState } from './witness.ts';

export const ServerState = z.enum(['connecting', 'ready', 'degraded', 'failed', 'disabled']);
export type ServerState = z.infer<typeof ServerState>;

export const BreakerState = z.enum(['closed', 'open', 'half_open']);

export const WaitingFor = z.enum(['first_answer', 'tool_list']);
export type WaitingFor = z.infer<typeof WaitingFor>;

export const ServerView = z.object({
  name: z.string().describe('alias, used in server:tool'),
  title: z.string().describe('name as written in the configuration'),
  description: z.string().optional(),
  transport: z.enum(['stdio', 'http', 'sse', 'builtin']),
  target: z.string().describe('command line or URL, with secrets masked'),
  state: ServerState,
  enabled: z.boolean(),
  tool_count: z.number(),
  protocol: z.string().optional().describe('negotiated MCP revision'),
  server_info: z.object({ name: z.string(), version: z.string() }).optional(),
  pid: z.number().optional(),
  last_error: z.string().optional(),
  warnings: z
    .array(z.string())
    .optional()
    .describe('parts of its configuration that have no effect or a special meaning'),
  since: z.string().describe('when this state began'),
  waiting_for: WaitingFor.optional().describe(
    'while connecting, also after a failure: the answer that is still missing',
  ),
  waiting_since: z.string().optional().describe('when the wait for that answer began'),
  restarts: z.number(),
  in_flight: z.number(),
  queued: z.number().describe('calls that wait for a slot'),
  breaker: BreakerState.describe(
    'circuit breaker. open: several calls in a row failed, and calls are rejected immediately; half_open: one trial call is allowed',
  ),
  retries: z.number().describe('reads that were retried because they could not be sent, since the start'),
});
export type ServerView = z.infer<typeof ServerView>;

const WAITING: Record<WaitingFor, string> = {
  first_answer: 'no answer yet',
  tool_list: 'no list of tools yet',
};

/** The missing answer of a server that is being connected, in words. */
export function waitingText(
  { waiting_for: what, waiting_since: since }: Pick<ServerView, 'waiting_for' | 'waiting_since'>,
  now: number,
): string | undefined {
  if (what === undefined || since === undefined) return undefined;
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  return `${WAITING[what]} after ${seconds} s`;
}

/** The data of `mcpproxy status` and of the overview page. */
export const Status = z.object({
  version: z.string(),
  uptime_s: z.number(),
  pid: z.number(),
  listen: z.string().nullable(),
  config_file: z.string(),
  data_dir: z.string(),
  database: z.string().describe('SQLite file or PostgreSQL server of the records, without its password'),
  config_error: z.string().nullable().describe('why the file on disk is not in use; null: it is'),
  protocol_revisions: z.array(z.string()),
  servers: z.record(z.string(), z.number()).describe('number of servers by state, and "total"'),
  tools: z.object({
    total: z.number(),
    annotated: z.number(),
    unannotated_destructive: z.number().describe('tools without hints that look destructive'),
    decided: z.number().describe('tools whose operation the operator has set'),
    new: z.number().describe('tools that were never accepted'),
    changed: z.number().describe('tools that differ from the accepted definition'),
    withheld: z.number().describe('of these: hidden from agents until approved'),
    rejected: z.number().describe('tools that the operator rejected; not counted above'),
    suspicious: z.number().describe('tools with text that looks like an instruction to the model'),
    coverage: z.string().describe('the same in one sentence'),
  }),
  tokens: z.object({
    active: z.number(),
    expired: z.number().describe('expired and not revoked'),
    operator_mcp_call_at: z
      .string()
      .nullable()
      .describe('when a tool was last called over MCP with the operator key instead of a token'),
  }),
  changed_rows: z
    .number()
    .optional()
    .describe(
      'tokens, approvals, grants and tools that were changed in the database outside of mcpproxy and do not count, found since the start',
    ),
  require_mcp_auth: z.boolean(),
  approvals_required: z.boolean().describe('true: the policy requires approvals for some calls'),
  quarantine: z.string(),
  activity: z.object({
    records: z.number(),
    last_24h: z.number(),
    refused_24h: z.number(),
    log: z.enum(['ok', 'unavailable']).describe('unavailable: records cannot be written'),
    since: z.string().optional(),
    reason: z.string().optional(),
    waiting: z.number().describe('outcomes that will be written when the log is available again'),
    lost: z.number().describe('outcomes that were dropped because too many waited'),
    rollback: ActivityRollback.optional().describe(
      'present if entries were missing at the start, until the operator accepts the restore',
    ),
    witnesses: z
      .array(WitnessState)
      .optional()
      .describe('places to which checkpoints are sent (activity.witness)'),
  }),
  approvals: z.object({
    rules: z.number().describe('number of rules in approvals.require; 0: no approvals are required'),
    pending: z.number().describe('number of pending approval requests'),
    idle_rules: z.array(z.string()).describe('rules that cannot match because their server does not exist'),
    in_client: z.boolean(),
  }),
  calls: z.object({
    running: z.number(),
    waiting: z.number().describe('calls that wait for a slot, without those that wait for an approval'),
    shed: z.number().describe('calls rejected because of overload, since the start'),
    limits: LimitsConfig,
  }),
  stalls: z
    .object({
      count: z.number().describe('how often the event loop was blocked for a second or more'),
      last: z.object({ at: z.string(), ms: z.number() }).optional().describe('present while it is recent'),
    })
    .describe('blocks of the event loop: every caller waits meanwhile'),
  traces: z
    .object({
      exporting: z.boolean().describe('true: spans are sent to a collector'),
      to: z.string().optional().describe('address of the collector, without a password'),
      problem: z.string().optional().describe('why spans are not collected or not delivered'),
      exported: z.number(),
      dropped: z.number().describe('spans dropped because too many waited for the collector'),
      failed: z.number().describe('spans that the collector did not accept'),
    })
    .describe('OpenTelemetry, configured by its standard variables'),
  intent_declaration: z.object({
    strict_server_validation: z.boolean(),
    operation_type: z.string(),
    unannotated: z.string(),
  }),
});
export type Status = z.infer<typeof Status>;
