import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isGarbled, type RpcMessage } from '../../lib/rpc.ts';
import { exactValue, isObject, merge, type JsonObject } from '../../json/index.ts';
import { anyOf, LaneAsks, type AskTarget } from '../asks/lane-asks.ts';
import type { AskMethod } from '../asks/capabilities.ts';
import { TurnoverMap } from '../../load/index.ts';

/** Why a request got no answer. */
export type LaneFault =
  /** It was never sent. */
  | 'unsent'
  /** The connection was lost after it was sent. */
  | 'lost'
  | 'too_large'
  | 'too_deep'
  | 'not_utf8'
  /** No answer within the limit. */
  | 'late'
  /** Unusable HTTP response: status, content type. */
  | 'http';

/** Which part of an exchange timed out: connecting, the time to first byte, a pause within the answer, or the exchange as a whole. */
export type Phase = 'connect' | 'first_byte' | 'idle' | 'total';

export class LaneError extends Error {
  readonly fault: LaneFault;
  readonly status: number | undefined;
  /** The phase that exceeded its own limit, if one did. */
  readonly slow: { phase: Phase; limitMs: number } | undefined;

  constructor(fault: LaneFault, message: string, more: { status?: number; slow?: LaneError['slow'] } = {}) {
    super(message);
    this.fault = fault;
    this.status = more.status;
    this.slow = more.slow;
  }
}

/** What the proxy asks a server for by itself. */
type OwnMethod =
  | 'tools/list'
  | 'prompts/list'
  | 'resources/list'
  | 'resources/templates/list'
  | 'skills/list'
  | 'resources/subscribe'
  | 'resources/unsubscribe'
  | 'logging/setLevel';

/** A request in flight. One object instead of closures and option objects, because there is one per call. */
export interface LaneRequest extends AskTarget {
  /** Whose request it is; absent: the proxy's own. */
  readonly asker?: unknown;
  /** Further HTTP headers, and further fields for the request's `_meta`. */
  readonly headers?: Record<string, string> | undefined;
  readonly meta?: JsonObject | undefined;
  answered(message: RpcMessage): void;
  lost(error: LaneError): void;
  progressed?: ((params: JsonObject) => void) | undefined;
}

export interface LanePort {
  send(message: RpcMessage, headers?: Record<string, string>): Promise<void> | void;
  /** Ends the exchange of a request, on transports with one exchange per request. */
  abort?(id: number): void;
  /** How far a request has come, if the transport can tell. */
  progress?(id: number): { phase: Phase; bytes: number } | undefined;
  /** True if aborting the exchange already cancels the request at the server. */
  readonly abortCancels?: boolean;
}

/** Whose connection it is: absent, all clients share it. */
export interface LaneClients {
  isShared?: boolean | undefined;
  /** Clients of other processes use it too, so it is never certain whose a question is. */
  isMixed?: boolean | undefined;
  /** The proxy has told the server that clients have roots. */
  hasRoots?: boolean | undefined;
  onAsk?: ((method: AskMethod, isHeard: boolean) => void) | undefined;
}

/** The SDK client counts from 0 on the same connection; ids from here on are ours. */
const FIRST_ID = 1_000_000_000;
const SET_LEVEL_MS = 5_000;

/** Sends over the SDK's own transport. */
export function transportPort(transport: Transport): LanePort {
  return { send: (message) => transport.send(message as JSONRPCMessage) };
}

/**
 * Sends requests beside the SDK client on the same connection. The SDK connects, negotiates and answers the server's requests. Tool calls go
 * through here, so that results arrive exactly as they were sent and at little cost.
 */
export class Lane {
  readonly #port: LanePort;
  readonly #envelope: JsonObject | undefined;
  /** What the server asks of clients on this connection. */
  readonly asks: LaneAsks;
  readonly #waiting = new TurnoverMap<number, LaneRequest>();
  readonly #isShared: boolean;
  /** The client of all requests so far; it is certain whose a question is until a second one comes. */
  #client: unknown;
  #isMixed = false;
  #nextId = FIRST_ID;
  #closed: LaneError | undefined;

