import type { ConfiguredServer } from '../../contract/config.ts';
import type { ServerView } from '../../contract/status.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { nextStep } from './next-step.ts';
import type { OpenServer } from './open-server.ts';
import { targetOf } from './secrets.ts';
import type { ServerStatus } from './server-status.ts';

export interface Viewed {
  name: string;
  builtin: boolean;
  config: ConfiguredServer;
  status: ServerStatus;
  /** It was found to use the older HTTP+SSE transport. */
  sse: boolean;
  connection: OpenServer | undefined;
  toolCount: number;
  /** Lists of it that could not be read. */
  problems: readonly string[];
  /** Names in its settings that are no tools of it. */
  unknownTools: readonly string[];
  restarts: number;
  inFlight: number;
  queued: number;
  breaker: ServerView['breaker'];
  retries: number;
  shown: (text: string) => string;
  login: ServerView['login'];
}

/** A server for display: without secrets and control characters. */
export function serverView({ connection, config, status, shown, ...server }: Viewed): ServerView {
  const info = connection?.serverInfo;
  return {
    name: server.name,
    title: config.title ?? server.name,
    ...(config.description !== undefined && { description: config.description }),
    transport: transportOf(server.builtin, config, server.sse),
    target: server.builtin ? 'built in' : targetOf(config),
    state: status.state,
    enabled: config.enabled ?? true,
    tool_count: server.toolCount,
    ...(connection && { protocol: connection.protocol }),
    ...(info && { server_info: { name: shown(info.name), version: shown(info.version) } }),
    ...(connection?.pid !== undefined && { pid: connection.pid }),
    ...(status.lastError !== undefined && { last_error: status.lastError }),
    ...warningsOf(config, server),
    since: new Date(status.since).toISOString(),
    ...status.waiting,
    ...guidanceOf(server.name, status),
    ...loginOf(server.login),
    restarts: server.restarts,
    in_flight: server.inFlight,
    queued: server.queued,
    breaker: server.breaker,
    retries: server.retries,
  };
}

function loginOf(login: ServerView['login']): Partial<ServerView> {
  return login ? { login } : {};
}

const EVERY_TOOL = '*';

function warningsOf(
  { warnings = [] }: ConfiguredServer,
  { unknownTools, problems }: Pick<Viewed, 'unknownTools' | 'problems'>,
): Pick<ServerView, 'warnings'> {
  const unknown = unknownTools.filter((name) => name !== EVERY_TOOL);
  const all = [...warnings, ...problems, ...unknown.map((name) => `tools: the server has no tool "${name}"`)];
  return all.length > 0 ? { warnings: all.map(visibleLine) } : {};
}

/** The state in words, for a server that is not ready. */
function guidanceOf(name: string, { state, lastError, waitingText }: ServerStatus): Partial<ServerView> {
  const next = nextStep({ name, state, lastError });
  return {
    ...(waitingText !== undefined && { progress: waitingText }),
    ...(next !== undefined && { next_step: next }),
  };
}

function transportOf(
  builtin: boolean,
  { url, type }: ConfiguredServer,
  sse: boolean,
): ServerView['transport'] {
  if (builtin) return 'builtin';
  if (url === undefined) return 'stdio';
  return sse || type === 'sse' ? 'sse' : 'http';
}
