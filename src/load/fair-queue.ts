/**
 * Waiting lines, one for each client, served in turn: who sends much waits behind his own calls, not in front of everyone else's.
 * A newcomer to a full queue takes the place of the newest in the longest line, if that line is longer than his own.
 */
export class FairQueue<T extends { readonly client: string }> {
  size = 0;
  readonly #lines = new Map<string, Set<T>>();

  add(item: T): void {
    const line = this.#lines.get(item.client);
    if (line) line.add(item);
    else this.#lines.set(item.client, new Set([item]));
    this.size++;
  }

  delete(item: T): boolean {
    const line = this.#lines.get(item.client);
    if (!line?.delete(item)) return false;
    if (line.size === 0) this.#lines.delete(item.client);
    this.size--;
    return true;
  }

  /** Takes the next one out: the oldest of the client whose turn it is. */
  next(): T | undefined {
    for (const [client, line] of this.#lines) {
      const item = line.values().next().value!;
      this.delete(item);
      // To the end of the round.
      if (this.#lines.delete(client)) this.#lines.set(client, line);
      return item;
    }
    return undefined;
  }

  /** Takes out who has to make room for one more of this client; undefined: nobody, the client waits the longest line itself. */
  displacedBy(client: string): T | undefined {
    const longest = this.#longerThanOf(client);
    if (!longest) return undefined;
    let newest: T | undefined;
    for (const item of longest) newest = item;
    if (newest) this.delete(newest);
    return newest;
  }

  /** Whether somebody would make room for one more of this client. */
  gives(client: string): boolean {
    return this.#longerThanOf(client) !== undefined;
  }

  #longerThanOf(client: string): Set<T> | undefined {
    let longest: Set<T> | undefined;
    for (const line of this.#lines.values()) if (line.size > (longest?.size ?? 0)) longest = line;
    return longest && longest.size > (this.#lines.get(client)?.size ?? 0) + 1 ? longest : undefined;
  }

  waitingOf(client: string): number {
    return this.#lines.get(client)?.size ?? 0;
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#all();
  }

  *#all(): IterableIterator<T> {
    for (const line of this.#lines.values()) yield* line;
  }
}
