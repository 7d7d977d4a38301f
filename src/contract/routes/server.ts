import { z } from 'zod';
import { type Route, limit } from './route.ts';
import { ServerConfig, ServerTitle } from '../config.ts';
import { ServerApproval } from '../tool.ts';
import { LoggedOut, LoginProgress, Scopes, StartedLogin } from '../oauth.ts';
import { ServerTest, ServerView } from '../status.ts';

const ImportedServer = z.object({
  entry: z.number().describe('position of the entry in the text'),
  name: z.string(),
  alias: z.string(),
  state: z
    .enum(['added', 'known', 'failed'])
    .describe('known: the configuration has it already, or it is mcpproxy itself'),
  known_as: z
    .enum(['self', 'server', 'target'])
    .optional()
    .describe('of a known one: mcpproxy itself, the same server, or only the same target with other values'),
  reason: z.string().optional(),
  transport: z.enum(['stdio', 'http', 'sse']),
  target: z.string().describe('command line or URL, with secrets masked'),
  enabled: z.boolean(),
  warnings: z.array(z.string()).optional(),
  inputs: z
    .array(z.object({ id: z.string(), description: z.string().optional(), secret: z.boolean() }))
    .optional()
    .describe('values that the entry asks for'),
});
export type ImportedServer = z.infer<typeof ImportedServer>;

const byName = z.object({ name: z.string().describe('alias of the server, or its name as written') });

const SecretSetting = z
  .string()
  .regex(/^(?:env|headers)\..{1,200}$/)
  .optional()
  .describe(
    'a value of the body, as in "env.TOKEN", that is kept in a file of the data directory (mode 0600); the configuration refers to it',
  );

export const serverRoutes = {
  listServers: {
    method: 'GET',
    path: '/servers',
    summary: 'List all servers and their state',
    output: z.object({ servers: z.array(ServerView) }),
  },
  addServer: {
    method: 'POST',
    path: '/servers',
    summary: 'Add a server; it is written to the configuration file',
    body: z.object({ name: ServerTitle, config: ServerConfig, secret: SecretSetting }),
    output: ServerView,
  },
  importServers: {
    method: 'POST',
    path: '/servers/import',
    summary: 'Import the servers of a configuration file of another client; secrets in it are moved to files',
    body: z.object({
      text: z.string().max(4_000_000).describe('content of the file'),
      format: z.enum(['json', 'toml', 'yaml']).optional().describe('default: detected'),
      dry_run: z.boolean().optional().describe('true: nothing is changed'),
      servers: z
        .array(
          z.object({
            entry: z.number().int().min(0),
            name: z.string().min(1).max(200).optional().describe('another name'),
            client: z
              .string()
              .regex(/^[a-z0-9-]{1,40}$/)
              .optional()
              .describe('becomes part of the name if another server has it'),
            config: z
              .record(z.string(), z.unknown())
              .optional()
              .describe('corrections; null removes a setting'),
          }),
        )
        .max(1000)
        .optional()
        .describe('entries to import; default: all'),
      inputs: z
        .record(z.string(), z.string().max(60_000))
        .optional()
        .describe('values that entries ask for, by id'),
    }),
    output: z.object({ servers: z.array(ImportedServer) }),
  },
  getServer: {
    method: 'GET',
    path: '/servers/{name}',
    summary: 'Get a server',
    params: byName,
    output: ServerView,
  },
  testServer: {
    method: 'POST',
    path: '/servers/test',
    summary:
      'Connect to a server and list what it offers, without adding it: by its name, or by its settings',
    body: z.object({
      name: z.string().optional(),
      config: ServerConfig.optional(),
      changes: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('with a name: settings to try as if they were saved, as in PATCH; nothing is saved'),
    }),
    output: ServerTest,
  },
  serverSettings: {
    method: 'GET',
    path: '/servers/{name}/settings',
    summary: 'Get the settings of a server; secrets are masked',
    params: byName,
    output: z.object({
      name: z.string(),
      title: z.string(),
      settings: z.record(z.string(), z.unknown()),
      schema: z.record(z.string(), z.unknown()).describe('JSON Schema of the settings of a server'),
    }),
  },
  updateServer: {
    method: 'PATCH',
    path: '/servers/{name}',
    summary: 'Change settings of a server; null removes a setting, and a masked value stays as it is',
    params: byName,
    query: z.object({ secret: SecretSetting }),
    body: z.record(z.string(), z.unknown()),
    output: ServerView,
  },
  removeServer: {
    method: 'DELETE',
    path: '/servers/{name}',
    summary: 'Remove a server',
    params: byName,
    output: z.object({ ok: z.literal(true) }),
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
    summary: 'Enable a server',
    params: byName,
    output: ServerView,
  },
  disableServer: {
    method: 'POST',
    path: '/servers/{name}/disable',
    summary: 'Disable a server',
    params: byName,
    output: ServerView,
  },
  startLogin: {
    method: 'POST',
    path: '/servers/{name}/login',
    summary: 'Begin a log-in to a server (OAuth); one that was begun before ends',
    params: byName,
    body: z.object({
      scopes: Scopes.optional().describe('default: the configured ones, or those that the server names'),
      redirect_uri: z.string().max(2000).optional(),
      accept_issuer: z
        .boolean()
        .optional()
        .describe('true: accept that the server names another authorization server than at the last log-in'),
    }),
    output: StartedLogin,
  },
  completeLogin: {
    method: 'POST',
    path: '/servers/{name}/login/complete',
    summary: 'Complete a log-in with the address to which the browser was sent back',
    params: byName,
    body: z.object({
      redirect: z.string().min(1).max(20_000).describe('whole address, or its query'),
    }),
    output: ServerView,
  },
  loginProgress: {
    method: 'GET',
    path: '/servers/{name}/login',
    summary: 'Get the progress of a log-in',
    params: byName,
    output: LoginProgress,
  },
  logoutServer: {
    method: 'DELETE',
    path: '/servers/{name}/login',
    summary: 'Log out of a server: revoke and erase its tokens',
    params: byName,
    output: LoggedOut,
  },
  approveServer: {
    method: 'POST',
    path: '/servers/{name}/approve',
    summary: 'Accept the current definitions of all tools of a server',
    params: byName,
    output: ServerApproval,
  },
  serverLogs: {
    method: 'GET',
    path: '/servers/{name}/logs',
    summary: 'Get the last lines that the server wrote to stderr',
    params: byName,
    query: z.object({ tail: limit(100, 1000) }),
    output: z.object({
      lines: z.array(z.object({ time: z.string(), text: z.string() })),
      dropped: z.number(),
    }),
  },
} as const satisfies Record<string, Route>;
