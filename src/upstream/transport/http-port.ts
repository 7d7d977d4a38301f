import { setTimeout as sleep } from 'node:timers/promises';
import type { TraceContext } from '../../contract/call.ts';
import type { Dispatcher } from 'undici';
import { isObject, jsonText, merge } from '../../json/index.ts';
import { isLastTry, type Bearer } from './bearer.ts';
import type { Challenge } from '../auth/challenge.ts';
import { HttpExchange, type ExchangeOwner } from './http-exchange.ts';
import { describeStatus } from './http-faults.ts';
import { LaneError, type LanePort, type Phase } from './lane.ts';
import { readContext } from '../../lib/trace.ts';
import { headerValue } from '../../lib/param-headers.ts';
import { MESSAGE_LEVELS, type RpcMessage } from '../../lib/rpc.ts';
import { TurnoverMap, TurnoverSet } from '../../load/index.ts';

export interface HttpPortOptions {
  url: URL;
  agent: Dispatcher;
  connectMs: number;
  idleMs: number;
  /** The headers of every request: configured ones, session, protocol version. */
  headers: Record<string, string>;
  bearer?: Bearer | undefined;
  modern: boolean;
  hasSession: boolean;
  deliver: (message: RpcMessage, related: number | undefined) => void;
  fail: (id: number, error: LaneError) => void;
  /** The session has expired, or the server cannot be reached. */
  lost: (reason: string) => void;
}

const EVENTS = 'text/event-stream';
const LINGER_MS = 5000;
const DEFAULT_RETRY_MS = 1000;
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 30_000;
const NOTIFICATION_TIMEOUT_MS = 30_000;

/** Requests to a Streamable HTTP server: one POST each, over kept-alive connections. */
export class HttpPort implements LanePort, ExchangeOwner {
  readonly abortCancels: boolean;
  readonly #options: HttpPortOptions;
  readonly #open = new TurnoverMap<number, HttpExchange>();
  readonly #lingering = new TurnoverSet<HttpExchange>();
  #path: string;

  constructor(options: HttpPortOptions) {
    this.#options = options;
    this.#path = options.url.pathname + options.url.search;
    this.abortCancels = options.modern;
  }

