import { isObject, type JsonObject } from '../../json/index.ts';
import { RpcFault, type RpcMessage } from '../../lib/rpc.ts';
import { isAskMethod, type AskMethod } from './capabilities.ts';

/** A request of a server to the client. */
export interface ServerAsk {
  method: AskMethod;
  params: JsonObject;
  /** Aborted when the server withdraws it, or the connection ends. */
  signal: AbortSignal;
  /** Further calls of the same client that it may be about. */
  others?: readonly OtherCall[];
}

/** A call that a question may be about, beside the one that answers it. */
export interface OtherCall {
  /** The record of the call. */
  recordId: string;
  ended: AbortSignal;
  /** Waits for the approval of the answer where the call needs one. */
  approve(given: Pick<ServerAsk, 'method' | 'params' | 'signal'> & { answer: JsonObject }): Promise<unknown>;
}

/** Who answers the requests of a server, and receives its log messages: a call, or the client that owns the connection. */
export interface AskTarget {
  asked?(ask: ServerAsk): Promise<JsonObject>;
  /** The call has a question that another one answers, until `done`; it does not time out meanwhile. */
  joined?(done: Promise<unknown>): OtherCall | undefined;
  logged?(params: JsonObject): void;
}

/**
 * A question that any of several calls may have caused, as the transport does not say which: it stays open until the last of them has ended,
 * and its answer needs what each of them needs.
 */
export function anyOf(calls: readonly AskTarget[]): AskTarget | undefined {
  const [first, ...rest] = calls;
  if (!first || rest.length === 0) return first;
  return {
    async asked(question) {
      let finish!: () => void;
      const done = new Promise<void>((resolve) => (finish = resolve));
      try {
        const others = rest.flatMap((call) => call.joined?.(done) ?? []);
        return await first.asked!({ ...question, others });
      } finally {
        finish();
      }
    },
    logged: (params) => rest.at(-1)!.logged?.(params),
  };
}

interface Parts {
  /** Answers the server. */
  answer: (message: RpcMessage) => void;
  /** The server has asked for something. */
  onAsk: (method: AskMethod, isHeard: boolean) => void;
  /** True: the connection serves several clients. */
  isShared: boolean;
  /** The proxy has told the server that clients have roots. */
  hasRoots: boolean;
}

export const METHOD_NOT_FOUND = -32601;
const MAX_OPEN = 4_096;
const MAX_DETAIL = 500;

/**
 * Answers what a server asks on one connection. On a connection that clients share, only a request that certainly belongs to one call is
 * passed on. It has no roots: the server would keep those of one client for all.
 */
export class LaneAsks {
  /** The client that the connection belongs to. */
  owner: AskTarget | undefined;
  readonly #parts: Parts;
  readonly #open = new Map<unknown, AbortController>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** False: the message is for somebody else. `target`: the call that it belongs to; `isExact`: the transport says so. */
  accept({ id, method, params = {} }: RpcMessage, target: AskTarget | undefined, isExact: boolean): boolean {
    const to = target ?? this.owner;
    // A log message may be about what the server did for another client before.
    const isKnown = isExact || !this.#parts.isShared;
    if (id === undefined || id === null) return this.#notified(method, params, isKnown ? to : undefined);
    if (!isAskMethod(method)) return false;
    if (this.#parts.isShared && method === 'roots/list') return this.#answerRoots(id);
    this.#parts.onAsk(method, to?.asked !== undefined);
    void this.#answer({ id, method, params }, to);
    return true;
  }

  /** Of a connection that clients share. */
  #answerRoots(id: string | number): boolean {
    const { hasRoots, onAsk, answer } = this.#parts;
    onAsk('roots/list', hasRoots);
    if (hasRoots) answer({ jsonrpc: '2.0', id, result: { roots: [] } });
    else void this.#answer({ id, method: 'roots/list', params: {} }, undefined);
    return true;
  }

  close(): void {
    for (const open of this.#open.values()) open.abort();
  }

  #notified(method: string | undefined, params: JsonObject, to: AskTarget | undefined): boolean {
    if (method === 'notifications/message') {
      to?.logged?.(params);
      return true;
    }
    const open = method === 'notifications/cancelled' ? this.#open.get(params.requestId) : undefined;
    open?.abort();
    return open !== undefined;
  }

  async #answer(
    ask: { id: string | number; method: AskMethod; params: JsonObject },
    to: AskTarget | undefined,
  ) {
    const { id, method, params } = ask;
    const stop = new AbortController();
    try {
      if (!to?.asked) throw new RpcFault(METHOD_NOT_FOUND, 'Method not found: no client can be asked here');
      if (this.#open.size >= MAX_OPEN || this.#open.has(id))
        throw new RpcFault(-32000, 'Too many open requests to the client');
      this.#open.set(id, stop);
      const result = await to.asked({ method, params, signal: stop.signal });
      if (!stop.signal.aborted) this.#parts.answer({ jsonrpc: '2.0', id, result });
    } catch (error) {
      if (!stop.signal.aborted) this.#parts.answer({ jsonrpc: '2.0', id, error: faultOf(error) });
    } finally {
      if (this.#open.get(id) === stop) this.#open.delete(id);
    }
  }
}

/** The server learns no more about an error of the proxy than that there was one. */
function faultOf(error: unknown): JsonObject {
  if (!(error instanceof RpcFault)) return { code: -32603, message: 'Internal error' };
  const { code, message, data } = error;
  return { code, message: message.slice(0, MAX_DETAIL), ...(isObject(data) && { data }) };
}
