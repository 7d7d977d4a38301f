/**
 * One queue per client, served round-robin: a client that sends many calls waits behind its own calls, not in front of others'.
 * When the whole queue is full, a new call displaces the newest call of the longest queue, if that one is longer than its own.
 */
export class FairQueue<T extends { readonly client: string }> {
  size = 0;
  readonly #queues = new Map<string, Set<T>>();

  add(item: T): void {
    const queue = this.#queues.get(item.client);
    if (queue) queue.add(item);
    else this.#queues.set(item.client, new Set([item]));
    this.size++;
  }

  delete(item: T): boolean {
    const queue = this.#queues.get(item.client);
    if (!queue?.delete(item)) return false;
    if (queue.size === 0) this.#queues.delete(item.client);
    this.size--;
    return true;
  }

  /** Removes and returns the oldest item of the client whose turn it is. */
  next(): T | undefined {
    for (const [client, queue] of this.#queues) {
      const item = queue.values().next().value!;
      this.delete(item);
      // To the end of the round.
      if (this.#queues.delete(client)) this.#queues.set(client, queue);
      return item;
    }
    return undefined;
  }

  /** Removes and returns the item that makes room for one more of this client; undefined where its own queue is the longest. */
  displaceFor(client: string): T | undefined {
    const longest = this.#longerThanQueueOf(client);
    if (!longest) return undefined;
    let newest: T | undefined;
    for (const item of longest) newest = item;
    if (newest) this.delete(newest);
    return newest;
  }

  /** Whether `displaceFor` would make room. */
  canDisplaceFor(client: string): boolean {
    return this.#longerThanQueueOf(client) !== undefined;
  }

  #longerThanQueueOf(client: string): Set<T> | undefined {
    let longest: Set<T> | undefined;
    for (const queue of this.#queues.values()) if (queue.size > (longest?.size ?? 0)) longest = queue;
    return longest && longest.size > this.countOf(client) + 1 ? longest : undefined;
  }

  countOf(client: string): number {
    return this.#queues.get(client)?.size ?? 0;
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#all();
  }

  *#all(): IterableIterator<T> {
    for (const queue of this.#queues.values()) yield* queue;
  }
}

/** One client may use at most this many times what is still free: alone it gets four fifths, and a new client always finds room. */
const TIMES_FREE = 4;

/** Whether a client that uses `own` slots may take one more of `limit`, of which all clients together use `used`. */
export function hasFairShare(own: number, used: number, limit: number): boolean {
  return own < TIMES_FREE * (limit - used);
}
