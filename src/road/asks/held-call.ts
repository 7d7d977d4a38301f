import { randomUUID } from 'node:crypto';
import type { CallResult, Cancellation } from '../../contract/call.ts';
import { isObject, type JsonObject } from '../../json/index.ts';
import { RpcFault } from '../../lib/rpc.ts';
import type { Progress } from '../../upstream/dispatch/dispatch-call.ts';

/** One request of the client: the first of a call, or one that brings answers. */
export interface Round {
  signal: Cancellation;
  onProgress?: ((progress: Progress) => void) | undefined;
}

interface OpenAsk {
  method: string;
  params: JsonObject;
  resolve(answer: JsonObject): void;
}

type Outcome = { result: CallResult } | { error: unknown };
type Listener = Parameters<Cancellation['addEventListener']>[1];

/**
 * A call that may outlive the request that began it. Where its server asks the client, and the client is asked by results, the request ends
 * with "input required" while the call goes on; the next request of the client brings the answers and waits for what comes next. It is its
 * own cancellation signal, which follows the present request.
 */
export class HeldCall implements Cancellation {
  #id: string | undefined;
  /** The number of the round that the client may send next. */
  round = 0;
  aborted = false;
  reason: unknown;
  readonly #listeners = new Set<Listener>();
  readonly #asks = new Map<string, OpenAsk>();
  readonly #proxy: string;
  #present: Round | undefined;
  #waiter: ((outcome: Outcome) => void) | undefined;
  #ended: Outcome | undefined;
  #isPlanned = false;
  #lastKey = 0;

  /** `proxy`: where it runs, among those on one database. */
  constructor(round: Round, proxy = '') {
    this.#proxy = proxy;
    this.#follow(round);
  }

  addEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** The present request was cancelled. */
  handleEvent(): void {
    this.abort(this.#present?.signal.reason);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners) listener.handleEvent();
  }

  /** Made when the call is held: few are. */
  get id(): string {
    return (this.#id ??= randomUUID());
  }

  readonly progress = (progress: Progress): void => this.#present?.onProgress?.(progress);

  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Runs the call until it ends, or until the client must be asked. */
  run(work: Promise<CallResult>): Promise<CallResult> {
    work.then(
      (result) => this.#finish({ result }),
      (error: unknown) => this.#finish({ error }),
    );
    return this.#next();
  }

  /** The client came back. Asks that it left open are put to it again. */
  resume(round: Round, responses: unknown): Promise<CallResult> {
    this.#follow(round);
    const given = isObject(responses) ? responses : {};
    for (const [key, ask] of this.#asks) {
      const answer = Object.hasOwn(given, key) ? given[key] : undefined;
      if (!isObject(answer)) continue;
      this.#asks.delete(key);
      ask.resolve(answer);
    }
    if (this.#asks.size > 0) this.#plan();
    return this.#next();
  }

  /** Asks the client; resolves with its answer. */
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const key = `ask-${++this.#lastKey}`;
    return new Promise((resolve, reject) => {
      const withdraw = (): void => {
        this.#asks.delete(key);
        reject(new RpcFault(-32000, 'The request was withdrawn'));
      };
      if (signal.aborted) return withdraw();
      signal.addEventListener('abort', withdraw, { once: true });
      this.#asks.set(key, { method, params, resolve });
      this.#plan();
    });
  }

  /** Requests that the server sends together reach the client together. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      if (this.#asks.size > 0 && this.#waiter) this.#settle({ result: this.#question() });
    });
  }

  #question(): CallResult {
    this.round++;
    const asks = [...this.#asks].map(([key, { method, params }]) => [key, { method, params }]);
    const requestState = { mcpproxy_held: this.id, round: this.round, proxy: this.#proxy };
    return { resultType: 'input_required', inputRequests: Object.fromEntries(asks), requestState };
  }

  #finish(outcome: Outcome): void {
    this.#ended = outcome;
    if (this.#waiter) this.#settle(outcome);
  }

  #settle(outcome: Outcome): void {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    this.#present?.signal.removeEventListener('abort', this);
    this.#present = undefined;
    waiter?.(outcome);
  }

  #next(): Promise<CallResult> {
    return new Promise((resolve, reject) => {
      this.#waiter = (outcome) => ('result' in outcome ? resolve(outcome.result) : reject(outcome.error));
      if (this.#ended) this.#settle(this.#ended);
    });
  }

  #follow(round: Round): void {
    this.#present = round;
    round.signal.addEventListener('abort', this);
    if (round.signal.aborted) this.abort(round.signal.reason);
  }
}
