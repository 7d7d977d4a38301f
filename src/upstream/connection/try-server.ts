import type { ServerConfig } from '../../contract/config.ts';
import type { ServerTest } from '../../contract/status.ts';
import type { ToolDefinition } from '../../contract/tool.ts';
import type { Clock } from '../../lib/clock.ts';
import { LoginNeeded } from '../auth/login-error.ts';
import type { ServerAuth } from '../auth/server-auth.ts';
import { LogRing } from './log-ring.ts';
import { nextStep } from './next-step.ts';
import { describeError, openServer, type OpenServer } from './open-server.ts';
import { resolveServer, targetOf, type Resolve, type ResolvedServer } from './secrets.ts';
import { readTools } from './server-listing.ts';
import type { Memory } from './server-memory.ts';

export interface Trial {
  /** For the advice; a server that is not configured has none. */
  name: string | undefined;
  config: ServerConfig;
  signal: AbortSignal;
}

export interface TrialParts {
  clock: Clock;
  resolve: Resolve;
  inheritEnv: () => readonly string[];
  clientInfo: { name: string; version: string };
  patienceMs?: number | undefined;
  /** The log-in of a server that is configured. */
  auth?: ServerAuth | undefined;
}

const MAX_TOOLS = 1000;
const MAX_DESCRIPTION = 200;

/** Connects to a server, lists its tools and disconnects. Nothing is kept, and nothing of it reaches the catalog. */
export async function tryServer({ name, config, signal }: Trial, parts: TrialParts): Promise<ServerTest> {
  const start = performance.now();
  const memory: Memory = {};
  const about = () => ({
    transport:
      config.url === undefined
        ? ('stdio' as const)
        : memory.sse || config.type === 'sse'
          ? ('sse' as const)
          : ('http' as const),
    target: targetOf(config),
    duration_ms: Math.round(performance.now() - start),
  });
  let resolved: ResolvedServer | undefined;
  let connection: OpenServer | undefined;
  const stop = (): void => void connection?.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    resolved = resolveServer(config, parts.resolve);
    const { clientInfo, patienceMs, auth } = parts;
    connection = await openServer(
      {
        config,
        builtin: undefined,
        resolved,
        ring: new LogRing(parts.clock),
        inherit: parts.inheritEnv(),
        auth,
      },
      { memory, clientInfo, signal, patienceMs, onToolsChanged: ignore, onRestart: ignore },
    );
    return { ok: true, ...about(), ...(await offersOf(connection, resolved.shown)) };
  } catch (error) {
    const text = describeError(error);
    const lastError = resolved?.shown(text) ?? text;
    const state = error instanceof LoginNeeded ? 'needs_login' : 'failed';
    const trial = config.url === undefined ? 'COMMAND' : 'URL';
    const next = nextStep({ name, state, lastError, trial });
    return { ok: false, ...about(), error: lastError, ...(next !== undefined && { next_step: next }) };
  } finally {
    signal.removeEventListener('abort', stop);
    await connection?.close();
  }
}

function ignore(): void {}

async function offersOf(connection: OpenServer, shown: (text: string, limit?: number) => string) {
  const { protocol, serverInfo: info, offers } = connection;
  const { tools, complaints } = await readTools(connection);
  return {
    protocol,
    ...(info && { server_info: { name: shown(info.name, 200), version: shown(info.version, 200) } }),
    offers: offers.map((offer) => shown(offer, 100)),
    tools: tools.slice(0, MAX_TOOLS).map(({ name, description, annotations }) => ({
      name: shown(name, 256),
      ...(description !== undefined && { description: shown(description, MAX_DESCRIPTION) }),
      ...hintOf(annotations),
    })),
    ...(complaints.length > 0 && { complaints: complaints.slice(0, 20).map((text) => shown(text)) }),
  };
}

function hintOf(
  annotations: ToolDefinition['annotations'],
): Pick<NonNullable<ServerTest['tools']>[number], 'hint'> {
  if (annotations?.destructiveHint === true) return { hint: 'destructive' };
  if (annotations?.readOnlyHint === true) return { hint: 'read' };
  return annotations?.readOnlyHint === false ? { hint: 'write' } : {};
}
