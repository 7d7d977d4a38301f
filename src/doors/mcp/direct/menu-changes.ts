import { audienceOf } from '../../../road/index.ts';
import type { EventBus } from '../../../lib/event-bus.ts';
import type { McpClient } from '../core.ts';
import type { ToolMode } from '../../../contract/tool.ts';

/** Which clients a change of tools/list concerns. */
export type Concerns = (client: McpClient) => boolean;

interface MenuChangesParts {
  events: Pick<EventBus, 'on'>;
  modeOf: (client: McpClient) => ToolMode;
  /** How long changes are collected, so that a start of many servers is one change. */
  collectMs?: number;
}

const COLLECT_MS = 200;

/** Calls the listener when tools of servers have changed, with the clients whose menu has these servers. Returns a function that unsubscribes. */
export function watchMenu(
  { events, modeOf, collectMs = COLLECT_MS }: MenuChangesParts,
  listener: (concerns: Concerns) => void,
): () => void {
  let changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function tell(): void {
    const servers = [...changed];
    changed = new Set();
    timer = undefined;
    listener((client) => {
      if (modeOf(client) === 'search') return false;
      const audience = audienceOf(client.identity.token);
      return !audience || servers.some((server) => audience.server(server));
    });
  }

  const stop = events.on(({ name, data }) => {
    if (name !== 'tools') return;
    changed.add((data as { server: string }).server);
    timer ??= setTimeout(tell, collectMs).unref();
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
