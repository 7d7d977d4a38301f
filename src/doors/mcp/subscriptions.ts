import type { Identity } from '../../contract/call.ts';
import { countByClient, type McpClient } from './core.ts';
import { CODE, malformed, META, RpcError, type Outgoing, type Request, type RequestId } from './wire.ts';
import { isObject, type JsonObject } from '../../json/index.ts';

/** Where the events of one subscription go. */
export interface Subscriber {
  send(message: Outgoing): void;
  end(): void;
}

interface Parts {
  limit: number;
  /** The result that closes a subscription. */
  endResult: (id: RequestId) => JsonObject;
}

export interface Subscriptions {
  /** Serves `subscriptions/listen`; `open` opens the stream once the request is valid. `key`: for `remove`. */
  listen(request: Request, from: McpClient & { key: unknown }, open: () => Subscriber): void;
  remove(key: unknown): boolean;
  closeWhere(matches: (identity: Identity) => boolean): void;
  toolsChanged(concerns: (client: McpClient) => boolean): void;
  close(): void;
}

/** Subscriptions of revision 2026-07-28. Only the list of tools can be subscribed to. */
export function createSubscriptions({ limit, endResult }: Parts): Subscriptions {
  const open = new Map<unknown, McpClient & { id: RequestId; to: Subscriber }>();

  function finish(id: RequestId, to: Subscriber): void {
    to.send({ jsonrpc: '2.0', id, result: endResult(id) });
    to.end();
  }

  /** The client with the most subscriptions loses one to a client that has fewer. */
  function makeRoom(identity: Identity): boolean {
    const countOf = countByClient([...open.values()].map((each) => each.identity));
    const most = Math.max(...[...open.values()].map((each) => countOf(each.identity)));
    if (countOf(identity) + 1 >= most) return false;
    const [key, { id, to }] = [...open].find(([, each]) => countOf(each.identity) === most)!;
    open.delete(key);
    finish(id, to);
    return true;
  }

  return {
    listen(request, { key, identity, isDirect }, openStream) {
      const filter = request.params?.notifications;
      if (!isObject(filter)) throw invalidFilter();
      if (open.has(key)) throw malformed('a subscription with this id is open already');
      if (open.size >= limit && !makeRoom(identity)) throw tooManySubscriptions(limit);
      const isSupported = filter.toolsListChanged === true;
      const to = openStream();
      to.send(
        notification(request.id, 'subscriptions/acknowledged', {
          notifications: isSupported ? { toolsListChanged: true } : {},
        }),
      );
      if (isSupported) open.set(key, { id: request.id, to, identity, isDirect });
      else finish(request.id, to);
    },
    remove: (key) => open.delete(key),
    toolsChanged(concerns) {
      for (const each of open.values())
        if (concerns(each)) each.to.send(notification(each.id, 'tools/list_changed'));
    },
    closeWhere(matches) {
      for (const [key, { id, to, identity }] of open) {
        if (!matches(identity)) continue;
        open.delete(key);
        finish(id, to);
      }
    },
    close() {
      for (const { id, to } of open.values()) finish(id, to);
      open.clear();
    },
  };
}

function notification(id: RequestId, name: string, params: JsonObject = {}): Outgoing {
  return {
    jsonrpc: '2.0',
    method: `notifications/${name}`,
    params: { ...params, _meta: { [META.subscriptionId]: id } },
  };
}

function invalidFilter(): RpcError {
  return new RpcError(
    CODE.invalidParams,
    'Invalid params: "notifications" must be an object that names the notifications to send',
    {
      record: 'INVALID_REQUEST',
    },
  );
}

function tooManySubscriptions(limit: number): RpcError {
  return new RpcError(CODE.server, `Too many open subscriptions: the limit is ${limit}`, { status: 503 });
}