  /** `envelope`: what every request of the 2026-07-28 revision carries in its `_meta`. */
  constructor(
    port: LanePort,
    envelope: JsonObject | undefined,
    { isShared, isMixed, hasRoots, onAsk }: LaneClients = {},
  ) {
    this.#port = port;
    this.#envelope = envelope;
    this.#isShared = isShared ?? true;
    this.#isMixed = isMixed === true;
    this.asks = new LaneAsks({
      // The server may be gone before it has its answer, which is reported where its calls fail.
      answer: (message) => void port.send(message)?.catch(() => undefined),
      onAsk: onAsk ?? (() => undefined),
      isShared: this.#isShared,
      hasRoots: hasRoots === true,
    });
  }

  /** Servers before the 2026-07-28 revision have no envelope. */
  get modern(): boolean {
    return this.#envelope !== undefined;
  }

  /** Routes the lane's messages of a transport here and all others to the transport's present listener. Returns the new listener. */
  attach(transport: Transport): (message: RpcMessage, relatedId?: number) => void {
    const forward = transport.onmessage;
    const onmessage = (message: RpcMessage, relatedId?: unknown): void => {
      const related = typeof relatedId === 'number' ? relatedId : undefined;
      if (!this.accept(message, related)) forward?.(message as JSONRPCMessage);
    };
    Object.assign(transport, { onmessage });
    return onmessage;
  }

  request(method: string, params: JsonObject, request: LaneRequest): number {
    const id = this.#nextId++;
    if (this.#closed) {
      queueMicrotask(() => request.lost(new LaneError('unsent', this.#closed!.message)));
      return id;
    }
    this.#waiting.set(id, request);
    if (this.#isShared && !this.#isMixed) this.#note(request.asker);
    const common = request.meta ? merge(this.#envelope ?? {}, request.meta) : this.#envelope;
    const meta = request.progressed ? merge(common ?? {}, { progressToken: id }) : common;
    const message: RpcMessage = {
      jsonrpc: '2.0',
      id,
      method,
      params: meta ? merge(params, { _meta: meta }) : params,
    };
    void this.#port
      .send(message, request.headers)
      ?.catch((error: Error) => this.fail(id, asLaneError(error)));
    return id;
  }

  /** A request of the proxy itself, with a time limit. */
  ask(method: OwnMethod, params: JsonObject, limitMs: number): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.cancel(id, `no answer within ${limitMs} ms`);
        reject(new LaneError('late', `no answer to ${method} within ${limitMs} ms`));
      }, limitMs);
      const id = this.request(method, params, {
        answered(message) {
          clearTimeout(timer);
          const answer = readAnswer(message);
          if ('result' in answer) resolve(answer.result);
          else reject(new Error(`${method} failed: ${answer.failure.message} (${answer.failure.code})`));
        },
        lost(error) {
          clearTimeout(timer);
          reject(error);
        },
      });
    });
  }

  /** Without it the client gets more messages than it wants, which the door drops. */
  async setLogLevel(level: string): Promise<void> {
    await this.ask('logging/setLevel', { level }, SET_LEVEL_MS).catch(() => undefined);
  }

