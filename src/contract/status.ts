import { z } from 'zod';
import { LimitsConfig } from './config.ts';

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
