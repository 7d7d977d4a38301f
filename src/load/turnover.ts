/** After so many removals there is a new table, or after as many as there are entries. */
const MIN_REMOVED = 32;

/**
 * A map for entries that come and go with each call. V8 links every table that a `Map` has outgrown to the next one. Once one of them has
 * reached the old generation, as the present one does with each full collection, all that follow are kept alive by it, and with them the
 * values that they had: each call was then copied twice and kept until the next full collection. So this map takes a new `Map` now and
 * then, which nothing links to the former one.
 */
export class TurnoverMap<K, V> {
  #map = new Map<K, V>();
  #removed = 0;

  get size(): number {
    return this.#map.size;
  }

  has(key: K): boolean {
    return this.#map.has(key);
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  set(key: K, value: V): void {
    this.#map.set(key, value);
  }

  delete(key: K): boolean {
    if (!this.#map.delete(key)) return false;
    if (++this.#removed >= MIN_REMOVED && this.#removed >= this.#map.size) {
      this.#map = new Map(this.#map);
      this.#removed = 0;
    }
    return true;
  }

  /** As they are now: entries may be added and removed meanwhile. */
  keys(): K[] {
    return [...this.#map.keys()];
  }

  values(): V[] {
    return [...this.#map.values()];
  }

  /** The one that was set first. */
  first(): K | undefined {
    for (const key of this.#map.keys()) return key;
    return undefined;
  }
}

/** The same as a set. */
export class TurnoverSet<T> {
  readonly #items = new TurnoverMap<T, true>();

  get size(): number {
    return this.#items.size;
  }

  has(item: T): boolean {
    return this.#items.has(item);
  }

  add(item: T): void {
    this.#items.set(item, true);
  }

  delete(item: T): boolean {
    return this.#items.delete(item);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items.keys()[Symbol.iterator]();
  }
}
