import { z } from 'zod';
import { ApprovalsConfig } from './approval-policy.ts';
import { Duration } from './duration.ts';
import { OperationType } from './operation.ts';

export { Duration, durationMs, durationWithin } from './duration.ts';

/** The alias of a server: it becomes part of tool names, so it stays plain. */
export const ServerName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
    'must be 1–64 letters, digits, "_", "." or "-", starting with a letter or digit',
  );

/** The name of a server as people write it. Where it is no plain name, the proxy derives an alias from it. */
export const ServerTitle = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{C}]*$/u, 'must not contain control or invisible characters')
  .refine((name) => name !== '__proto__', 'must not be "__proto__"');

const ToolOverride = z.strictObject({
  operation: OperationType.optional().describe("the operator's verdict on this tool; beats every hint"),
  enabled: z.boolean().optional().describe('false: the tool is neither found nor callable'),
});

export const ServerConfig = z
  .strictObject({
    command: z.string().min(1).optional().describe('program to start (stdio)'),
    args: z.array(z.string()).optional(),
    env: z
      .record(z.string(), z.string())
      .optional()
      .describe('added to the allow-listed environment of the child'),
    env_file: z
      .string()
      .min(1)
      .optional()
      .describe('file with NAME=VALUE lines, read when the program starts; "env" beats it'),
    cwd: z.string().optional(),
    url: z.string().optional().describe('endpoint of a remote server'),
    headers: z.record(z.string(), z.string()).optional(),
    type: z.enum(['stdio', 'http', 'streamable-http', 'sse']).optional(),
    enabled: z.boolean().optional().describe('default true'),
    timeout: Duration.optional().describe('per call; default: call_timeout'),
    connect_timeout: Duration.optional().describe(
      'how long a connection to a url may take; default 10s. For a command: how long the program may take from its start to its first answer; default 60s',
    ),
    idle_timeout: Duration.optional().describe(
      'how long an answer from a url that has begun may stand still; default 30s',
    ),
    concurrency: z.number().int().min(1).max(1000).optional().describe('calls in flight at once; default 32'),
    tools: z.record(z.string(), ToolOverride).optional(),
    description: z.string().optional().describe('what it is for; shown to people'),
  })
  .superRefine((server, ctx) => {
    const problem = reachProblem(server);
    if (problem) ctx.addIssue({ code: 'custom', ...problem });
  });
export type ServerConfig = z.infer<typeof ServerConfig>;

