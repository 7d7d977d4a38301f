import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isObject, jsonText, merge, onOneLine, type JsonObject } from '../../json/index.ts';
import { InOrder, LineSplitter } from '../../lib/message-stream.ts';
import { MAX_MESSAGE_BYTES, MESSAGE_LEVELS, parseMessagesSteps, type RpcMessage } from '../../lib/rpc.ts';
import { throttleReads } from '../../load/index.ts';
import type { Negotiated } from '../connection/negotiate-stdio.ts';
import { NOISE_MARK } from '../connection/log-ring.ts';
import type { StdioOptions } from '../transport/stdio-transport.ts';
import { control, STRIDE, type FromHost, type ToHost } from './frames.ts';

export interface SharedOptions extends StdioOptions {
  /** What the program is told about clients: workers that would say the same share it. */
  capabilities: JsonObject | undefined;
  /** True: one that runs is ended first. */
  isFresh: boolean;
}

const FRAME_BYTES = MAX_MESSAGE_BYTES + 1024;
const NOISE_BYTES = 200;
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const DONE = Promise.resolve();

/** The connection to a program that another process of this machine has started. Ids are translated, so that workers do not share one. */
export class SharedTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  exitText = '';
  readonly stderr = null;
  pid: number | undefined;
  readonly #path: string;
  readonly #options: SharedOptions;
  readonly #wireIds = new Map<string | number, number>();
  readonly #ids = new Map<number, string | number>();
  readonly #inOrder = new InOrder({
    steps: parseMessagesSteps,
    deliver: (parsed, text) => {
      if ('messages' in parsed) for (const message of parsed.messages) this.#receive(message);
      else if (parsed.fault === 'garbage') this.#options.ring.note(NOISE_MARK + text.slice(0, NOISE_BYTES));
    },
    source: () => this.#socket,
  });
  #socket: Socket | undefined;
  #joined: Promise<Negotiated | undefined> | undefined;
  #greeted: ((opened: Negotiated | undefined) => void) | undefined;
  #refused: ((error: Error) => void) | undefined;
  #slot = 0;
  #next = 1;
  #isFollower = false;
  #opened: Negotiated | undefined;
  #outbox = '';
  #isClosed = false;

  constructor(path: string, options: SharedOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** Starts the program, or finds it running. The result of the handshake that another worker has made; undefined: this one makes it. */
  join(limitMs: number): Promise<Negotiated | undefined> {
    this.#joined ??= this.#join(limitMs);
    return this.#joined;
  }

  async start(): Promise<void> {
    if (!this.#joined) throw new Error('join first');
    await this.#joined;
  }

  /** This worker has made the handshake. */
  opened(result: Negotiated): void {
    this.#opened = result;
    if ('discover' in result) this.#tell({ opened: result });
  }

  send(given: JSONRPCMessage): Promise<void> {
    const message = given as RpcMessage;
    const { id, method } = message;
    if (this.#isClosed || !this.#socket?.writable)
      return Promise.reject(new Error('the process is not running'));
    if (this.#socket.writableLength > MAX_MESSAGE_BYTES)
      return Promise.reject(new Error('the process does not read its input'));
    if (method === undefined) this.#put(`!${JSON.stringify(id)} ${textOf(message)}`);
    else if (id === undefined || id === null) this.#notify(message, method);
    else this.#ask(message, id, method);
    return DONE;
  }

  close(): Promise<void> {
    if (this.#isClosed) return DONE;
    this.#flush();
    this.#tell({ detach: true });
    this.#end();
    return DONE;
  }

  #join(limitMs: number): Promise<Negotiated | undefined> {
    const { command, args, cwd, env, inherit, capabilities, isFresh, ring } = this.#options;
    const program = { command, args, cwd, env, inherit };
    const key = createHash('sha256')
      .update(JSON.stringify([program, capabilities]))
      .digest('base64url');
    ring.beginRun();
    const socket = connect(this.#path);
    this.#socket = socket;
    const lines = new LineSplitter(
      {
        line: (text, isValid) => this.#line(text, isValid),
        oversize: () => socket.destroy(),
        endless: () => socket.destroy(),
      },
      FRAME_BYTES,
    );
    socket.on('data', (chunk: Buffer) => {
      const began = performance.now();
      this.#inOrder.begin();
      lines.push(chunk);
      if (!this.#inOrder.reading) throttleReads(socket, performance.now() - began);
    });
    socket.on('error', (error) => this.onerror?.(error));
    socket.once('close', () => this.#end());
    this.#tell({ attach: { ...program, key, isFresh } });
    return new Promise<Negotiated | undefined>((greeted, refused) => {
      const timer = setTimeout(() => {
        this.exitText ||= `another worker waits for its first answer for more than ${limitMs} ms`;
        void this.close();
      }, limitMs);
      this.#greeted = (opened) => {
        clearTimeout(timer);
        greeted(opened);
      };
      this.#refused = (error) => {
        clearTimeout(timer);
        refused(error);
      };
    });
  }

  #line(text: string, isValid: boolean): void {
    if (text.startsWith('#')) this.#obey(JSON.parse(text.slice(1)) as FromHost);
    else this.#inOrder.push(text.slice(1), isValid);
  }

  #obey(frame: FromHost): void {
    if ('stderr' in frame) this.#options.ring.push(Buffer.from(frame.stderr, 'base64'));
    else if ('ended' in frame) {
      this.exitText ||= frame.ended;
      // What the program has said before is delivered first.
      void Promise.resolve(this.#inOrder.reading).then(() => this.#end());
    } else if ('attached' in frame) {
      const { slot, first, pid, opened } = frame.attached;
      [this.#slot, this.#next, this.pid, this.#isFollower] = [slot, first, pid, opened !== undefined];
      this.#greeted?.(opened);
    } else {
      const { id, fault, bytes } = frame.unreadable;
      const own = id === undefined ? undefined : this.#ids.get(id);
      if (id === undefined || typeof own === 'number')
        this.#options.onUnreadable?.(own as number | undefined, fault, bytes);
    }
  }

  #ask(message: RpcMessage, id: string | number, method: string): void {
    const wireId = this.#next++ * STRIDE + this.#slot;
    this.#wireIds.set(id, wireId);
    this.#ids.set(wireId, id);
    const line = textOf(withIds(message, id, wireId));
    const uri = message.params?.uri;
    if (method === 'resources/subscribe' && typeof uri === 'string') this.#tell({ watch: uri });
    if (method === 'resources/unsubscribe' && typeof uri === 'string')
      this.#tell({ unwatch: uri, id: wireId, line });
    else this.#put(`?${wireId} ${line}`);
  }

  #notify(message: RpcMessage, method: string): void {
    if (method === 'notifications/cancelled') {
      const id = message.params?.requestId as string | number;
      const requestId = this.#forget(id);
      if (requestId === undefined) return;
      return this.#put(`=${textOf({ ...message, params: merge(message.params ?? {}, { requestId }) })}`);
    }
    // The server has been told already.
    if (method === 'notifications/initialized' && this.#isFollower) return;
    this.#put(`=${textOf(message)}`);
    if (method === 'notifications/initialized' && this.#opened) this.#tell({ opened: this.#opened });
  }

  #receive(message: RpcMessage): void {
    const { id, method, params } = message;
    if (method === undefined) {
      const own = typeof id === 'number' ? this.#ids.get(id) : undefined;
      // Of another worker, or of a request that was cancelled.
      if (own === undefined) return;
      this.#forget(own);
      // The text of its result is kept beside it, so the message itself must stay the same object.
      message.id = own;
    } else if (params && id === undefined) this.#translate(params, method);
    this.onmessage?.(message as JSONRPCMessage);
  }

  #translate(params: JsonObject, method: string): void {
    const meta = params._meta;
    if (method === 'notifications/progress') params.progressToken = this.#own(params.progressToken);
    else if (isObject(meta) && SUBSCRIPTION in meta) meta[SUBSCRIPTION] = this.#own(meta[SUBSCRIPTION]);
  }

  #own(id: unknown): unknown {
    return typeof id === 'number' ? this.#ids.get(id) : undefined;
  }

  #forget(id: string | number): number | undefined {
    const wireId = this.#wireIds.get(id);
    this.#wireIds.delete(id);
    if (wireId !== undefined) this.#ids.delete(wireId);
    return wireId;
  }

  #tell(what: ToHost): void {
    this.#flush();
    if (this.#socket?.writable) this.#socket.write(control(what));
  }

  /** All messages of one turn of the event loop are sent in one write. */
  #put(line: string): void {
    if (this.#outbox === '') setImmediate(this.#flush);
    this.#outbox += `${line}\n`;
  }

  readonly #flush = (): void => {
    const data = this.#outbox;
    this.#outbox = '';
    if (data !== '' && this.#socket?.writable) this.#socket.write(data);
  };

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#refused?.(new Error(this.exitText || 'the connection to the program was closed'));
    this.#socket?.end();
    this.onclose?.();
  }
}

const textOf = (message: RpcMessage): string => onOneLine(jsonText(message, MESSAGE_LEVELS));

/** The same request under another id; the token for its progress is its id. */
function withIds(message: RpcMessage, id: string | number, wireId: number): RpcMessage {
  const { jsonrpc, method, params } = message;
  const meta = params?._meta;
  const isTold = isObject(meta) && meta.progressToken === id;
  const sent = isTold ? merge(params!, { _meta: merge(meta, { progressToken: wireId }) }) : params;
  return { jsonrpc, id: wireId, ...(method !== undefined && { method }), ...(sent && { params: sent }) };
}
