import { z } from 'zod';
import { activityRoutes } from './activity-routes.ts';
import { approvalRoutes } from './approval-routes.ts';
import { chatRoutes } from './chat-routes.ts';
import { LimitsConfig, ServerConfig, ServerName } from './config.ts';
import { OperationType, ToolVariant } from './operation.ts';
import { cursor, flag, limit } from './query.ts';
import { ServerView } from './server.ts';
import { JudgedTool, ToolDiff, VerdictFile, VerdictImport } from './judged-tool.ts';
import { configRoutes } from './config-routes.ts';
import { loginRoutes } from './login-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { LeftOut, ScoredTool, Suggestions } from './tool.ts';

/**
 * Every REST route, once. From this table come the server's validation, the typed client, `/openapi.json` and the flags of the CLI.
 * `{name}` in a path is one segment; tool names contain ":" and are percent-encoded by the client.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Absent: the route answers with a stream of its own type (export, events). */
  output?: z.ZodType;
  stream?: string;
  /** True: a token that was made for the assistant opens it too, as the user that the token is for. */
  token?: true;
}

const byName = z.object({ name: z.string() });

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
  intent_declaration: z.object({
    strict_server_validation: z.boolean(),
    operation_type: z.string(),
    unannotated: z.string(),
  }),
});
export type Status = z.infer<typeof Status>;

export const CallRequest = z.looseObject({
  tool_variant: ToolVariant,
  name: z.unknown().optional().describe('server:tool'),
  args: z.unknown().optional().describe('arguments as an object'),
  args_json: z.unknown().optional().describe('arguments as JSON text, instead of args'),
  intent: z.unknown().optional().describe('{operation_type, data_sensitivity?, reason?}'),
  timeout: z.string().optional(),
  approval_wait: z
    .string()
    .optional()
    .describe(
      'how long to wait for a person before the call is answered as pending; default: approvals.wait',
    ),
});
export type CallRequest = z.infer<typeof CallRequest>;

/** The upstream's result, untouched. */
export const CallResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type CallResult = z.infer<typeof CallResult>;

const Done = z.object({ ok: z.literal(true) });

