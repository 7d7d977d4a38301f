import { z } from 'zod';
import { ApprovalsConfig } from './approval-policy.ts';
import { ClientFeatures, Sharing } from './entry/client-features.ts';
import { Duration, durationWithin } from './duration.ts';
import { variableProblem } from './entry/environment.ts';
import { OAuthConfig } from './oauth.ts';
import { OperationType } from './operation.ts';
import { ToolMode } from './tool.ts';
import { Witness } from './witness.ts';

export type { Witness, WitnessState } from './witness.ts';

export { DEFAULT_FEATURES, type ClientFeatures, type Sharing } from './entry/client-features.ts';
export { Duration, durationMs, durationWithin } from './duration.ts';
export { MARKER_NAME, variableProblem, words } from './entry/environment.ts';

/** The alias of a server. It becomes part of tool names, so its characters are restricted. */
export const ServerName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
    'must be 1–64 letters, digits, "_", "." or "-", starting with a letter or digit',
  );

/** The name of a server as people write it. If it is not a valid alias, the proxy derives an alias from it. */
export const ServerTitle = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .regex(/^[^\p{C}]*$/u, 'must not contain control or invisible characters')
  .refine((name) => name !== '__proto__', 'must not be "__proto__"');

const ToolOverride = z.strictObject({
  operation: OperationType.optional().meta({
    description: "the operator's verdict on this tool; overrides every hint",
    examples: ['destructive'],
  }),
  enabled: z
    .boolean()
    .optional()
    .meta({ description: 'false: agents can neither find nor call the tool', examples: [false] }),
});

export const ServerConfig = z
  .strictObject({
    command: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'program to start; it is reached over stdio', examples: ['npx'] }),
    args: z
      .array(z.string())
      .optional()
      .meta({
        description: 'arguments of `command`',
        examples: [['-y', '@modelcontextprotocol/server-memory']],
      }),
    env: z
      .record(z.string(), z.string())
      .optional()
      .meta({
        description: 'variables added to the allow-listed environment of the program',
        examples: [{ API_TOKEN: '${env:API_TOKEN}' }],
      }),
    env_file: z
      .string()
      .min(1)
      .optional()
      .meta({
        description: 'file with NAME=VALUE lines, read when the program starts; `env` overrides it',
        examples: ['/home/me/notes/.env'],
      }),
    cwd: z
      .string()
      .optional()
      .meta({
        description: 'working directory of the program; default: that of the proxy',
        examples: ['/home/me/notes'],
      }),
    url: z
      .string()
      .optional()
      .meta({ description: 'endpoint of a remote server', examples: ['https://example.com/mcp'] }),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .meta({
        description: 'HTTP headers sent with every request to `url`',
        examples: [{ Authorization: 'Bearer ${env:REMOTE_TOKEN}' }],
      }),
    oauth: z
      .union([z.literal(false), OAuthConfig])
      .optional()
      .meta({
        description:
          'log-in to `url` (docs/guides/oauth.md); default: discovered when the server asks for one. false: never',
        examples: [{ client_id: 'abc123', client_secret: '${env:CLIENT_SECRET}' }],
      }),
    type: z
      .enum(['stdio', 'http', 'streamable-http', 'sse'])
      .optional()
      .meta({
        description: 'transport; default: stdio for `command`, detected for `url`',
        examples: ['http'],
      }),
    enabled: z
      .boolean()
      .optional()
      .meta({ description: 'false: the server is not started; default true', examples: [false] }),
    timeout: Duration.optional().meta({
      description: 'time-out of one call; default: `call_timeout`',
      examples: ['30s'],
    }),
    startup_timeout: Duration.optional().meta({
      description:
        'time from the start of the server to its first answer, downloads included; default 2m for a `command`, 30s for a `url`',
      examples: ['5m'],
    }),
    connect_timeout: Duration.optional().meta({
      description: 'time-out of opening a connection to a `url`; default 10s',
      examples: ['3s'],
    }),
    idle_timeout: Duration.optional().meta({
      description: 'longest pause within an answer from a `url`; default 30s',
      examples: ['2m'],
    }),
    concurrency: z
      .number()
      .int()
      .min(1)
      .max(1000)
      .optional()
      .meta({ description: 'concurrent calls to this server; default 32', examples: [4] }),
    client_features: ClientFeatures.optional().meta({
      description:
        'what the server may ask of the client whose call it runs (docs/guides/server-requests.md); default: each setting as below',
      examples: [{ sampling: 'deny' }],
    }),
    sharing: Sharing.optional().meta({
      description:
        'shared: all clients use one connection; per_client: each has its own; auto (default): a client that can be asked gets its own where the server asks clients, or might, or sends them log messages',
      examples: ['per_client'],
    }),
    client_connections: z
      .number()
      .int()
      .min(1)
      .max(1000)
      .optional()
      .meta({
        description:
          'connections (processes, for a `command`) that clients have for themselves; default 16. One credential gets four fifths of them at most; further clients are refused',
        examples: [4],
      }),
    client_idle: Duration.optional().meta({
      description: 'an unused connection of a client is closed after this time; default 10m',
      examples: ['1m'],
    }),
    tools: z
      .record(z.string(), ToolOverride)
      .optional()
      .meta({
        description: 'settings per tool, by the name of the tool; "*" holds for every tool without its own',
        examples: [{ purge: { operation: 'destructive' } }],
      }),
    description: z
      .string()
      .optional()
      .meta({ description: 'what the server is for; shown to people', examples: ['Notes of the team'] }),
  })
  .superRefine((server, ctx) => {
    const problem = reachProblem(server);
    if (problem) ctx.addIssue({ code: 'custom', ...problem });
  });
