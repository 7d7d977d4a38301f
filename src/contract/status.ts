import { z } from 'zod';
import { ActivityRollback } from './activity.ts';
import { LimitsConfig } from './config.ts';
import { LoginView } from './oauth.ts';
import { ToolMode } from './tool.ts';
import { WitnessState } from './witness.ts';

export const ServerState = z.enum(['connecting', 'ready', 'degraded', 'failed', 'needs_login', 'disabled']);
export type ServerState = z.infer<typeof ServerState>;

export const BreakerState = z.enum(['closed', 'open', 'half_open']);

export const WaitingFor = z.enum(['first_answer', 'connection', 'tool_list']);
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
    'while connecting, also after a failure: the first answer of a program, the connection to a URL, or the list of tools',
  ),
  waiting_since: z.string().optional().describe('when the wait for that answer began'),
  progress: z.string().optional().describe('the same in words, as in "starting, 12 s"'),
  next_step: z.string().optional().describe('what to do about a server that is not ready'),
  login: LoginView.optional().describe('log-in to the server (OAuth), where it asks for one'),
  restarts: z.number(),
  in_flight: z.number(),
  queued: z.number().describe('calls that wait for a slot'),
  breaker: BreakerState.describe(
    'circuit breaker. open: several calls in a row failed, and calls are rejected immediately; half_open: one trial call is allowed',
  ),
  retries: z.number().describe('reads that were retried because they could not be sent, since the start'),
});
export type ServerView = z.infer<typeof ServerView>;

/** What a server offers when it is tried, or why it cannot be reached. */
export const ServerTest = z.object({
  ok: z.boolean(),
  transport: z.enum(['stdio', 'http', 'sse']),
  target: z.string().describe('command line or URL, with secrets masked'),
  duration_ms: z.number(),
  protocol: z.string().optional().describe('negotiated MCP revision'),
  server_info: z.object({ name: z.string(), version: z.string() }).optional(),
  offers: z.array(z.string()).optional().describe('what the server declares: tools, prompts, resources, …'),
  tools: z
    .array(
      z.object({
        name: z.string(),
        description: z.string().optional(),
        hint: z.enum(['read', 'write', 'destructive']).optional().describe('what its annotations say'),
      }),
    )
    .optional(),
  complaints: z.array(z.string()).optional().describe('tools that cannot be used, and why'),
  error: z.string().optional(),
  next_step: z.string().optional(),
});
export type ServerTest = z.infer<typeof ServerTest>;

const WAITING: Record<WaitingFor, string> = {
  first_answer: 'starting',
  connection: 'connecting',
  tool_list: 'listing its tools',
};

/** What a server that is not connected yet is doing, and for how long: "starting, 12 s". */
export function waitingText(
  { waiting_for: what, waiting_since: since }: Pick<ServerView, 'waiting_for' | 'waiting_since'>,
  now: number,
): string | undefined {
  if (what === undefined || since === undefined) return undefined;
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  return `${WAITING[what]}, ${seconds} s`;
}

/** The state in words: "starting, 12 s" instead of "connecting"; "failed; starting, 3 s" during a new attempt. */
export function stateText(
  server: Pick<ServerView, 'state' | 'waiting_for' | 'waiting_since'>,
  now: number,
): string {
  const progress = waitingText(server, now);
  if (progress === undefined) return server.state;
  return server.state === 'connecting' ? progress : `${server.state}; ${progress}`;
}

/** One changed setting of the configuration, without the values of secrets. */
export const ConfigChange = z.object({
  path: z.string().describe('JSON pointer'),
  change: z.enum(['added', 'removed', 'changed']),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  effect: z.enum(['weakening', 'tightening', 'neutral']),
});
export type ConfigChange = z.infer<typeof ConfigChange>;

export const ConfigState = z.object({
  digest: z
    .string()
    .describe('SHA-256 of the configuration in force, with keyed digests in place of secrets'),
  waiting: z
    .object({
      since: z.string(),
      digest: z.string().describe('of the configuration in the file'),
      changes: z.array(ConfigChange),
    })
    .nullable()
    .describe('an edit of the file that has no effect until the operator confirms it'),
  weakened: z
    .array(ConfigChange.extend({ at: z.string(), source: z.enum(['file', 'start']) }))
    .describe('settings that edits of the file have weakened since the last confirmation'),
  more: z.number().describe('further weakened settings, which are not listed'),
});
export type ConfigState = z.infer<typeof ConfigState>;