/** Why a server cannot be reached with these settings, if it cannot. */
export function reachProblem({
  command,
  url,
}: Pick<ServerConfig, 'command' | 'url'>): { path: string[]; message: string } | undefined {
  if (!command && !url) return { path: [], message: 'needs either "command" or "url"' };
  if (command && url) return { path: [], message: 'has both "command" and "url"; keep one' };
  if (url && !/^https?:\/\//.test(url) && !url.startsWith('${'))
    return { path: ['url'], message: 'must start with http:// or https://' };
  return undefined;
}

/** A server as the configuration file has it, by its alias. */
export interface ConfiguredServer extends ServerConfig {
  /** The name as written, where the alias is another. */
  title?: string;
  /** Why it cannot be used; it is listed as failed and never started. */
  problem?: string;
  /** What in its entry has no effect here, or is read in a way worth knowing. */
  warnings?: string[];
}

/** Two shapes: an object by name, or an array with names. `config/parse.ts` reads the entries, so that one bad entry stops no other. */
const McpServers = z
  .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
  .transform((servers) => servers as Record<string, ConfiguredServer>);

export const IntentMode = z.enum(['required', 'inferred']);
export const UnannotatedMode = z.enum(['trust', 'infer', 'strict']);
export type UnannotatedMode = z.infer<typeof UnannotatedMode>;

export const IntentConfig = z.strictObject({
  strict_server_validation: z
    .boolean()
    .default(true)
    .describe('false: a mismatch with the server’s hints only warns'),
  operation_type: IntentMode.default('required').describe(
    'required: the call must declare its operation; inferred: it may',
  ),
  unannotated: UnannotatedMode.default('trust').describe(
    'how tools without hints are held: trust, infer or strict',
  ),
});
export type IntentConfig = z.infer<typeof IntentConfig>;

export const LimitsConfig = z.strictObject({
  calls: z.number().int().min(1).max(100_000).default(500).describe('calls that run at once, of all clients'),
  calls_per_client: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(1_000)
    .describe('calls of one client at once, running and waiting'),
  queue: z
    .number()
    .int()
    .min(0)
    .max(100_000)
    .default(1_000)
    .describe('calls that wait for their turn, at most ten seconds; more are refused with OVERLOADED'),
  connections: z
    .number()
    .int()
    .min(16)
    .max(16_384)
    .default(1_024)
    .describe('connections that are served at once; requests on further ones are answered with OVERLOADED'),
});
export type LimitsConfig = z.infer<typeof LimitsConfig>;

export const ScannerMode = z.enum(['off', 'warn', 'quarantine']);
export type ScannerMode = z.infer<typeof ScannerMode>;

export const FlowMode = z.enum(['off', 'warn', 'ask']);
export type FlowMode = z.infer<typeof FlowMode>;

export const Quarantine = z.enum(['warn', 'changed', 'new']);
export type Quarantine = z.infer<typeof Quarantine>;

export const Config = z.strictObject({
  $schema: z.string().optional(),
  listen: z
    .string()
    .regex(/^(\[[0-9a-fA-F:]+\]|[^:\s]+):\d{1,5}$/, 'must be HOST:PORT, as in "127.0.0.1:8080"')
    .default('127.0.0.1:8080'),
  data_dir: z.string().optional().describe('default ~/.mcpproxy'),
  database_url: z
    .string()
    .regex(
      /^(sqlite:|postgres(ql)?:\/\/|\$\{(env|file):)/,
      'must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    )
    .optional()
    .describe(
      'default: an SQLite file in the data directory; postgres://… shares one database among several proxies',
    ),
  api_key: z
    .string()
    .min(16)
    .optional()
    .describe('default: generated on first start, kept in the data directory'),
  require_mcp_auth: z
    .boolean()
    .default(true)
    .describe('false: /mcp is open to every local program; loopback only'),
  allowed_hosts: z
    .array(z.string())
    .default([])
    .describe('further Host names that may be used to reach the proxy'),
  mcpServers: McpServers.default({}),
  intent_declaration: IntentConfig.prefault({}),
  approvals: ApprovalsConfig.prefault({}),
  tools: z
    .strictObject({
      limit: z
        .number()
        .int()
        .min(1)
        .max(50)
        .default(10)
        .describe('tools per search when the agent names no limit'),
      detail: z.enum(['full', 'compact']).default('full'),
    })
    .prefault({}),
  activity: z
    .strictObject({
      retention_days: z.number().int().min(1).default(90),
      max_records: z.number().int().min(100).default(10_000_000),
      max_size_mb: z.number().int().min(10).default(10_240),
      max_arguments_bytes: z
        .number()
        .int()
        .min(0)
        .default(65_536)
        .describe('what is kept of the arguments of each call'),
      max_response_bytes: z.number().int().min(0).default(65_536).describe('what is kept of each response'),
      when_unavailable: z
        .enum(['refuse', 'allow_reads'])
        .default('refuse')
        .describe('what happens to reads while the log cannot be written; changes are always refused'),
    })
    .prefault({}),
  call_timeout: Duration.default('60s'),
  limits: LimitsConfig.prefault({}),
  validate_arguments: z
    .boolean()
    .default(true)
    .describe('false: arguments go to the server without a look at the schema of the tool'),
  scanner: ScannerMode.default('warn').describe(
    'definitions whose text looks meant for the model: off, warn (marked, recorded, still callable), or quarantine (withheld until approved)',
  ),
  scan_results: z
    .enum(['off', 'warn'])
    .default('off')
    .describe(
      'results and errors of tools whose text looks meant for the model: off, or warn (recorded after the answer, which is passed on as it is)',
    ),
  flows: FlowMode.default('warn').describe(
    'a change whose arguments carry an id, key or token that another server returned: off, warn (noted in the record), or ask (a person decides)',
  ),
  quarantine: Quarantine.default('warn').describe(
    'tools whose definition changed: warn (marked, still callable), changed (withheld until approved), or new (new tools too)',
  ),
});
export type Config = z.infer<typeof Config>;
