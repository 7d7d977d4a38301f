import type { Caller, Identity } from '../../contract/call.ts';
import { countByClient, type McpClient } from './core.ts';
import type { ItemDoor } from './items/item-door.ts';
import { MAX_SUBSCRIBED, UpdateSender } from './items/update-sender.ts';
import { CODE, malformed, META, RpcError, type Outgoing, type Request, type RequestId } from './wire.ts';
import { isObject, type JsonObject } from '../../json/index.ts';

/** Where the events of one subscription go. */
export interface Subscriber {
  send(message: Outgoing): void;
  end(): void;
}

/** The lists whose changes are announced. */
export type ListName = 'tools' | 'prompts' | 'resources';

interface Parts {
  limit: number;
  /** The result that closes a subscription. */
  endResult: (id: RequestId) => JsonObject;
  /** Absent: only the list of tools can be subscribed to. */
  items: ItemDoor | undefined;
}

export interface Listener extends McpClient {
  /** For `remove`. */
  key: unknown;
  caller: Caller;
}

export interface Subscriptions {
  /** Serves `subscriptions/listen`; `open` opens the stream once the request is valid. */
  listen(request: Request, from: Listener, open: () => Subscriber): void;
  remove(key: unknown): boolean;
  closeWhere(matches: (identity: Identity) => boolean): void;
  listChanged(list: ListName, concerns: (client: McpClient) => boolean): void;
  close(): void;
}

interface Filter {
  lists: ListName[];
  uris: string[];
}

interface Open extends McpClient {
  id: RequestId;
  to: Subscriber;
  lists: readonly ListName[];
  updates: UpdateSender | undefined;
}

/** Subscriptions of revision 2026-07-28: to the lists, and to single resources. */
export function createSubscriptions({ limit, endResult, items }: Parts): Subscriptions {
  const open = new Map<unknown, Open>();

  function finish({ id, to, updates }: Open): void {
    if (updates) items?.unwatch(updates);
    to.send({ jsonrpc: '2.0', id, result: endResult(id) });
    to.end();
  }

  /** The client with the most subscriptions loses one to a client that has fewer. */
  function makeRoom(identity: Identity): boolean {
    const countOf = countByClient([...open.values()].map((each) => each.identity));
    const most = Math.max(...[...open.values()].map((each) => countOf(each.identity)));
    if (countOf(identity) + 1 >= most) return false;
    const [key, subscription] = [...open].find(([, each]) => countOf(each.identity) === most)!;
    open.delete(key);
    finish(subscription);
    return true;
  }

  function acknowledge({ id, to, lists }: Open, uris: readonly string[]): void {
    const granted = {
      ...Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    };
    to.send(notification(id, 'subscriptions/acknowledged', { notifications: granted }));
  }

  /** The road decides about each resource, so the acknowledgement follows. */
  async function watch(subscription: Open, { key, caller }: Listener, uris: string[]): Promise<void> {
    const { updates, lists } = subscription;
    const granted = await items!.watch(uris, caller, updates!);
    if (open.get(key) !== subscription) return items!.unwatch(updates!);
    acknowledge(subscription, granted);
    if (lists.length + granted.length > 0) return;
    open.delete(key);
    finish(subscription);
  }

  return {
    listen(request, from, openStream) {
      const { lists, uris } = readFilter(request.params?.notifications, items !== undefined);
      const { key, identity, isDirect } = from;
      if (open.has(key)) throw malformed('a subscription with this id is open already');
      if (open.size >= limit && !makeRoom(identity)) throw tooManySubscriptions(limit);
      const { id } = request;
      const to = openStream();
      const send = (uri: string) => to.send(notification(id, 'resources/updated', { uri }));
      const updates = uris.length > 0 ? new UpdateSender(send) : undefined;
      const subscription = { id, to, identity, isDirect, lists, updates };
      if (lists.length + uris.length > 0) open.set(key, subscription);
      if (uris.length > 0) {
        void watch(subscription, from, uris);
        return;
      }
      acknowledge(subscription, []);
      if (lists.length === 0) finish(subscription);
    },
    remove(key) {
      const updates = open.get(key)?.updates;
      if (updates) items?.unwatch(updates);
      return open.delete(key);
    },
    listChanged(list, concerns) {
      for (const each of open.values())
        if (each.lists.includes(list) && concerns(each))
          each.to.send(notification(each.id, `${list}/list_changed`));
    },
    closeWhere(matches) {
      for (const [key, subscription] of open) {
        if (!matches(subscription.identity)) continue;
        open.delete(key);
        finish(subscription);
      }
    },
    close() {
      for (const subscription of open.values()) finish(subscription);
      open.clear();
    },
  };
}

function readFilter(filter: unknown, hasItems: boolean): Filter {
  if (!isObject(filter))
    throw invalidFilter('"notifications" must be an object that names the notifications to send');
  const offered: readonly ListName[] = hasItems ? ['tools', 'prompts', 'resources'] : ['tools'];
  const lists = offered.filter((list) => filter[`${list}ListChanged`] === true);
  const { resourceSubscriptions: wanted } = filter;
  if (!hasItems || wanted === undefined) return { lists, uris: [] };
  if (!Array.isArray(wanted) || !wanted.every((uri): uri is string => typeof uri === 'string'))
    throw invalidFilter('"resourceSubscriptions" must be an array of URIs');
  if (wanted.length > MAX_SUBSCRIBED)
    throw invalidFilter(`"resourceSubscriptions" has more than ${MAX_SUBSCRIBED} URIs`);
  return { lists, uris: [...new Set(wanted)] };
}

function notification(id: RequestId, name: string, params: JsonObject = {}): Outgoing {
  return {
    jsonrpc: '2.0',
    method: `notifications/${name}`,
    params: { ...params, _meta: { [META.subscriptionId]: id } },
  };
}

function invalidFilter(problem: string): RpcError {
  return new RpcError(CODE.invalidParams, `Invalid params: ${problem}`, { record: 'INVALID_REQUEST' });
}

function tooManySubscriptions(limit: number): RpcError {
  return new RpcError(CODE.server, `Too many open subscriptions: the limit is ${limit}`, { status: 503 });
}
