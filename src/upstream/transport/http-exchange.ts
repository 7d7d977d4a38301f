import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import type { Dispatcher } from 'undici';
import { readChallenge, type Challenge } from '../auth/challenge.ts';
import { TextCollector, throttleReads } from '../../load/index.ts';
import { EventReader, type EventSink } from './event-reader.ts';
import { UNSENT, type Bearer, type SentToken } from './bearer.ts';
import { broken, describeStatus, tooLarge, tooWide } from './http-faults.ts';
import { LaneError, type Phase } from './lane.ts';
import { IdleWatch } from './idle-watch.ts';
import { createDecoder } from './light-fetch.ts';
import { InOrder } from '../../lib/message-stream.ts';
import { MAX_MESSAGE_BYTES, parseMessagesSteps, type Parsed, type RpcMessage } from '../../lib/rpc.ts';

export interface ExchangeOwner {
  /** The time limits for connecting, and for a pause within an answer. */
  readonly connectMs: number;
  readonly idleMs: number;
  deliver(message: RpcMessage, related: number | undefined): void;
  /** The answer has arrived, but the server keeps the stream open. */
  lingers(exchange: HttpExchange): void;
  /** The exchange has ended, with an error if there was no answer. */
  finished(exchange: HttpExchange, error: LaneError | undefined): void;
  redirected(exchange: HttpExchange, location: string): boolean;
  /** What answers a challenge of the server; absent: there is no log-in. */
  readonly bearer: Pick<Bearer, 'takeNonce'> | undefined;
  /** The server wants another token. */
  challenged(exchange: HttpExchange, challenge: Challenge): void;
  /** The stream ended before the answer, but can be resumed. */
  resume(exchange: HttpExchange, lastEventId: string, retryMs: number | undefined): void;
}

const MAX_ERROR_BYTES = 64 * 1024;
const NEWLINE = 10;