/** One revision of the settings that all proxies on a database share. */
export const ConfigRevision = z.object({
  revision: z.number(),
  at: z.string(),
  by: z.string().describe('principal of the operator; "config file" for the first one'),
  source: z.string().describe('file, rest, cli or web'),
  action: z.string().describe('import, edit, apply or rollback'),
  digest: z.string().describe('keyed digest of its text'),
  changes: z.array(ConfigChange).describe('the difference to the one before, without secrets; at most 200'),
  changed_outside: z
    .boolean()
    .optional()
    .describe('true: the row was changed in the database and does not count'),
});
export type ConfigRevision = z.infer<typeof ConfigRevision>;

export const SharedConfigState = z.object({
  source: z.enum(['database', 'file']).describe('where the settings are kept that all proxies share'),
  revision: z.number().optional().describe('the revision in force here; 0: the copy in the data directory'),
  at: z.string().optional().describe('when it was made'),
  by: z.string().optional().describe('who made it'),
  problem: z
    .string()
    .optional()
    .describe('why this proxy may not have the newest revision; changes are refused meanwhile'),
  ineffective: z
    .array(z.string())
    .describe('settings of the file that have no effect, because the revision in force has other values'),
  replicas: z
    .array(
      z.object({
        proxy: z.string(),
        listen: z.string().nullable(),
        source: z.string(),
        revision: z.number().nullable(),
        differs: z.array(z.string()).describe('settings that are not the same as here'),
      }),
    )
    .describe('the other proxies that run on the database'),
});
export type SharedConfigState = z.infer<typeof SharedConfigState>;

/** The data of `mcpproxy status` and of the overview page. */
export const Status = z.object({
  version: z.string(),
  uptime_s: z.number(),
  pid: z.number(),
  listen: z.string().nullable(),
  workers: z
    .array(
      z.object({
        worker: z.number(),
        pid: z.number().describe('0 while it is not running'),
        state: z.enum(['starting', 'running', 'replacing']),
        since: z.string().describe('when this state began'),
        restarts: z.number().describe('how often it was replaced'),
      }),
    )
    .optional()
    .describe('the processes behind the port, where there are several; `pid` is the one that started them'),
  config_file: z.string(),
  data_dir: z.string(),
  database: z.string().describe('SQLite file or PostgreSQL server of the records, without its password'),
  config_error: z.string().nullable().describe('why the file on disk is not in use; null: it is'),
  config_state: ConfigState.optional(),
  shared_config: SharedConfigState.optional().describe('present with PostgreSQL'),
  needs_restart: z
    .array(z.string())
    .optional()
    .describe('settings that the file has changed since the start; they take effect at the next start'),
  protocol_revisions: z.array(z.string()),
  servers: z.record(z.string(), z.number()).describe('number of servers by state, and "total"'),
  starting: z
    .array(z.object({ name: z.string(), progress: z.string() }))
    .optional()
    .describe('servers that are being started or connected, as in "starting, 12 s"'),
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
  menu: z
    .object({
      mode: ToolMode.describe('the setting; tokens and /mcp/direct can differ'),
      tools: z.number().describe('tools in the whole menu of direct mode'),
      tokens: z.number().describe('its size, estimated as bytes / 4'),
      max_tokens: z.number().describe('the setting direct.max_menu_tokens'),
      listed: z
        .object({ tools: z.number(), tokens: z.number() })
        .optional()
        .describe('the largest menu that a client has listed since the start'),
    })
    .optional(),
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
      'present if the database has lost entries, until the operator accepts that',
    ),
    witnesses: z
      .array(WitnessState)
      .optional()
      .describe('places to which checkpoints are sent (activity.witness)'),
    over_limit: z
      .object({ records: z.number(), mb: z.number() })
      .optional()
      .describe('over max_records or max_size_mb by so much, because changes are kept for keep_changes_days'),
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
