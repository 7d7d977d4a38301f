import type { Visitor } from './core.ts';
import { malformed } from './parse-message.ts';
import { sharesOf } from './shares.ts';
import { CODE, META, RpcError, type Outgoing, type Request, type RequestId } from './wire.ts';
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
  /** Serves `subscriptions/listen`; `open` is asked for the stream once the request was found good. */
  listen(key: unknown, request: Request, visitor: Visitor, open: () => Subscriber): void;
  remove(key: unknown): boolean;
  /** Closes those of one visitor. */
  closeOf(concerns: (visitor: Visitor) => boolean): void;
  toolsChanged(): void;
  close(): void;
}

/** Standing requests of revision 2026-07-28. The only thing that changes here are the tools. */
export function createSubscriptions({ limit, endResult }: Parts): Subscriptions {
  const open = new Map<unknown, { id: RequestId; to: Subscriber; visitor: Visitor }>();

  function finish(id: RequestId, to: Subscriber): void {
    to.send({ jsonrpc: '2.0', id, result: endResult(id) });
    to.end();
  }

  /** Whoever has the most gives one up for a client that has fewer. */
  function makeRoom(visitor: Visitor): boolean {
    const share = sharesOf([...open.values()].map((each) => each.visitor));
    const most = Math.max(...[...open.values()].map((each) => share(each.visitor)));
    if (share(visitor) + 1 >= most) return false;
    const [key, { id, to }] = [...open].find(([, each]) => share(each.visitor) === most)!;
    open.delete(key);
    finish(id, to);
    return true;
  }

  return {
    listen(key, request, visitor, openStream) {
      const asked = request.params?.notifications;
      if (!isObject(asked)) throw badFilter();
      if (open.has(key)) throw malformed('a subscription with this id is open already');
      if (open.size >= limit && !makeRoom(visitor)) throw tooMany(limit);
      const honoured = asked.toolsListChanged === true;
      const to = openStream();
      to.send(
        notification(request.id, 'subscriptions/acknowledged', {
          notifications: honoured ? { toolsListChanged: true } : {},
        }),
      );
      if (honoured) open.set(key, { id: request.id, to, visitor });
      else finish(request.id, to);
    },
    remove: (key) => open.delete(key),
    toolsChanged() {
      for (const { id, to } of open.values()) to.send(notification(id, 'tools/list_changed'));
    },
    closeOf(concerns) {
      for (const [key, { id, to, visitor }] of open) {
        if (!concerns(visitor)) continue;
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

function badFilter(): RpcError {
  return new RpcError(
    CODE.invalidParams,
    'Invalid params: "notifications" must be an object that names what to listen for',
    {
      record: 'INVALID_REQUEST',
    },
  );
}

function tooMany(limit: number): RpcError {
  return new RpcError(CODE.server, `Too many open subscriptions: the limit is ${limit}`, { status: 503 });
}
