import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ParamHeader } from '../../../lib/param-headers.ts';
import type { LineLog } from './line-log.ts';
import { MCP_LIMITS } from '../limits.ts';
import { LineWriter } from './line-writer.ts';
import { readLines } from './read-lines.ts';
import { CODE, errorMessage, isRequestId, RpcError, type Message, type RequestId } from '../wire.ts';
import {
  connectDaemon,
  parseObject,
  rejectedError,
  unreachableError,
  goneError,
  wasNotSent,
  type Credential,
  type Daemon,
  type DaemonAnswer,
} from './daemon-client.ts';
import { createPlace, isRepeatable, type DaemonPlace } from './daemon-place.ts';
import { claimedRevision, DaemonSession, declaredIn, headersFor } from './daemon-session.ts';

/** How often a message is sent when the daemon ends meanwhile. */
const ATTEMPTS = 8;
const FIRST_PAUSE_MS = 25;

export interface StdioRelayOptions {
  /** Where the daemon listens. */
  url: string;
  /** Where it listens after a restart; starts one where that is possible. Absent: always at `url`. */
  find?: () => Promise<string>;
  /** Asked for each request. */
  credential?: Credential;
  input: Readable;
  output: Writable;
  log: LineLog;
  /** How long open requests may take to be answered after the client closed its side. */
  drainMs?: number;
}

/** Relays a client on a pair of pipes to a running daemon, message by message, for both protocol eras. Resolves when the client has gone. */
export function relayStdio(options: StdioRelayOptions): Promise<void> {
  const { credential = () => ({}), input, output, log, drainMs = MCP_LIMITS.drainMs } = options;
  const place = createPlace(options.url, options.find);
  const writer = new LineWriter(input, output, MCP_LIMITS.bufferedBytes);
  const daemon = connectDaemon(place.url, credential);
  const relay = new MessageRelay({ daemon, writer, place, log, canFind: options.find !== undefined });
  return new Promise((resolve) => {
    readLines(
      { input, output, maxBytes: MCP_LIMITS.bodyBytes },
      {
        line: (text) => relay.line(text),
        unreadable: (error, id) => writer.answer(errorMessage(id, error)),
        ended: (isBroken) => void relay.close(isBroken ? 0 : drainMs).then(resolve),
      },
    );
  });
}

interface OpenRequest {
  id: RequestId | undefined;
  stop: AbortController;
  isModern: boolean;
  /** A subscription: it lasts as long as the client, and no answer is expected. */
  isSubscription: boolean;
  /** It gets no answer, not even an error. */
  isNotification: boolean;
  isCancelled: boolean;
}

interface RelayParts {
  daemon: Daemon;
  writer: LineWriter;
  place: DaemonPlace;
  log: LineLog;
  canFind: boolean;
}

/** Relays the client's messages to the daemon, and the daemon's messages to the client. */
class MessageRelay {
  readonly #daemon: Daemon;
  readonly #writer: LineWriter;
  readonly #place: DaemonPlace;
  readonly #log: LineLog;
  readonly #canFind: boolean;
  readonly #session: DaemonSession;
  readonly #open = new Map<RequestId, OpenRequest>();
  /** Parameters of tools that the daemon expects as headers, as it has listed them. */
  readonly #declared = new Map<string, ParamHeader[]>();
  /** Handshakes and notifications are sent one after another; later messages wait for them. */
  #turn: Promise<void> = Promise.resolve();
  /** Lines that were read and not handled yet. */
  #pending = 0;
  #onIdle: (() => void) | undefined;

  constructor({ daemon, writer, place, log, canFind }: RelayParts) {
    this.#daemon = daemon;
    this.#writer = writer;
    this.#place = place;
    this.#log = log;
    this.#canFind = canFind;
    this.#session = new DaemonSession(daemon, (text) => this.#write(text), log);
  }