export type ServerConfig = z.infer<typeof ServerConfig>;

/** The path has plain letters only, so that it is the same in every program that passes it on. */
function isPublicUrl(text: string): boolean {
  return (
    /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:\/[\w.~-]+)*\/?$/i.test(text) &&
    URL.canParse(text) &&
    !/\/\.{1,2}(?:\/|$)/.test(text)
  );
}

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

/** A server of the configuration file, by its alias. */
export interface ConfiguredServer extends ServerConfig {
  /** The name as written, if it differs from the alias. */
  title?: string;
  /** Why it cannot be used; it is listed as failed and never started. */
  problem?: string;
  /** Parts of its entry that have no effect or a special meaning. */
  warnings?: string[];
}

/** An object by name, or an array with names. `config/parse.ts` reads the entries one by one, so that a bad entry does not affect others. */
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
    .meta({
      description: 'false: a mismatch with the hints of the server is a warning instead of a refusal',
      examples: [false],
    }),
  operation_type: IntentMode.default('required').meta({
    description:
      'required: a call must declare its operation; inferred: the variant decides where it does not',
    examples: ['inferred'],
  }),
  unannotated: UnannotatedMode.default('trust').meta({
    description:
      'tools without hints: trust (any variant may call them), infer (the inferred operation is enforced), or strict (they count as destructive)',
    examples: ['infer'],
  }),
});
export type IntentConfig = z.infer<typeof IntentConfig>;

export const LimitsConfig = z.strictObject({
  calls: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(500)
    .meta({ description: 'concurrent calls of all clients', examples: [200] }),
  calls_per_client: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(1_000)
    .meta({ description: 'concurrent calls of one client, running and waiting', examples: [50] }),
  queue: z
    .number()
    .int()
    .min(0)
    .max(100_000)
    .default(1_000)
    .meta({
      description:
        'calls that wait for a slot, each for at most ten seconds; further calls are rejected with OVERLOADED',
      examples: [200],
    }),
  connections: z
    .number()
    .int()
    .min(16)
    .max(16_384)
    .default(1_024)
    .meta({
      description: 'concurrent connections; requests on further ones are rejected with OVERLOADED',
      examples: [256],
    }),
  requests_per_second: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(2_000)
    .meta({
      description:
        'HTTP requests of one client per second, with a burst of two seconds; the operator has ten times as many. Further ones are rejected with OVERLOADED',
      examples: [200],
    }),
  log_mb_per_hour: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1_024)
    .meta({
      description:
        'MB of the activity log that one client may fill per hour; the operator has ten times as many. Further calls are rejected with OVERLOADED until the share fills up again',
      examples: [256],
    }),
});
export type LimitsConfig = z.infer<typeof LimitsConfig>;

