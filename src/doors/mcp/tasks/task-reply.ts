import type { Reply } from '../reply.ts';
import type { Outgoing } from '../wire.ts';

/** The reply to a call that may become a task: from then on its answer goes to the task, as the client has got one already. */
export class TaskReply implements Reply {
  readonly #reply: Reply;
  #toTask: ((message: Outgoing) => void) | undefined;

  constructor(reply: Reply) {
    this.#reply = reply;
  }

  get span(): Reply['span'] {
    return this.#reply.span;
  }

  get listening(): boolean {
    return this.#reply.listening;
  }

  becomeTask(receive: (message: Outgoing) => void): void {
    this.#toTask = receive;
  }

  notify(message: Outgoing): void {
    if (!this.#toTask) this.#reply.notify(message);
  }

  answer(message: Outgoing | Outgoing[], status?: number): void {
    if (this.#toTask && !Array.isArray(message)) this.#toTask(message);
    else this.#reply.answer(message, status);
  }

  /** The answer to the request that has become a task. */
  answerTask(message: Outgoing): void {
    this.#reply.answer(message);
  }

  cancelled(): void {
    if (!this.#toTask) this.#reply.cancelled();
  }
}
