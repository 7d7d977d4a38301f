import type { Log } from '../../../lib/log.ts';
import { claimedRevision, headersFor } from './bridge-headers.ts';
import { DaemonSession, parseObject } from './bridge-session.ts';
import { refusedBy, unreachable } from './daemon-errors.ts';
import type { Daemon, DaemonAnswer } from './daemon.ts';
import { MCP_LIMITS } from '../limits.ts';
import type { LineWriter } from '../stdio/line-writer.ts';
import { CODE, errorMessage, isRequestId, RpcError, type Message, type RequestId } from '../wire.ts';

interface OpenRequest {
  stop: AbortController;
  modern: boolean;
  /** Lasts as long as the client: nobody waits for its answer. */
  standing: boolean;
  /** A notification: nobody expects an answer, not even an error. */
  quiet: boolean;
  cancelled: boolean;
}

/** The client's messages on their way to the daemon, and the daemon's on their way back. */
export class MessageRelay {
  readonly #daemon: Daemon;
  readonly #writer: LineWriter;
  readonly #url: string;
  readonly #log: Log;
  readonly #session: DaemonSession;
  readonly #open = new Map<RequestId, OpenRequest>();
  /** Handshakes and notifications go one after another, and what comes later waits for them. */
  #turn: Promise<void> = Promise.resolve();
  /** Lines that were read and not dealt with yet. */
  #pending = 0;
  #onIdle: (() => void) | undefined;

  constructor(daemon: Daemon, writer: LineWriter, url: string, log: Log) {
    this.#daemon = daemon;
    this.#writer = writer;
    this.#url = url;
    this.#log = log;
    this.#session = new DaemonSession(daemon, (text) => this.#write(text), log);
  }

  /** What is no message at all goes to the daemon too: it knows what to say, and keeps the record. */
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
    for (const request of this.#open.values()) if (request.standing) request.stop.abort();
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
    const standing = message?.method === 'subscriptions/listen';
    const modern = claimedRevision(message) !== undefined;
    const quiet = message !== undefined && message.id === undefined;
    const request = { stop: new AbortController(), modern, standing, quiet, cancelled: false };
    if (id !== undefined) this.#open.set(id, request);
    try {
      const answer = await this.#ask(message, text, request.stop.signal);
      await this.#deliver(answer, id, request, message?.method === 'initialize' ? text : undefined);
      if (message?.method === 'notifications/initialized') void this.#session.listen();
    } catch (cause) {
      if (!request.stop.signal.aborted) this.#fail(id, unreachable(this.#url, cause));
    }
  }

  /** A daemon that does not know our session has not touched the request: it may be sent again. */
  async #ask(message: Message | undefined, text: string, signal: AbortSignal): Promise<DaemonAnswer> {
    const session = this.#session.current;
    const answer = await this.#daemon.post(text, headersFor(message, session), signal);
    const hasSession = session && claimedRevision(message) === undefined && message?.method !== 'initialize';
    if (answer.status !== 404 || !hasSession) return answer;
    await answer.read(() => undefined);
    await this.#session.renew(session);
    return this.#daemon.post(text, headersFor(message, this.#session.current), signal);
  }

  async #deliver(
    answer: DaemonAnswer,
    id: RequestId | undefined,
    request: OpenRequest,
    handshake?: string,
  ): Promise<void> {
    let answered = false;
    let last = '';
    await answer.read((body) => {
      last = body;
      if (request.quiet || (!body.startsWith('{"jsonrpc"') && !body.startsWith('['))) return;
      // Our daemon writes the id, or the method, right behind the version.
      if (!body.startsWith('{"jsonrpc":"2.0","method"')) answered = true;
      if (handshake !== undefined) this.#session.begin(handshake, answer.sessionId, body);
      this.#write(body);
    });
    if (answered || request.cancelled || (id === undefined && answer.status < 300)) return;
    this.#fail(id, refusedBy(this.#url, answer.status, last));
  }

  #fail(id: RequestId | undefined, error: RpcError): void {
    this.#log.warn({ url: this.#url }, error.message);
    if (id !== undefined) this.#writer.answer(errorMessage(id, error));
  }

  /** In 2026 the closed request is the cancellation; in 2025 the daemon is told, and the request stays unanswered. */
  #cancel(id: unknown): boolean {
    const request = this.#open.get(id as RequestId);
    if (!request) return false;
    request.cancelled = true;
    if (request.modern) request.stop.abort();
    return request.modern;
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