/** One POST and its answer, read directly from the HTTP parser: JSON, an event stream, or an error page. */
export class HttpExchange implements Dispatcher.DispatchHandler, EventSink {
  readonly id: number | undefined;
  readonly message: RpcMessage;
  readonly headers: Record<string, string>;
  answered = false;
  redirects = 0;
  /** The token and the nonce that it was sent with, and whether it was sent again because of them. */
  sent: Readonly<SentToken> = UNSENT;
  /** The last event id, if this resumes a broken stream; the request itself was sent before. */
  resumedFrom = '';
  readonly #owner: ExchangeOwner;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #received = false;
  #arrived = 0;
  readonly #idle: IdleWatch;
  #status = 0;
  #kind: 'json' | 'events' | 'text' = 'text';
  readonly #text = new TextCollector();
  readonly #inOrder = new InOrder({
    steps: parseMessagesSteps,
    deliver: (parsed) => this.#take(parsed),
    source: () => this.#decoder ?? (this.#received ? undefined : this.#controller),
  });
  #bytes = 0;
  #decoder: Transform | undefined;
  #events: EventReader | undefined;

  constructor(owner: ExchangeOwner, message: RpcMessage, headers: Record<string, string>) {
    this.#owner = owner;
    this.message = message;
    this.headers = headers;
    this.#idle = new IdleWatch(owner.idleMs, () => this.#onIdle());
    this.id = message.method !== undefined && typeof message.id === 'number' ? message.id : undefined;
  }

  /** How far it has come. */
  get phase(): Phase {
    if (!this.#controller) return 'connect';
    return this.#status === 0 ? 'first_byte' : 'total';
  }

  get bytes(): number {
    return this.#arrived;
  }

  abort(reason: Error): void {
    this.#aborted ??= reason;
    this.#idle.rest();
    if (!this.#received) return this.#controller?.abort(reason);
    // All bytes have arrived, so the HTTP client will report no error.
    this.#decoder?.destroy();
    this.#finish(reason instanceof LaneError ? reason : new LaneError('lost', reason.message));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(this.#aborted);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return;
    this.#status = status;
    if (this.#isHandedOver(status, headers)) return controller.abort(new Error('sent again'));
    const type = (headers['content-type'] ?? '').toLowerCase();
    this.#kind =
      type.startsWith('text/event-stream') && status === 200
        ? 'events'
        : /^application\/([\w.+-]*\+)?json/.test(type)
          ? 'json'
          : 'text';
    if (this.#kind === 'events') this.#events = new EventReader(this, this.resumedFrom);
    this.#decode(controller, headers['content-encoding']);
    this.#watch(undefined);
  }

  /** Redirected, or rejected for its token: another exchange gets the answer. */
  #isHandedOver(status: number, headers: IncomingHttpHeaders): boolean {
    const { location } = headers;
    const isRedirect = (status === 307 || status === 308) && typeof location === 'string';
    if (isRedirect && this.#owner.redirected(this, location)) return (this.answered = true);
    const { bearer } = this.#owner;
    if (!bearer) return false;
    bearer.takeNonce(headers['dpop-nonce']);
    const challenge = readChallenge(status, textOf(headers['www-authenticate']));
    if (!challenge) return false;
    this.answered = true;
    this.#owner.challenged(this, challenge);
    return true;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#arrived += chunk.length;
    this.#watch(chunk);
    if (!this.#decoder) return this.#consume(chunk, controller);
    if (!this.#decoder.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#received = true;
    this.#idle.rest();
    if (this.#decoder) this.#decoder.end();
    else this.#complete();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#received = true;
    this.#idle.rest();
    this.#decoder?.destroy();
    if (this.#canResume && !this.#aborted) return this.#complete();
    this.#finish(
      this.#aborted instanceof LaneError
        ? this.#aborted
        : broken(error, this.#controller !== undefined, this.#owner.connectMs),
    );
  }

  /** The idle limit applies within an event or a body; between events only the time limit of the call applies. */
  #watch(chunk: Buffer | undefined): void {
    if (this.#kind === 'events' && (chunk === undefined || chunk.at(-1) === NEWLINE)) this.#idle.rest();
    else this.#idle.step();
  }

  #onIdle(): void {
    const limitMs = this.#owner.idleMs;
    const text = `the answer paused for ${limitMs} ms (idle_timeout) after ${this.#arrived} bytes`;
    this.abort(new LaneError('late', text, { slow: { phase: 'idle', limitMs } }));
  }

  event(type: string, data: string, isValid: boolean): void {
    if (type === 'message') this.#inOrder.push(data, isValid);
  }

  tooLarge(bytes: number): void {
    this.abort(tooLarge(bytes));
  }

  #decode(controller: Dispatcher.DispatchController, encoding: string | string[] | undefined): void {
    try {
      this.#decoder = createDecoder(encoding === undefined ? undefined : String(encoding));
    } catch (error) {
      return this.abort(error as LaneError);
    }
    const decoder = this.#decoder;
    decoder?.on('data', (chunk: Buffer) => this.#consume(chunk, decoder));
    this.#decoder?.on('drain', () => controller.resume());
    this.#decoder?.once('end', () => this.#complete());
    this.#decoder?.once('error', (error) =>
      this.abort(new LaneError('lost', `the compressed answer is broken: ${error.message}`)),
    );
  }

  #consume(chunk: Buffer, source: { pause(): unknown; resume(): unknown }): void {
    if (this.#aborted) return;
    if (this.#events) {
      const began = performance.now();
      this.#inOrder.begin();
      this.#events.push(chunk);
      if (!this.#inOrder.reading) throttleReads(source, performance.now() - began);
      return;
    }
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_MESSAGE_BYTES) return this.abort(tooLarge(this.#bytes));
    if (this.#kind === 'json' || this.#bytes <= MAX_ERROR_BYTES) this.#text.add(chunk);
  }

  get #canResume(): boolean {
    return this.#events !== undefined && this.#events.lastId !== '';
  }

  #complete(): void {
    this.#events?.end();
    const { isValid } = this.#text;
    const text = this.#text.take();
    if (this.#kind === 'json' && text !== '' && !this.#aborted) this.#inOrder.push(text, isValid);
    const { reading } = this.#inOrder;
    if (reading) void reading.then(() => this.#settle(text));
    else this.#settle(text);
  }

  /** Everything that arrived is parsed. */
  #settle(text: string): void {
    if (this.#aborted) return;
    if (this.#events) {
      if (this.answered || this.id === undefined) return this.#finish(undefined);
      if (this.#canResume) return this.#owner.resume(this, this.#events.lastId, this.#events.retryMs);
      return this.#finish(new LaneError('lost', 'the server closed the stream before it answered'));
    }
    if (this.answered || (this.id === undefined && this.#status < 300)) return this.#finish(undefined);
    this.#finish(new LaneError('http', describeStatus(this.#status, text), { status: this.#status }));
  }

  /** With an error status only an answer to this request counts: an error page of a gateway may be JSON too. */
  #take(parsed: Parsed): void {
    if (this.#aborted) return;
    if ('fault' in parsed) {
      if (parsed.fault === 'too_deep')
        this.abort(new LaneError('too_deep', 'the answer is nested too deeply'));
      if (parsed.fault === 'too_wide') this.abort(tooWide());
      return;
    }
    for (const message of parsed.messages) {
      const isAnswer = message.method === undefined && message.id === this.id;
      if (this.#status >= 300 && !isAnswer) continue;
      if (isAnswer) this.answered = true;
      this.#owner.deliver(message, this.id);
    }
    if (this.answered && this.#events) this.#owner.lingers(this);
  }

  #finish(error: LaneError | undefined): void {
    this.#owner.finished(this, this.answered ? undefined : error);
  }
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