  send(message: RpcMessage, headers?: Record<string, string>): void {
    const exchange = new HttpExchange(this, message, this.#headersOf(message, headers));
    if (exchange.id !== undefined) this.#open.set(exchange.id, exchange);
    const { bearer } = this.#options;
    if (bearer?.isStale()) void bearer.renew().then(() => this.#dispatch(exchange));
    else this.#dispatch(exchange);
  }

  abort(id: number): void {
    const exchange = this.#open.get(id);
    this.#open.delete(id);
    exchange?.abort(new LaneError('lost', 'cancelled'));
  }

  progress(id: number): { phase: Phase; bytes: number } | undefined {
    const exchange = this.#open.get(id);
    return exchange && { phase: exchange.phase, bytes: exchange.bytes };
  }

  get connectMs(): number {
    return this.#options.connectMs;
  }

  get idleMs(): number {
    return this.#options.idleMs;
  }

  close(): void {
    for (const exchange of [...this.#open.values(), ...this.#lingering])
      exchange.abort(new LaneError('lost', 'the connection was closed'));
  }

  deliver(message: RpcMessage, related: number | undefined): void {
    this.#options.deliver(message, related);
  }

  /** Streams that stay open after the answer are closed after a while, because each one occupies a socket. */
  lingers(exchange: HttpExchange): void {
    if (this.#lingering.has(exchange)) return;
    this.#lingering.add(exchange);
    if (exchange.id !== undefined) this.#open.delete(exchange.id);
    if (this.#lingering.size > 1) return;
    setTimeout(() => {
      for (const one of this.#lingering)
        one.abort(new LaneError('lost', 'the stream stayed open after the answer'));
    }, LINGER_MS).unref();
  }

  finished(exchange: HttpExchange, error: LaneError | undefined): void {
    this.#lingering.delete(exchange);
    const { id } = exchange;
    if (id === undefined || this.#open.get(id) !== exchange) return;
    this.#open.delete(id);
    if (!error) return;
    if (exchange.resumedFrom !== '') return this.#options.fail(id, new LaneError('lost', error.message));
    if (error.status === 404 && this.#options.hasSession) {
      this.#options.fail(id, new LaneError('unsent', 'the server no longer knows the session'));
      this.#options.lost('the server no longer knows the session');
      return;
    }
    this.#options.fail(id, error);
    if (error.fault === 'unsent') this.#options.lost(error.message);
  }

  /** Only once and within the same origin: the configured headers must not go to another server. */
  redirected(exchange: HttpExchange, location: string): boolean {
    const { url } = this.#options;
    if (!URL.canParse(location, url.href)) return false;
    const target = new URL(location, url);
    if (target.origin !== url.origin || exchange.redirects > 0 || exchange.resumedFrom !== '') return false;
    this.#path = target.pathname + target.search;
    const again = new HttpExchange(this, exchange.message, exchange.headers);
    again.redirects = 1;
    if (again.id !== undefined) this.#open.set(again.id, again);
    this.#dispatch(again);
    return true;
  }

  get bearer(): Bearer | undefined {
    return this.#options.bearer;
  }

  /** The server rejected the token, so that the request did not run: it is sent again once with another one. */
  challenged(exchange: HttpExchange, challenge: Challenge): void {
    const { message, headers, resumedFrom, sent } = exchange;
    const again = new HttpExchange(this, message, headers);
    const isNonce = challenge.wantsNonce === true;
    again.sent = merge(sent, {
      isRepeat: sent.isRepeat || !isNonce,
      isNonceRepeat: sent.isNonceRepeat || isNonce,
    });
    again.resumedFrom = resumedFrom;
    if (again.id !== undefined) this.#open.set(again.id, again);
    void this.bearer!.challenged(challenge, sent).then((isRenewed) => {
      const isWaitedFor = again.id === undefined || this.#open.get(again.id) === again;
      if (isRenewed && !isLastTry(challenge, sent) && isWaitedFor) return this.#dispatch(again);
      const { status } = challenge;
      this.finished(again, new LaneError('http', describeStatus(status, ''), { status }));
    });
  }

  resume(exchange: HttpExchange, lastEventId: string, retryMs: number | undefined): void {
    if (this.#options.modern)
      return this.finished(exchange, new LaneError('lost', 'the stream broke before the answer'));
    const delay = Math.min(Math.max(retryMs ?? DEFAULT_RETRY_MS, MIN_RETRY_MS), MAX_RETRY_MS);
    void sleep(delay, undefined, { ref: false }).then(() => {
      if (exchange.id === undefined || this.#open.get(exchange.id) !== exchange) return;
      const again = new HttpExchange(this, exchange.message, exchange.headers);
      again.resumedFrom = lastEventId;
      this.#open.set(exchange.id, again);
      this.#dispatch(again);
    });
  }

  #dispatch(exchange: HttpExchange): void {
    const { agent, url } = this.#options;
    const headersTimeout = exchange.id === undefined ? NOTIFICATION_TIMEOUT_MS : 0;
    const { resumedFrom: id, message } = exchange;
    const headers = this.#authorized(exchange, id === '' ? 'POST' : 'GET');
    const what =
      id === ''
        ? { method: 'POST' as const, headers, body: jsonText(message, MESSAGE_LEVELS) }
        : { method: 'GET' as const, headers: { ...headers, accept: EVENTS, 'last-event-id': id } };
    agent.dispatch(
      {
        origin: url.origin,
        path: this.#path,
        ...what,
        headersTimeout,
        bodyTimeout: 0,
      },
      exchange,
    );
  }

  #authorized(exchange: HttpExchange, method: string): Record<string, string> {
    const { bearer } = this;
    const { headers } = exchange;
    if (!bearer) return headers;
    exchange.sent = merge(exchange.sent, { header: bearer.header, nonce: bearer.nonce });
    const proven = bearer.prove(method, new URL(this.#path, this.#options.url));
    return proven ? merge(headers, proven) : headers;
  }

  #headersOf(message: RpcMessage, extra: Record<string, string> | undefined): Record<string, string> {
    const { headers, modern } = this.#options;
    const trace = traceHeaders(message);
    if (!modern || message.id === undefined) return trace ? merge(headers, trace) : headers;
    const name = message.params?.name ?? message.params?.uri ?? message.params?.taskId;
    return Object.assign({}, headers, extra, trace, {
      'mcp-method': message.method!,
      ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
    });
  }
}

/** The trace context of `_meta`, repeated in headers for gateways. */
function traceHeaders({ params }: RpcMessage): TraceContext | undefined {
  return isObject(params?._meta) ? readContext(params._meta) : undefined;
}
