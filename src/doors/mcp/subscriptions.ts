import type { Identity } from '../../contract/call.ts';
import { countByClient, type McpClient } from './core.ts';
import type { ItemDoor, Subscriber as SubscribingClient } from './items/item-door.ts';
import { MAX_SUBSCRIBED, UpdateSender } from './items/update-sender.ts';
import type { TaskMethods } from './tasks/task-methods.ts';
import { checkExtension } from './tasks/task-wire.ts';
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
  /** Absent: no call runs in the background. */
  tasks: TaskMethods | undefined;
}

export interface Listener extends McpClient, SubscribingClient {
  /** For `remove`. */
  key: unknown;
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
  taskIds: string[];
}

interface Open extends McpClient {
  id: RequestId;
  to: Subscriber;
  lists: readonly ListName[];
  updates: UpdateSender | undefined;
  unwatchTasks?: () => void;
}

/** Subscriptions of revision 2026-07-28: to the lists, to single resources and to tasks. */
export function createSubscriptions({ limit, endResult, items, tasks }: Parts): Subscriptions {
  const open = new Map<unknown, Open>();

  function unwatch({ updates, unwatchTasks }: Open): void {
    if (updates) items?.unwatch(updates);
    unwatchTasks?.();
  }

  function finish(subscription: Open): void {
    const { id, to } = subscription;
    unwatch(subscription);
    to.send({ jsonrpc: '2.0', id, result: endResult(id) });
    to.end();
  }

  function end(key: unknown): void {
    const subscription = open.get(key);
    if (open.delete(key)) finish(subscription!);
  }

  /** The client with the most subscriptions loses one to a client that has fewer. */
  function makeRoom(identity: Identity): boolean {
    const countOf = countByClient([...open.values()].map((each) => each.identity));
    const most = Math.max(...[...open.values()].map((each) => countOf(each.identity)));
    if (countOf(identity) + 1 >= most) return false;
    const [key] = [...open].find(([, each]) => countOf(each.identity) === most)!;
    end(key);
    return true;
  }

  function acknowledge({ id, to, lists }: Open, { uris, taskIds }: Omit<Filter, 'lists'>): void {
    const granted = {
      ...Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
      ...(taskIds.length > 0 && { taskIds }),
    };
    to.send(notification(id, 'subscriptions/acknowledged', { notifications: granted }));
  }

  /** The road decides about each resource, and a task belongs to its caller, so the acknowledgement follows. */
  async function watch(subscription: Open, from: Listener, filter: Filter): Promise<void> {
    const { updates, lists, id, to } = subscription;
    const { key, caller } = from;
    const uris = updates ? await items!.watch(filter.uris, from, updates) : [];
    const calls = tasks ? await tasks.watchable(caller, filter.taskIds) : [];
    if (open.get(key) !== subscription) return unwatch(subscription);
    acknowledge(subscription, { uris, taskIds: calls.map((call) => call.id) });
    subscription.unwatchTasks = tasks?.updates.watch(calls, (task) =>
      to.send(notification(id, 'tasks', task)),
    );
    if (lists.length + uris.length + calls.length === 0) end(key);
  }

  return {
    listen(request, from, openStream) {
      const filter = readFilter(request.params?.notifications, { items, tasks });
      const { lists, uris, taskIds } = filter;
      if (taskIds.length > 0) checkExtension(request);
      const { key, identity, isDirect } = from;
      if (open.has(key)) throw malformed('a subscription with this id is open already');
      if (open.size >= limit && !makeRoom(identity)) throw tooManySubscriptions(limit);
      const { id } = request;
      const to = openStream();
      const send = (uri: string) => to.send(notification(id, 'resources/updated', { uri }));
      const isReadable = (server: string, uri: string) => items!.isReadable(identity, server, uri);
      const updates = uris.length > 0 ? new UpdateSender(send, isReadable) : undefined;
      const subscription: Open = { id, to, identity, isDirect, lists, updates };
      if (lists.length + uris.length + taskIds.length > 0) open.set(key, subscription);
      if (uris.length + taskIds.length > 0) {
        void watch(subscription, from, filter).catch(() => end(key));
        return;
      }
      acknowledge(subscription, { uris: [], taskIds: [] });
      if (lists.length === 0) finish(subscription);
    },
    remove(key) {
      const subscription = open.get(key);
      if (subscription) unwatch(subscription);
      return open.delete(key);
    },
    listChanged(list, concerns) {
      for (const each of open.values())
        if (each.lists.includes(list) && concerns(each))
          each.to.send(notification(each.id, `${list}/list_changed`));
    },
    closeWhere(matches) {
      for (const [key, subscription] of open) if (matches(subscription.identity)) end(key);
    },
    close() {
      for (const subscription of open.values()) finish(subscription);
      open.clear();
    },
  };
}

function readFilter(filter: unknown, { items, tasks }: Pick<Parts, 'items' | 'tasks'>): Filter {
  if (!isObject(filter))
    throw invalidFilter('"notifications" must be an object that names the notifications to send');
  const offered: readonly ListName[] = items ? ['tools', 'prompts', 'resources'] : ['tools'];
  return {
    lists: offered.filter((list) => filter[`${list}ListChanged`] === true),
    uris: items ? readNames(filter, 'resourceSubscriptions') : [],
    taskIds: tasks ? readNames(filter, 'taskIds') : [],
  };
}

function readNames(filter: JsonObject, field: string): string[] {
  const wanted = filter[field] ?? [];
  if (!Array.isArray(wanted) || !wanted.every((name): name is string => typeof name === 'string'))
    throw invalidFilter(`"${field}" must be an array of strings`);
  if (wanted.length > MAX_SUBSCRIBED)
    throw invalidFilter(`"${field}" has more than ${MAX_SUBSCRIBED} entries`);
  return [...new Set(wanted)];
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
