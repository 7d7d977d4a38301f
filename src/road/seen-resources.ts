import type { CallResult } from '../contract/call.ts';
import { isObject } from '../json/index.ts';

const MAX_CLIENTS = 200;
const MAX_URIS = 500;
const MAX_URI = 4096;
/** Of one result. */
const MAX_BLOCKS = 500;

export type SeenResources = ReturnType<typeof createSeenResources>;

/** Which URIs of resources a client has got from which server in a result, so that it can read them by the same URIs. */
export function createSeenResources() {
  const clients = new Map<string, Map<string, Set<string>>>();

  function urisOf(client: string): Map<string, Set<string>> {
    const known = clients.get(client) ?? new Map<string, Set<string>>();
    // The client that was used last is at the end.
    clients.delete(client);
    clients.set(client, known);
    dropOldest(clients, MAX_CLIENTS);
    return known;
  }

  function add(client: string, server: string, block: unknown): void {
    const uri = uriOf(block);
    if (uri === undefined) return;
    const uris = urisOf(client);
    const servers = uris.get(uri) ?? new Set<string>();
    uris.delete(uri);
    uris.set(uri, servers.add(server));
    dropOldest(uris, MAX_URIS);
  }

  return {
    /** Links to resources and embedded resources, in the result of a tool or the messages of a prompt. Runs for every call. */
    note(client: string, server: string, { content, messages }: CallResult): void {
      if (Array.isArray(content))
        for (let i = 0; i < content.length && i < MAX_BLOCKS; i++) add(client, server, content[i]);
      if (!Array.isArray(messages)) return;
      for (const message of messages.slice(0, MAX_BLOCKS) as unknown[])
        if (isObject(message)) add(client, server, message.content);
    },
    serversOf: (client: string, uri: string): readonly string[] => [...(clients.get(client)?.get(uri) ?? [])],
  };
}

function dropOldest(map: Map<string, unknown>, limit: number): void {
  if (map.size <= limit) return;
  for (const key of map.keys()) return void map.delete(key);
}

function uriOf(block: unknown): string | undefined {
  if (!isObject(block)) return undefined;
  const { type, resource } = block;
  if (type !== 'resource_link' && type !== 'resource') return undefined;
  const uri = type === 'resource_link' ? block.uri : isObject(resource) && resource.uri;
  return typeof uri === 'string' && uri.length <= MAX_URI ? uri : undefined;
}