export const ScannerMode = z.enum(['off', 'warn', 'quarantine']);
export type ScannerMode = z.infer<typeof ScannerMode>;

export const FlowMode = z.enum(['off', 'warn', 'ask']);
export type FlowMode = z.infer<typeof FlowMode>;

export const Quarantine = z.enum(['warn', 'risky', 'changed', 'new']);
export type Quarantine = z.infer<typeof Quarantine>;

function checkInherited(name: string, ctx: z.core.$RefinementCtx): void {
  const problem = name.toUpperCase().startsWith('MCPPROXY_')
    ? 'is a setting of the proxy itself and must not reach a server; remove it'
    : variableProblem(name);
  if (problem) ctx.addIssue({ code: 'custom', message: problem });
}

/** Characters of an API key. */
export const MIN_KEY_LENGTH = 16;

const ADDRESSES = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

export const Config = z.strictObject({
  $schema: z.string().optional(),
  listen: z
    .string()
    .regex(/^(\[[0-9a-fA-F:]+\]|[^:\s]+):\d{1,5}$/, 'must be HOST:PORT, as in "127.0.0.1:8080"')
    .default('127.0.0.1:8080')
    .meta({ description: 'address and port of MCP, REST and the web UI', examples: ['127.0.0.1:9090'] }),
  data_dir: z
    .string()
    .optional()
    .meta({
      description: 'directory of the database, the key and the signing key; default ~/.mcpproxy',
      examples: ['/var/lib/mcpproxy'],
    }),
  database_url: z
    .string()
    .regex(
      /^(sqlite:|postgres(ql)?:\/\/|\$\{(env|file):)/,
      'must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    )
    .optional()
    .meta({
      description:
        'database; default: an SQLite file in the data directory. Several proxies can share a PostgreSQL database',
      examples: ['postgres://proxy:${env:DB_PASSWORD}@db.example.com:5432/mcpproxy'],
    }),
  config_source: z
    .enum(['database', 'file'])
    .optional()
    .meta({
      description:
        'where servers, policy and the other shared settings are kept: database (default with PostgreSQL; one set for all proxies on it) or file (default with SQLite; each proxy has its own)',
      examples: ['file'],
    }),
  workers: z
    .union([z.number().int().min(1).max(64), z.literal('auto')])
    .default(1)
    .meta({
      description:
        'processes of `serve` that share the port. More than one needs PostgreSQL; auto: as many as the machine has cores, and one with SQLite',
      examples: ['auto', 4],
    }),
  api_key: z
    .string()
    .refine(
      // A reference is measured when it is resolved.
      (key) => key.length >= MIN_KEY_LENGTH || /^\$\{[^}]+\}$/.test(key),
      `must have at least ${MIN_KEY_LENGTH} characters`,
    )
    .optional()
    .meta({
      description:
        'key of the operator; default: generated on first start and kept in the data directory. A change takes effect at the next start; the commands of the user who runs the daemon reach it meanwhile without a key',
      examples: ['${file:/run/secrets/mcpproxy_key}'],
    }),
  require_mcp_auth: z
    .boolean()
    .default(true)
    .meta({
      description: 'false: every local program may use /mcp without a credential; loopback only',
      examples: [false],
    }),
  allowed_hosts: z
    .array(z.string())
    .default([])
    .meta({ description: 'further Host names that the proxy accepts', examples: [['mcp.example.com']] }),
  public_url: z
    .string()
    .refine(
      isPublicUrl,
      'must be an http or https address without user, query or fragment, as in "https://mcp.example.com/tools"',
    )
    .optional()
    .meta({
      description:
        'where browsers and clients reach the proxy through a reverse proxy. Its host is accepted like those of `allowed_hosts`; its path is taken from the front of requests that have it, so the reverse proxy may pass it on or take it away; log-ins to servers come back to it',
      examples: ['https://mcp.example.com', 'https://example.com/mcpproxy'],
    }),
  trusted_proxies: z
    .array(
      z
        .string()
        .refine(
          (text) => ADDRESSES.safeParse(text).success,
          'must be an IP address or a range of them, as in "10.0.0.0/8"',
        ),
    )
    .default([])
    .meta({
      description:
        'addresses of reverse proxies whose X-Forwarded-For names the client, and whose X-Forwarded-Proto says whether it uses TLS; of all others the headers are ignored, and the address of the connection is recorded',
      examples: [['127.0.0.1', '10.0.0.0/8', '2001:db8::/32']],
    }),
  drain_delay: durationWithin('0s', '2m')
    .default('0s')
    .meta({
      description:
        'how long `serve` goes on after SIGTERM while /readyz says 503, so that load balancers stop sending before it stops taking requests; at most 2m',
      examples: ['5s'],
    }),
  confirm_weakening: z
    .boolean()
    .default(false)
    .meta({
      description:
        'true: an edit of this file that weakens a verdict, a policy or a limit, or changes what a server is, has no effect until the operator confirms it',
      examples: [true],
    }),
  oauth: z
    .strictObject({
      client_metadata_url: OAuthConfig.shape.client_metadata_url,
    })
    .prefault({}),
  inherit_env: z
    .array(z.string().superRefine(checkInherited))
    .max(200)
    .default([])
    .meta({
      description:
        'names of environment variables that every `command` gets from the proxy, beyond the usual ones (docs/guides/servers.md lists them)',
      examples: [['JAVA_HOME', 'DOCKER_HOST']],
    }),
  mcpServers: McpServers.default({}),
  intent_declaration: IntentConfig.prefault({}),
  approvals: ApprovalsConfig.prefault({}),
  assistant: z
    .strictObject({
      confirmation_ttl: Duration.default('5m').meta({
        description: 'how long the question of the task assistant before a delete stays open',
        examples: ['2m'],
      }),
    })
    .prefault({}),
  tools: z
    .strictObject({
      limit: z
        .number()
        .int()
        .min(1)
        .max(50)
        .default(10)
        .meta({ description: 'tools per search when the agent names no limit', examples: [5] }),
      detail: z
        .enum(['full', 'compact'])
        .default('full')
        .meta({
          description: 'form of search results when the agent names none: with schemas, or one line per tool',
          examples: ['compact'],
        }),
    })
    .prefault({}),
  mode: ToolMode.default('search').meta({
    description:
      'what tools/list shows: search (the five tools of the proxy), direct (the tools of all servers, as server__tool), or both; a token or /mcp/direct can choose another',
    examples: ['direct'],
  }),
  direct: z
    .strictObject({
      destructive: z
        .enum(['allow', 'variants'])
        .default('allow')
        .meta({
          description:
            'destructive tools in direct mode: allow, or variants (left out of the menu; they must be called with call_tool_destructive and a declared intent)',
          examples: ['variants'],
        }),
      max_menu_tokens: z
        .number()
        .int()
        .min(1_000)
        .max(10_000_000)
        .default(25_000)
        .meta({
          description:
            'a larger menu of direct mode is reported in the log, by `status` and by `doctor`; tokens are estimated as bytes / 4',
          examples: [10_000],
        }),
    })
    .prefault({}),
  activity: z
    .strictObject({
      retention_days: z
        .number()
        .int()
        .min(1)
        .default(90)
        .meta({ description: 'records older than this are deleted', examples: [30] }),
      max_records: z
        .number()
        .int()
        .min(100)
        .default(10_000_000)
        .meta({
          description: 'most records; the oldest reads and searches are deleted first',
          examples: [1_000_000],
        }),
      max_size_mb: z
        .number()
        .int()
        .min(10)
        .default(10_240)
        .meta({
          description: 'size of the log on disk, in MB; the oldest reads and searches are deleted first',
          examples: [1024],
        }),
      keep_changes_days: z
        .number()
        .int()
        .min(0)
        .default(30)
        .meta({
          description:
            'changes, approvals, decisions and configuration stay for so long, even if the log is over max_records or max_size_mb',
          examples: [90],
        }),
      max_arguments_bytes: z
        .number()
        .int()
        .min(0)
        .default(65_536)
        .meta({ description: 'bytes of the arguments that a record keeps', examples: [16_384] }),
      max_response_bytes: z
        .number()
        .int()
        .min(0)
        .default(65_536)
        .meta({ description: 'bytes of the response that a record keeps', examples: [16_384] }),
      when_unavailable: z
        .enum(['refuse', 'allow_reads'])
        .default('refuse')
        .meta({
          description: 'reads while the log cannot be written; changes are always refused',
          examples: ['allow_reads'],
        }),
      witness: z
        .array(Witness)
        .max(8)
        .optional()
        .meta({
          description:
            'places outside of the data directory to which each signed checkpoint is sent; `activity verify --witness` compares with them',
          examples: [[{ file: '/mnt/audit/mcpproxy-checkpoints.log' }]],
        }),
    })
    .prefault({}),
  call_timeout: Duration.default('60s').meta({
    description: 'time-out of a call, its time in the queue included',
    examples: ['2m'],
  }),
  limits: LimitsConfig.prefault({}),
  validate_arguments: z
    .boolean()
    .default(true)
    .meta({
      description: 'false: arguments are not checked against the schema of the tool',
      examples: [false],
    }),
  scanner: ScannerMode.default('warn').meta({
    description:
      'definitions that contain instructions to the model: off, warn (marked, recorded, still callable), or quarantine (withheld until approved)',
    examples: ['quarantine'],
  }),
  scan_results: z
    .enum(['off', 'warn'])
    .default('off')
    .meta({
      description:
        'results and errors that contain instructions to the model: off, or warn (recorded; the answer is forwarded unchanged)',
      examples: ['warn'],
    }),
  flows: FlowMode.default('warn').meta({
    description:
      'a change whose arguments carry an id, key or token that another server returned: off, warn (stored in the record), or ask (a person decides)',
    examples: ['ask'],
  }),
  quarantine: Quarantine.default('risky').meta({
    description:
      'tools that changed: warn (marked, still callable), risky (withheld until approved if the change weakens a hint, adds suspicious text, asks for paths, keys or messages, or moves the server; a new server with suspicious text too), changed (withheld after any change), or new (new tools too)',
    examples: ['changed'],
  }),
});
export type Config = z.infer<typeof Config>;

/**
 * Where a setting is kept if the configuration is in the database. `local`: always in the file of each proxy, because it says what this
 * proxy is and how it finds the others; all of these are read at the start. `shared`: one value for all proxies on the database.
 */
export const SETTING_PLACES = {
  $schema: 'local',
  listen: 'local',
  data_dir: 'local',
  database_url: 'local',
  config_source: 'local',
  workers: 'local',
  api_key: 'local',
  require_mcp_auth: 'shared',
  allowed_hosts: 'shared',
  public_url: 'shared',
  trusted_proxies: 'shared',
  drain_delay: 'shared',
  confirm_weakening: 'shared',
  oauth: 'shared',
  inherit_env: 'shared',
  mcpServers: 'shared',
  intent_declaration: 'shared',
  approvals: 'shared',
  assistant: 'shared',
  tools: 'shared',
  mode: 'shared',
  direct: 'shared',
  activity: 'shared',
  call_timeout: 'shared',
  limits: 'shared',
  validate_arguments: 'shared',
  scanner: 'shared',
  scan_results: 'shared',
  flows: 'shared',
  quarantine: 'shared',
} as const satisfies Record<keyof Config, 'local' | 'shared'>;

export const isSharedSetting = (name: string): boolean => SETTING_PLACES[name as keyof Config] !== 'local';
