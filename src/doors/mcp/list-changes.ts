import { audienceOf } from '../../road/index.ts';
import type { Items } from '../../catalog/index.ts';
import type { EventBus } from '../../lib/event-bus.ts';
import type { McpClient } from './core.ts';
import type { ListName } from './subscriptions.ts';
import type { ToolMode } from '../../contract/tool.ts';

/** Which clients a change of a list concerns. */
export type Concerns = (client: McpClient) => boolean;
export type ListListener = (list: ListName, concerns: Concerns) => void;

interface ListChangesParts {
  events: Pick<EventBus, 'on'>;
  items: Pick<Items, 'onChanged'>;
  modeOf: (client: McpClient) => ToolMode;
  /** How long changes are collected, so that a start of many servers is one change. */
  collectMs?: number;
}

const COLLECT_MS = 200;

/** Calls the listener when what servers offer has changed, with the clients whose lists have these servers. Returns a function that unsubscribes. */
export function watchLists(
  { events, items, modeOf, collectMs = COLLECT_MS }: ListChangesParts,
  listener: ListListener,
): () => void {
  const changed = new Map<ListName, Set<string>>();
  let timer: NodeJS.Timeout | undefined;

  function tell(): void {
    const lists = [...changed];
    changed.clear();
    timer = undefined;
    for (const [list, servers] of lists)
      listener(list, (client) => {
        if (list === 'tools' && modeOf(client) === 'search') return false;
        const audience = audienceOf(client.identity.token);
        return !audience || [...servers].some((server) => audience.server(server));
      });
  }

  function note(list: ListName, server: string): void {
    changed.set(list, (changed.get(list) ?? new Set()).add(server));
    timer ??= setTimeout(tell, collectMs).unref();
  }

  const stopTools = events.on(({ name, data }) => {
    if (name === 'tools') note('tools', (data as { server: string }).server);
  });
  // Templates are announced with the resources.
  const stopItems = items.onChanged((kind, server) =>
    note(kind === 'prompt' ? 'prompts' : 'resources', server),
  );
  return () => {
    stopTools();
    stopItems();
    clearTimeout(timer);
  };
}
