import { isGarbled, type RpcMessage } from '../../lib/rpc.ts';
import { exactValue, isObject, type JsonObject } from '../../json/index.ts';

/** What became of a request that got no answer. */
export type LaneFault =
  /** It never left. */
  | 'unsent'
  /** The connection was lost after it had left. */
  | 'lost'
  | 'too_large'
  | 'too_deep'
  | 'not_utf8'
  /** It was given up at its deadline. */
  | 'late'
  /** The HTTP exchange went wrong: status, content type. */
  | 'http';

/** Which part of an exchange took too long: to connect, until the first byte of the answer, between two parts of it, or all of it. */
export type Phase = 'connect' | 'first_byte' | 'idle' | 'total';

export class LaneError extends Error {
  readonly fault: LaneFault;
  readonly status: number | undefined;
  /** Where one part of the exchange has a limit of its own, and that has passed. */
  readonly slow: { phase: Phase; limitMs: number } | undefined;

  constructor(fault: LaneFault, message: string, more: { status?: number; slow?: LaneError['slow'] } = {}) {
    super(message);
    this.fault = fault;
    this.status = more.status;
    this.slow = more.slow;
  }
}

/** Who waits for an answer. An object instead of closures: there is one per call. */
export interface Waiter {
  answered(message: RpcMessage): void;
  lost(error: LaneError): void;
  progressed?: ((params: JsonObject) => void) | undefined;
}

export interface LanePort {
  send(message: RpcMessage, headers?: Record<string, string>): Promise<void> | void;
  /** Ends the exchange of a request; where there is one exchange per request. */
  abort?(id: number): void;
  /** How far a request has come; absent where nobody can tell. */
  progress?(id: number): { phase: Phase; bytes: number } | undefined;
  /** True where ending the exchange is how a request is cancelled. */
  readonly abortCancels?: boolean;
}

/** The SDK client counts from 0 on the same connection; ids from here on are ours. */
const FIRST_ID = 1_000_000_000;

/**
 * Requests beside the SDK client on its connection. The SDK connects, negotiates and answers the server; what is relayed goes through
 * here, so that results come back exactly as they were sent and cost little.
 */
export class Lane {
  readonly #port: LanePort;
  readonly #envelope: JsonObject | undefined;
  readonly #waiting = new Map<number, Waiter>();
  #nextId = FIRST_ID;
  #closed: LaneError | undefined;

  /** `envelope`: what every request of the 2026-07-28 revision carries in its `_meta`. */
  constructor(port: LanePort, envelope: JsonObject | undefined) {
    this.#port = port;
    this.#envelope = envelope;
  }

  /** Servers of the older era know no envelope, and nothing that goes with it. */
  get modern(): boolean {
    return this.#envelope !== undefined;
  }

  /** `ownMeta`: what this request says in its `_meta` instead of the envelope. */
  request(
    method: string,
    params: JsonObject,
    waiter: Waiter,
    headers?: Record<string, string>,
    ownMeta?: JsonObject,
  ): number {
    const id = this.#nextId++;
    if (this.#closed) {
      queueMicrotask(() => waiter.lost(new LaneError('unsent', this.#closed!.message)));
      return id;
    }
    this.#waiting.set(id, waiter);
    const common = ownMeta ? { ...this.#envelope, ...ownMeta } : this.#envelope;
    const meta = waiter.progressed ? { ...common, progressToken: id } : common;
    const message: RpcMessage = {
      jsonrpc: '2.0',
      id,
      method,
      params: meta ? { ...params, _meta: meta } : params,
    };
    void this.#port.send(message, headers)?.catch((error: Error) => this.fail(id, asLaneError(error)));
    return id;
  }

  /** Nobody waits any more: tells the server, and drops an answer that comes all the same. */
  cancel(id: number, reason: string): void {
    if (!this.#waiting.delete(id)) return;
    this.#port.abort?.(id);
    if (this.#port.abortCancels) return;
    const params: JsonObject = { requestId: id, reason };
    if (this.#envelope) params._meta = this.#envelope;
    void this.#port
      .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      ?.catch(() => undefined);
  }

  /** How far a request has come that is not answered. */
  progress(id: number): { phase: Phase; bytes: number } {
    return this.#port.progress?.(id) ?? { phase: 'first_byte', bytes: 0 };
  }

  /** True if the message was for this lane; otherwise it is the SDK's. */
  accept(message: RpcMessage): boolean {
    if (message.method === undefined) return this.#answer(message);
    if (message.method !== 'notifications/progress') return false;
    const token = message.params?.progressToken;
    if (typeof token !== 'number' || token < FIRST_ID) return false;
    this.#waiting.get(token)?.progressed?.(message.params!);
    return true;
  }

  fail(id: number, error: LaneError): void {
    const waiter = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiter?.lost(error);
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves when nobody waits any more; every request has a deadline, so that it will. */
  async idle(): Promise<void> {
    while (this.#waiting.size > 0) await new Promise((done) => setTimeout(done, 100).unref());
  }

  /** An answer that cannot be read and does not say whose it is. With one request open there is no doubt. */
  failOnly(error: LaneError): boolean {
    if (this.#waiting.size !== 1) return false;
    for (const id of this.#waiting.keys()) this.fail(id, error);
    return true;
  }

  close(error: LaneError): void {
    this.#closed ??= error;
    for (const id of this.#waiting.keys()) this.fail(id, error);
  }

  #answer(message: RpcMessage): boolean {
    const id = message.id;
    if (typeof id !== 'number' || id < FIRST_ID) return false;
    const waiter = this.#waiting.get(id);
    // Late, repeated or invented answers end here.
    if (!waiter || !this.#waiting.delete(id)) return true;
    if (isGarbled(message)) waiter.lost(new LaneError('not_utf8', 'the answer is not valid UTF-8'));
    else waiter.answered(message);
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

/** The two shapes of an answer, with what servers get wrong made explicit. */
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

/** One request of our own, with a limit. */
export function ask(lane: Lane, method: string, params: JsonObject, limitMs: number): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      lane.cancel(id, `no answer within ${limitMs} ms`);
      reject(new LaneError('late', `no answer to ${method} within ${limitMs} ms`));
    }, limitMs);
    const id = lane.request(method, params, {
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
