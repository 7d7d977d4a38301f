import { clientOf } from '../../load/index.ts';
import type { CallResult } from '../../contract/call.ts';
import { ofRequest, type Log } from '../../lib/log.ts';
import type { ActiveCall } from './active-call.ts';
import type { HandleTool } from './tools/tool-request.ts';
import { CODE, errorMessage, resultMessage, RpcError } from './wire.ts';
import type { JsonObject } from '../../json/index.ts';

interface CallTableParts {
  handleTool: HandleTool;
  log: Log;
  /** Fits a result to what the client's revision can carry. */
  render: (result: CallResult) => JsonObject;
}

/** The calls of one peer that have not ended. A cancelled one stays until its handler has ended too. */
export class CallTable {
  readonly #parts: CallTableParts;
  readonly #open = new Map<unknown, ActiveCall>();
  readonly #byClient = new Map<string, number>();
  #onEmpty: (() => void) | undefined;

  constructor(parts: CallTableParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  has(key: unknown): boolean {
    return this.#open.has(key);
  }

  /** How many of them are of this client. */
  countOf(client: string): number {
    return this.#byClient.get(client) ?? 0;
  }

  run(key: unknown, call: ActiveCall): void {
    const client = clientOf(call.caller);
    this.#open.set(key, call);
    this.#byClient.set(client, this.countOf(client) + 1);
    this.#parts.handleTool(call).then(
      (result) => this.#succeed(key, call, result),
      (cause: unknown) => this.#fail(key, call, cause),
    );
  }

  /** Tells the handler, and ends the reply without an answer. */
  cancel(key: unknown, reason: string): void {
    const call = this.#open.get(key);
    if (!call || call.aborted) return;
    call.left = true;
    call.cancel(reason);
    call.reply.cancelled();
  }

  cancelAll(reason: string): void {
    for (const key of this.#open.keys()) this.cancel(key, reason);
  }

  /** The same for a client that still listens: it is told why. */
  failAll(error: RpcError, concerns: (call: ActiveCall) => boolean = () => true): void {
    for (const call of this.#open.values()) {
      if (call.aborted || !concerns(call)) continue;
      call.cancel(error.message);
      call.reply.answer(errorMessage(call.id, error), error.status);
    }
  }

  /** Resolves when every handler has ended, or at the deadline. */
  settled(deadlineMs: number): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const deadline = setTimeout(resolve, deadlineMs);
      this.#onEmpty = () => {
        clearTimeout(deadline);
        resolve();
      };
    });
  }

  #succeed(key: unknown, call: ActiveCall, result: CallResult): void {
    this.#close(key, call);
    if (!call.aborted) call.reply.answer(resultMessage(call.id, this.#parts.render(result)));
  }

  #fail(key: unknown, call: ActiveCall, cause: unknown): void {
    this.#close(key, call);
    if (call.aborted) return;
    if (!(cause instanceof RpcError)) {
      this.#parts.log.error({ err: cause, ...ofRequest(call.caller) }, 'tool handler broke');
    }
    const error = cause instanceof RpcError ? cause : new RpcError(CODE.internal, 'Internal error');
    call.reply.answer(errorMessage(call.id, error), error.status);
  }

  #close(key: unknown, { caller }: ActiveCall): void {
    this.#open.delete(key);
    const client = clientOf(caller);
    const left = this.countOf(client) - 1;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
    if (this.#open.size === 0) this.#onEmpty?.();
  }
}

/** How long a cancelled call may take to end. */
const ABORT_MS = 2_000;

/** The end of a door: calls in flight may finish until the deadline; then their clients are told, and the calls cancelled. */
export async function finishCalls(tables: CallTable[], drainMs: number): Promise<void> {
  const settled = (deadlineMs: number) => Promise.all(tables.map((table) => table.settled(deadlineMs)));
  await settled(drainMs);
  for (const table of tables) table.failAll(new RpcError(CODE.server, 'The proxy is stopping'));
  await settled(ABORT_MS);
}
