import type { ServerConfig } from '../contract/config.ts';
import type { ServerView } from '../contract/server.ts';

/**
 * A server that is configured but does not run in this process: a command that only edits the configuration starts none. Arguments,
 * query and credentials may hold secrets and are left out.
 */
export function unstartedView(name: string, server: ServerConfig): ServerView {
  return {
    name,
    transport: transportOf(server),
    target:
      server.url === undefined
        ? (server.command ?? '')
        : server.url.replace(/\/\/[^/@]*@/, '//').replace(/[?#].*$/, ''),
    state: 'disabled',
    enabled: server.enabled !== false,
    tool_count: 0,
    ...(server.enabled !== false && { last_error: 'not started in this process' }),
    since: new Date().toISOString(),
    restarts: 0,
    in_flight: 0,
    queued: 0,
    breaker: 'closed',
    retries: 0,
  };
}

function transportOf({ url, type }: ServerConfig): ServerView['transport'] {
  if (url === undefined) return 'stdio';
  return type === 'sse' ? 'sse' : 'http';
}
