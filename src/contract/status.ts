import { z } from 'zod';
import { LimitsConfig } from './config.ts';

export const ServerState = z.enum(['connecting', 'ready', 'degraded', 'failed', 'disabled']);
export type ServerState = z.infer<typeof ServerState>;

export const BreakerState = z.enum(['closed', 'open', 'half_open']);

export const WaitingFor = z.enum(['first_answer', 'tool_list']);
export type WaitingFor = z.infer<typeof WaitingFor>;

export const ServerView = z.object({
  name: z.string().describe('the alias, which stands in server:tool'),
  title: z.string().describe('the name as written in the configuration'),
  description: z.string().optional(),
  transport: z.enum(['stdio', 'http', 'sse', 'builtin']),
  target: z.string().describe('command line or URL, secrets masked'),
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
    .describe('what in its entry of the configuration has no effect, or is read in a way worth knowing'),
  since: z.string().describe('when this state began'),
  waiting_for: WaitingFor.optional().describe(
    'while it is being connected, also after a failure: the answer that is waited for',
  ),
  waiting_since: z.string().optional().describe('since when that answer is waited for'),
  restarts: z.number(),
  in_flight: z.number(),
  queued: z.number().describe('calls that wait for their turn'),
  breaker: BreakerState.describe(
    'open: it failed several times in a row, and calls are refused at once; half_open: one call may try',
  ),
  retries: z
    .number()
    .describe('reads that were tried a second time because they could not be sent, since the start'),
});
export type ServerView = z.infer<typeof ServerView>;

const WAITING: Record<WaitingFor, string> = {
  first_answer: 'no answer yet',
  tool_list: 'no list of tools yet',
};

/** What a server that is being connected has not said yet, in words. */
export function waitingText(
  { waiting_for: what, waiting_since: since }: Pick<ServerView, 'waiting_for' | 'waiting_since'>,
  now: number,
): string | undefined {
  if (what === undefined || since === undefined) return undefined;
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  return `${WAITING[what]} after ${seconds} s`;
}

/** What `mcpproxy status` and the overview page show. */
export const Status = z.object({
  version: z.string(),
  uptime_s: z.number(),
  pid: z.number(),
  listen: z.string().nullable(),
  config_file: z.string(),
  data_dir: z.string(),
  database: z
    .string()
    .describe('where records are kept: an SQLite file, or a PostgreSQL server, named without its password'),
  config_error: z.string().nullable().describe('why the file on disk is not the configuration that serves'),
  protocol_revisions: z.array(z.string()),
  servers: z.record(z.string(), z.number()).describe('count by state, and "total"'),
  tools: z.object({
    total: z.number(),
    annotated: z.number(),
    unannotated_destructive: z.number().describe('tools without hints that look destructive'),
    decided: z.number().describe('tools whose operation the operator has set'),
    new: z.number().describe('tools that nobody has accepted yet'),
    changed: z.number().describe('tools that differ from what was accepted'),
    withheld: z.number().describe('of these: neither found nor callable until approved'),
    rejected: z.number().describe('tools that the operator has rejected as they are; not counted above'),
    suspicious: z.number().describe('tools with text that looks meant for the model'),
    coverage: z.string().describe('the same in a sentence'),
  }),
  tokens: z.object({
    active: z.number(),
    expired: z.number().describe('no longer good, and not revoked yet'),
    operator_mcp_call_at: z
      .string()
      .nullable()
      .describe('when a tool was last called over MCP with the key of the operator instead of a token'),
  }),
  require_mcp_auth: z.boolean(),
  approvals_required: z.boolean().describe('some calls wait for a person'),
  quarantine: z.string(),
  activity: z.object({
    records: z.number(),
    last_24h: z.number(),
    refused_24h: z.number(),
    log: z.enum(['ok', 'unavailable']).describe('unavailable: records cannot be written now'),
    since: z.string().optional(),
    reason: z.string().optional(),
    waiting: z.number().describe('ends of records that are written once the log can be written again'),
    lost: z.number().describe('those given up because too many waited'),
  }),
  approvals: z.object({
    rules: z.number().describe('of approvals.require; 0: nobody is asked'),
    pending: z.number().describe('calls that wait for a person now'),
    idle_rules: z
      .array(z.string())
      .describe('rules that cannot match, as they name a server that is not there'),
    in_client: z.boolean(),
  }),
  calls: z.object({
    running: z.number(),
    waiting: z.number().describe('for room; not those that wait for a person'),
    shed: z.number().describe('refused because there were too many, since the start'),
    limits: LimitsConfig,
  }),
  stalls: z
    .object({
      count: z.number().describe('how often the process stood still for a second or more'),
      last: z.object({ at: z.string(), ms: z.number() }).optional().describe('while it is recent'),
    })
    .describe('of the whole process: while it stands still, every caller waits'),
  traces: z
    .object({
      exporting: z.boolean().describe('spans are collected and sent to a collector'),
      to: z.string().optional().describe('where to, without a password'),
      problem: z.string().optional().describe('why they do not arrive there now, or are not collected'),
      exported: z.number(),
      dropped: z.number().describe('spans left out because too many waited for the collector'),
      failed: z.number().describe('spans that the collector did not take'),
    })
    .describe('OpenTelemetry, by its standard variables'),
  intent_declaration: z.object({
    strict_server_validation: z.boolean(),
    operation_type: z.string(),
    unannotated: z.string(),
  }),
});
export type Status = z.infer<typeof Status>;