  /** Invalid messages are relayed too: the daemon answers and records them. */
  line(text: string): void {
    const value = parseObject(text);
    const message = typeof value?.method === 'string' ? (value as unknown as Message) : undefined;
    if (message?.method === 'notifications/cancelled' && this.#cancel(message.params?.requestId)) return;
    this.#pending++;
    if (claimedRevision(message) !== undefined) return void this.#relay(message, text);
    const sent = this.#turn.then(() => this.#relay(message, text));
    if (message?.id === undefined || message.method === 'initialize') this.#turn = sent;
  }

  async close(drainMs: number): Promise<void> {
    for (const request of this.#open.values()) if (request.isSubscription) request.stop.abort();
    if (drainMs > 0) await this.#idle(drainMs);
    for (const request of this.#open.values()) request.stop.abort();
    await this.#session.end();
    await this.#daemon.close();
  }

  async #relay(message: Message | undefined, text: string): Promise<void> {
    const id = isRequestId(message?.id) ? message.id : undefined;
    await this.#exchange(message, text, id);
    if (id !== undefined) this.#open.delete(id);
    if (--this.#pending === 0) this.#onIdle?.();
  }

  async #exchange(message: Message | undefined, text: string, id: RequestId | undefined): Promise<void> {
    if (id !== undefined && this.#open.size >= MCP_LIMITS.inFlight) {
      return this.#writer.answer(errorMessage(id, new RpcError(CODE.server, 'Too many requests in flight')));
    }
    const isSubscription = message?.method === 'subscriptions/listen';
    const isModern = claimedRevision(message) !== undefined;
    const isNotification = message !== undefined && message.id === undefined;
    const request = {
      id,
      stop: new AbortController(),
      isModern,
      isSubscription,
      isNotification,
      isCancelled: false,
    };
    if (id !== undefined) this.#open.set(id, request);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(message, text, request);
      } catch (cause) {
        if (request.stop.signal.aborted) return;
        const problem = await this.#recover(cause, message, attempt);
        if (problem !== undefined) return this.#fail(id, errorOf(this.#place.url(), problem));
      }
    }
  }

  /** Undefined: the message may be sent again. Otherwise the reason why the request fails. */
  async #recover(cause: unknown, message: Message | undefined, attempt: number): Promise<unknown> {
    const mayRepeat = wasNotSent(cause) || isRepeatable(message);
    if (!this.#canFind || !mayRepeat || attempt === ATTEMPTS) return cause;
    // The daemon that was found may be about to end.
    if (attempt > 1) await sleep(FIRST_PAUSE_MS * 2 ** attempt);
    return this.#place.findAgain();
  }

  async #attempt(message: Message | undefined, text: string, request: OpenRequest): Promise<void> {
    const answer = await this.#ask(message, text, request.stop.signal);
    await this.#deliver(answer, request, { method: message?.method, text });
    if (message?.method === 'notifications/initialized') void this.#session.listen();
  }

  /** A daemon that does not know our session has not handled the request: it may be sent again. */
  async #ask(message: Message | undefined, text: string, signal: AbortSignal): Promise<DaemonAnswer> {
    const session = this.#session.current;
    const post = () =>
      this.#daemon.post(text, {
        headers: headersFor(message, this.#session.current, this.#declared),
        signal,
        // The daemon may close a connection that is kept open at any time, and then nobody knows whether it has read the message.
        ownConnection: !isRepeatable(message),
      });
    const answer = await post();
    // The daemon is stopping and has not handled the message.
    if (answer.status === 503 && this.#canFind) {
      await answer.read(() => undefined);
      throw goneError();
    }
    const hasSession = session && claimedRevision(message) === undefined && message?.method !== 'initialize';
    if (answer.status !== 404 || !hasSession) return answer;
    await answer.read(() => undefined);
    await this.#session.renew(session);
    return post();
  }

  async #deliver(
    answer: DaemonAnswer,
    request: OpenRequest,
    { method, text }: { method: string | undefined; text: string },
  ): Promise<void> {
    let isAnswered = false;
    let last = '';
    await answer.read((body) => {
      last = body;
      if (request.isNotification || (!body.startsWith('{"jsonrpc"') && !body.startsWith('['))) return;
      // Our daemon writes the id, or the method, right after the version.
      if (!body.startsWith('{"jsonrpc":"2.0","method"')) isAnswered = true;
      if (method === 'initialize') this.#session.begin(text, answer.sessionId, body);
      if (method === 'tools/list' && request.isModern)
        for (const [name, declared] of declaredIn(body)) this.#declared.set(name, declared);
      this.#write(body);
    });
    const { id, isCancelled } = request;
    if (isAnswered || isCancelled || (id === undefined && answer.status < 300)) return;
    const error = rejectedError(this.#place.url(), answer.status, last);
    if (answer.status === 200) throw error;
    this.#fail(id, error);
  }

  #fail(id: RequestId | undefined, error: RpcError): void {
    this.#log.warn({ url: this.#place.url() }, error.message);
    if (id !== undefined) this.#writer.answer(errorMessage(id, error));
  }

  /** A 2026 request is cancelled by closing it; a 2025 cancellation is relayed, and the request stays unanswered. */
  #cancel(id: unknown): boolean {
    const request = this.#open.get(id as RequestId);
    if (!request) return false;
    request.isCancelled = true;
    if (request.isModern) request.stop.abort();
    return request.isModern;
  }

  #idle(deadlineMs: number): Promise<void> {
    if (this.#pending === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const deadline = setTimeout(resolve, deadlineMs);
      this.#onIdle = () => {
        clearTimeout(deadline);
        resolve();
      };
    });
  }

  #write(body: string): void {
    this.#writer.text(body);
  }
}

function errorOf(url: string, cause: unknown): RpcError {
  return cause instanceof RpcError ? cause : unreachableError(url, cause);
}