export const routes = {
  status: { method: 'GET', path: '/status', summary: 'Version, uptime, counts', output: Status },

  listServers: {
    method: 'GET',
    path: '/servers',
    summary: 'All upstream servers and their state',
    output: z.object({ servers: z.array(ServerView) }),
  },
  addServer: {
    method: 'POST',
    path: '/servers',
    summary: 'Add an upstream server; it is written to the configuration file',
    body: z.object({ name: ServerName, config: ServerConfig }),
    output: ServerView,
  },
  getServer: {
    method: 'GET',
    path: '/servers/{name}',
    summary: 'One server',
    params: byName,
    output: ServerView,
  },
  updateServer: {
    method: 'PATCH',
    path: '/servers/{name}',
    summary: 'Change settings of a server; null removes a setting',
    params: byName,
    body: z.record(z.string(), z.unknown()),
    output: ServerView,
  },
  removeServer: {
    method: 'DELETE',
    path: '/servers/{name}',
    summary: 'Remove a server',
    params: byName,
    output: Done,
  },
  restartServer: {
    method: 'POST',
    path: '/servers/{name}/restart',
    summary: 'Stop and start a server',
    params: byName,
    output: ServerView,
  },
  enableServer: {
    method: 'POST',
    path: '/servers/{name}/enable',
    summary: 'Switch a server on',
    params: byName,
    output: ServerView,
  },
  disableServer: {
    method: 'POST',
    path: '/servers/{name}/disable',
    summary: 'Switch a server off',
    params: byName,
    output: ServerView,
  },
  approveServer: {
    method: 'POST',
    path: '/servers/{name}/approve',
    summary: 'Accept all tools of a server as they are now',
    params: byName,
    output: z.object({ server: z.string(), approved: z.array(z.string()), total: z.number() }),
  },
  serverLogs: {
    method: 'GET',
    path: '/servers/{name}/logs',
    summary: 'The last lines that the server wrote to stderr',
    params: byName,
    query: z.object({ tail: limit(100, 1000) }),
    output: z.object({
      lines: z.array(z.object({ time: z.string(), text: z.string() })),
      dropped: z.number(),
    }),
  },

  listTools: {
    method: 'GET',
    path: '/tools',
    summary: 'The catalogue, ordered by name',
    query: z.object({
      server: z.string().optional(),
      operation: OperationType.optional(),
      inferred: OperationType.optional().describe('only tools that look like this operation to us'),
      unannotated: flag.describe('only tools whose server gives no hint'),
      changed: flag.describe('only tools that are new or differ from what was accepted'),
      withheld: flag.describe('only tools that wait for approval'),
      suspicious: flag.describe('only tools with text that looks meant for the model'),
      limit: limit(100, 1000),
      cursor,
    }),
    output: z.object({ tools: z.array(JudgedTool), next_cursor: z.string().nullable(), total: z.number() }),
  },
  searchTools: {
    method: 'GET',
    path: '/tools/search',
    summary: 'Search as retrieve_tools does',
    query: z.object({
      q: z.string().min(1).max(1000),
      limit: limit(10, 50),
      server: z.string().optional(),
      operation: OperationType.optional(),
      explain: flag,
    }),
    output: z.object({
      tools: z.array(ScoredTool),
      total: z.number(),
      query: z.string(),
      left_out: LeftOut,
      suggestions: Suggestions.optional(),
    }),
  },
  getTool: {
    method: 'GET',
    path: '/tools/{name}',
    summary: 'One tool with its full schema and what its verdict is made of',
    params: byName,
    output: JudgedTool,
  },
  callTool: {
    method: 'POST',
    path: '/tools/call',
    summary: 'Call a tool along the checked road',
    body: CallRequest,
    output: CallResult,
  },
  setOperation: {
    method: 'PUT',
    path: '/tools/{name}/operation',
    summary: 'Set the operator’s verdict on a tool; it beats hints and inference',
    params: byName,
    body: z.object({ operation: OperationType }),
    output: JudgedTool,
  },
  clearOperation: {
    method: 'DELETE',
    path: '/tools/{name}/operation',
    summary: 'Remove the operator’s verdict',
    params: byName,
    output: JudgedTool,
  },
  approveTool: {
    method: 'POST',
    path: '/tools/{name}/approve',
    summary: 'Accept a tool as it is now: its definition, and its hints also where they became weaker',
    params: byName,
    query: z.object({
      hash: z
        .string()
        .max(128)
        .optional()
        .describe('definition_hash that was looked at; refused where it is another by now'),
    }),
    output: JudgedTool,
  },
  diffTool: {
    method: 'GET',
    path: '/tools/{name}/diff',
    summary: 'How a tool differs from the definition that was accepted',
    params: byName,
    output: ToolDiff,
  },
  exportVerdicts: {
    method: 'GET',
    path: '/verdicts',
    summary: 'The operator’s decisions on all tools, as a file to import elsewhere',
    output: VerdictFile,
  },
  importVerdicts: {
    method: 'POST',
    path: '/verdicts',
    summary: 'Take over decisions from a file; those it does not name stay as they are',
    query: z.object({ dry_run: flag.describe('only say what would change') }),
    body: VerdictFile,
    output: VerdictImport,
  },

  ...activityRoutes,
  ...tokenRoutes,
  ...approvalRoutes,

  ...configRoutes,
  ...chatRoutes,

  ...loginRoutes,

  events: {
    method: 'GET',
    path: '/events',
    summary:
      'Server-sent events: activity, approval, server, tools, config; resumes from Last-Event-ID, also after a restart and at another proxy on the same database',
    stream: 'text/event-stream',
  },
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

type Part<R, K extends string> = R extends Record<K, infer S extends z.ZodType> ? S : undefined;
type In<S> = S extends z.ZodType ? z.input<S> : unknown;
type Out<S> = S extends z.ZodType ? z.output<S> : unknown;

/** What a caller of the client passes: path parameters and query in one object, the body apart. */
export type RouteInput<N extends RouteName> = In<Part<Routes[N], 'params'>> &
  In<Part<Routes[N], 'query'>> &
  (Part<Routes[N], 'body'> extends undefined ? unknown : { body: In<Part<Routes[N], 'body'>> });

/** What a handler gets after validation. */
export type HandlerInput<N extends RouteName> = {
  params: Out<Part<Routes[N], 'params'>>;
  query: Out<Part<Routes[N], 'query'>>;
  body: Out<Part<Routes[N], 'body'>>;
};

export type RouteOutput<N extends RouteName> =
  Part<Routes[N], 'output'> extends z.ZodType ? z.output<Part<Routes[N], 'output'>> : never;

/** Routes that answer with one JSON value; the others stream. */
export type JsonRoute = {
  [N in RouteName]: Part<Routes[N], 'output'> extends z.ZodType ? N : never;
}[RouteName];
export type StreamRoute = Exclude<RouteName, JsonRoute>;

export const API_PREFIX = '/api/v1';
