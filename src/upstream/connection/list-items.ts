import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../json/index.ts';

const MAX_PAGES = 1000;
const MAX_ITEMS = 100_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;
const MAX_COMPLAINTS = 20;

/** What a list of a server holds. */
export interface ListKind {
  /** The field of a page with the entries. */
  field: string;
  noun: string;
  /** The field that identifies an entry. */
  key: string;
  maxKey: number;
  /** The entry without fields of the wrong type, because all other code relies on their types. */
  corrected: (raw: JsonObject, complain: (text: string) => void) => JsonObject;
}

export interface ItemList {
  items: JsonObject[];
  /** Equal for equal lists, so that an unchanged list can be skipped. */
  digest: string;
  /** What was left out or corrected, and why. */
  complaints: string[];
  dropped: number;
}

export type ReadPage = (cursor: string | undefined) => Promise<JsonObject>;

/** All pages of a list, unchanged except for entries that cannot be used. */
export async function listItems(kind: ListKind, page: ReadPage): Promise<ItemList> {
  const list = new ListBuilder(kind);
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let count = 0; ; count++) {
    if (count >= MAX_PAGES) return list.stop(`the list has more than ${MAX_PAGES} pages`);
    const { [kind.field]: items, nextCursor } = await page(cursor);
    if (!Array.isArray(items)) return list.stop(`a page of the list has no array "${kind.field}"`);
    for (const item of items as unknown[]) if (!list.add(item)) return list.done();
    if (typeof nextCursor !== 'string' || nextCursor === '') return list.done();
    if (cursors.has(nextCursor)) return list.stop('the list repeats a cursor');
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
}

/** Removes fields that are of another type than expected. */
export function withoutMalformed(
  raw: JsonObject,
  fields: Record<string, (value: unknown) => boolean>,
  complain: (field: string) => void,
): JsonObject {
  const item: JsonObject = { ...raw };
  for (const [field, isRight] of Object.entries(fields)) {
    if (!(field in item) || isRight(item[field])) continue;
    complain(field);
    delete item[field];
  }
  return item;
}

export const isText = (value: unknown): boolean => typeof value === 'string';

class ListBuilder {
  readonly #kind: ListKind;
  readonly #items: JsonObject[] = [];
  readonly #keys = new Set<string>();
  readonly #hash = createHash('sha256');
  readonly #complaints: string[] = [];
  #characters = 0;
  #dropped = 0;

  constructor(kind: ListKind) {
    this.#kind = kind;
  }

  /** False: the list is full. */
  add(raw: unknown): boolean {
    const { noun, key, corrected } = this.#kind;
    const why = this.#unusable(raw);
    if (why !== undefined) {
      this.#dropped++;
      this.#complain(why);
      return true;
    }
    const item = corrected(raw as JsonObject, (text) => this.#complain(text));
    const text = JSON.stringify(item);
    this.#characters += text.length;
    if (this.#items.length >= MAX_ITEMS || this.#characters > MAX_CHARACTERS) {
      this.#complain(`the list is cut after ${this.#items.length} ${noun}s`);
      return false;
    }
    this.#hash.update(text).update('\n');
    this.#keys.add(item[key] as string);
    this.#items.push(item);
    return true;
  }

  stop(why: string): ItemList {
    this.#complain(why);
    return this.done();
  }

  done(): ItemList {
    return {
      items: this.#items,
      digest: this.#hash.digest('hex'),
      complaints: this.#complaints,
      dropped: this.#dropped,
    };
  }

  #unusable(raw: unknown): string | undefined {
    const { noun, key, maxKey } = this.#kind;
    const value = isObject(raw) ? raw[key] : undefined;
    if (typeof value !== 'string' || value === '') return `a ${noun} without a ${key} is left out`;
    const shown = JSON.stringify(value.slice(0, 64));
    if (value.length > maxKey)
      return `${noun} ${shown}… is left out: its ${key} is longer than ${maxKey} characters`;
    if (/[\u0000-\u001f\u007f-\u009f]/.test(value))
      return `${noun} ${shown} is left out: its ${key} has control characters`;
    if (this.#keys.has(value)) return `${noun} ${shown} is left out: the server lists the ${key} twice`;
    return undefined;
  }

  #complain(text: string): void {
    if (this.#complaints.length < MAX_COMPLAINTS) this.#complaints.push(text);
  }
}
