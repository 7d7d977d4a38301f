import type { Reply } from '../reply.ts';
import { isRequestId, type RequestId } from '../wire.ts';
import type { JsonObject } from '../../../json/index.ts';

/** A request of ours that a client has not answered yet. */
export interface Question {
  /** Undefined where the client answered with an error. */
  answer: Promise<unknown>;
  /** The client may close its dialog; an answer that comes all the same is dropped. */
  cancel(): void;
}

const MAX_OPEN = 256;

/** What we ask a client of the 2025 revisions, on the stream of the request that it is about. */
export class ClientQuestions {
  readonly #open = new Map<RequestId, (result: unknown) => void>();
  #last = 0;

  /** Undefined: too many are open already. */
  ask(reply: Reply, method: string, params: JsonObject): Question | undefined {
    if (this.#open.size >= MAX_OPEN) return undefined;
    const id = `mcpproxy-${++this.#last}`;
    const answer = new Promise<unknown>((resolve) => this.#open.set(id, resolve));
    // The method stands before the id: whoever relays our lines tells requests from answers by it.
    reply.notify({ jsonrpc: '2.0', method, id, params });
    return {
      answer,
      cancel: () => {
        if (!this.#open.delete(id)) return;
        const reason = 'it is decided, or waits on without this dialog';
        reply.notify({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: id, reason },
        });
      },
    };
  }

  /** An answer of the client. One to nothing that we asked is ignored. */
  answered({ id, result }: JsonObject): void {
    if (!isRequestId(id)) return;
    const resolve = this.#open.get(id);
    this.#open.delete(id);
    resolve?.(result);
  }
}
