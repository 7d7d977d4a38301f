import { z } from 'zod';
import { type Route, limit } from './route.ts';
import { ServerConfig, ServerTitle } from '../config.ts';
import { ServerApproval } from '../tool.ts';
import { ServerView } from '../status.ts';

const byName = z.object({ name: z.string().describe('alias of the server, or its name as written') });

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
    body: z.object({ name: ServerTitle, config: ServerConfig }),
    output: ServerView,
  },
  getServer: {
    method: 'GET',
    path: '/servers/{name}',
    summary: 'Get a server',
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
