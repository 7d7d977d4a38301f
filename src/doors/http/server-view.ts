import type { ConfiguredServer } from '../../contract/config.ts';
import type { ServerView } from '../../contract/status.ts';
import { visibleLine } from '../../lib/visible-text.ts';

/**
 * A server that is configured but does not run in this process: a command that only edits the configuration starts none. Arguments,
 * query and credentials may hold secrets and are left out.
 */
export function unstartedView(name: string, server: ConfiguredServer): ServerView {
  const isOn = server.enabled !== false;
  const lastError = server.problem ?? (isOn ? 'not started in this process' : undefined);
  return {
    name,
    title: server.title ?? name,
    ...(server.description !== undefined && { description: server.description }),
    transport: transportOf(server),
    target:
      server.url === undefined
        ? (server.command ?? '')
        : server.url.replace(/\/\/[^/@]*@/, '//').replace(/[?#].*$/, ''),
    state: server.problem !== undefined && isOn ? 'failed' : 'disabled',
    enabled: isOn,
    tool_count: 0,
    ...(lastError !== undefined && { last_error: visibleLine(lastError) }),
    ...(server.warnings && { warnings: server.warnings.map(visibleLine) }),
    since: new Date().toISOString(),
    restarts: 0,
    in_flight: 0,
    queued: 0,
    breaker: 'closed',
    retries: 0,
  };
}

function transportOf({ url, type }: ConfiguredServer): ServerView['transport'] {
  if (url === undefined) return 'stdio';
  return type === 'sse' ? 'sse' : 'http';
}
