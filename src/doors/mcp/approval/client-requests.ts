import { randomBytes } from 'node:crypto';
import type { Reply } from '../reply.ts';
import { isRequestId, type RequestId } from '../wire.ts';
import type { JsonObject } from '../../../json/index.ts';

/** A request that we sent to a client and that is not answered yet. */
export interface ClientRequest {
  /** Undefined where the client answered with an error. */
  answer: Promise<unknown>;
  /** The client may close its form; a later answer is dropped. */
  cancel(): void;
}

const MAX_OPEN = 256;

/** Requests that we send to a client of the 2025 revisions, on the stream of the request that they belong to. */
export class ClientRequests {
  readonly #open = new Map<RequestId, (result: unknown) => void>();
  /** A session outlives a restart: an answer to a request from before it must not match a later request. */
  readonly #series = randomBytes(6).toString('hex');
  #last = 0;

  /** Undefined: too many are open already. */
  send(reply: Reply, method: string, params: JsonObject): ClientRequest | undefined {
    if (this.#open.size >= MAX_OPEN) return undefined;
    const id = `mcpproxy-${this.#series}-${++this.#last}`;
    const answer = new Promise<unknown>((resolve) => this.#open.set(id, resolve));
    // The method is written before the id: the stdio relay tells requests from answers by it.
    reply.notify({ jsonrpc: '2.0', method, id, params });
    return {
      answer,
      cancel: () => {
        if (!this.#open.delete(id)) return;
        const reason = 'the call was decided, or stays pending without this form';
        reply.notify({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: id, reason },
        });
      },
    };
  }

  /** Handles an answer of the client; false: the request is unknown here. */
  answered({ id, result }: JsonObject): boolean {
    const resolve = isRequestId(id) ? this.#open.get(id) : undefined;
    if (!resolve) return false;
    this.#open.delete(id as RequestId);
    resolve(result);
    return true;
  }
}