  /** Tells the server that the request is cancelled; an answer that still arrives is dropped. */
  cancel(id: number, reason: string): void {
    if (!this.#waiting.delete(id)) return;
    this.#port.abort?.(id);
    if (this.#port.abortCancels) return;
    const params: JsonObject = { requestId: id, reason };
    if (this.#envelope) params._meta = this.#envelope;
    void this.#port
      .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      // The call is settled already; a server that cannot be told changes nothing.
      ?.catch(() => undefined);
  }

  /** How far an unanswered request has come. */
  progress(id: number): { phase: Phase; bytes: number } {
    return this.#port.progress?.(id) ?? { phase: 'first_byte', bytes: 0 };
  }

  /** True if the message was for this lane; otherwise it is for the SDK client. `related`: the request on whose stream it came. */
  accept(message: RpcMessage, related?: number): boolean {
    if (message.method === undefined) return this.#answer(message);
    if (message.method !== 'notifications/progress')
      return this.asks.accept(message, this.#callOf(related), related !== undefined);
    const token = message.params?.progressToken;
    if (typeof token !== 'number' || token < FIRST_ID) return false;
    this.#waiting.get(token)?.progressed?.(message.params!);
    return true;
  }

  /** Whether a question may be about a call of another client. */
  hasServedOthers(client: unknown): boolean {
    return this.#isMixed || (this.#client !== undefined && this.#client !== client);
  }

  get isClaimed(): boolean {
    return this.asks.owner !== undefined;
  }

  /** All questions are for this client, until another one uses the connection. */
  claim(client: unknown, target: AskTarget): void {
    this.#note(client);
    if (!this.#isMixed) this.asks.owner = target;
  }

  #note(client: unknown): void {
    if (client === undefined) return;
    this.#isMixed ||= this.#client !== undefined && this.#client !== client;
    this.#client = client;
    if (this.#isMixed) this.asks.owner = undefined;
  }

  /**
   * Where the transport does not say which call a message belongs to: any of those in flight, which are of one client. On a connection that
   * has served two clients, the message may belong to a call of the other one that has ended.
   */
  #callOf(related: number | undefined): AskTarget | undefined {
    if (related !== undefined) return this.#waiting.get(related);
    if (this.#isMixed) return undefined;
    return anyOf(this.#waiting.values().filter((request) => 'asked' in request));
  }

  fail(id: number, error: LaneError): void {
    const request = this.#waiting.get(id);
    this.#waiting.delete(id);
    request?.lost(error);
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves when no request is open. Every request has a deadline, so it always resolves. */
  async idle(): Promise<void> {
    while (this.#waiting.size > 0) await new Promise((done) => setTimeout(done, 100).unref());
  }

  /** For an unreadable answer without an id: fails the open request if there is exactly one. */
  failOnly(error: LaneError): boolean {
    if (this.#waiting.size !== 1) return false;
    for (const id of this.#waiting.keys()) this.fail(id, error);
    return true;
  }

  close(error: LaneError): void {
    this.#closed ??= error;
    this.asks.close();
    for (const id of this.#waiting.keys()) this.fail(id, error);
  }

  #answer(message: RpcMessage): boolean {
    const id = message.id;
    if (typeof id !== 'number' || id < FIRST_ID) return false;
    const request = this.#waiting.get(id);
    // Late, repeated and made-up answers are dropped.
    if (!request || !this.#waiting.delete(id)) return true;
    if (isGarbled(message)) request.lost(new LaneError('not_utf8', 'the answer is not valid UTF-8'));
    else request.answered(message);
    return true;
  }
}

function asLaneError(error: Error): LaneError {
  return error instanceof LaneError ? error : new LaneError('unsent', error.message);
}

export interface RpcFailure {
  code: number;
  message: string;
  data?: unknown;
}

/** The result or the error of an answer. Malformed answers become errors. */
export function readAnswer(message: RpcMessage): { result: JsonObject } | { failure: RpcFailure } {
  if (isObject(message.result)) return { result: message.result };
  const said = exactValue(message.error);
  const error = isObject(said) ? said : undefined;
  if (!error)
    return { failure: { code: -32603, message: 'the answer holds neither a result object nor an error' } };
  const code = typeof error.code === 'number' ? error.code : -32603;
  const text = typeof error.message === 'string' ? error.message : 'no message given';
  return { failure: { code, message: text, ...('data' in error && { data: error.data }) } };
}
