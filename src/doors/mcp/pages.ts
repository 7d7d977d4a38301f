import { inTurn, jsonText, keepSource, type JsonObject, type Steps } from '../../json/index.ts';
import { CODE, RpcError } from './wire.ts';

/** An entry of a list, with its text, which is sent as it is. */
export interface PageEntry {
  value: JsonObject;
  text: string;
  bytes: number;
}

function pageEntry(value: JsonObject): PageEntry {
  const text = jsonText(value);
  return { value, text, bytes: Buffer.byteLength(text) };
}

const Itself = function itself(object: object) {
  return object;
} as unknown as new (object: object) => object;

/** A private field on an object of the catalog: unlike ten thousand entries of a WeakMap it costs the garbage collector nothing. */
class WithEntry extends Itself {
  #entry: PageEntry | undefined;

  static of(object: object): PageEntry | undefined {
    return #entry in object ? object.#entry : undefined;
  }

  static keep(object: object, entry: PageEntry): void {
    if (#entry in object) object.#entry = entry;
    else new WithEntry(object).#entry = entry;
  }
}

/** The entry of an object of the catalog. Such an object never changes, so its entry is made once. */
export function entryOnce<T extends object>(object: T, shown: (object: T) => JsonObject): PageEntry {
  const before = WithEntry.of(object);
  if (before) return before;
  const made = pageEntry(shown(object));
  WithEntry.keep(object, made);
  return made;
}

/**
 * Runs the work in steps, in turn with everything else; a demand that comes meanwhile runs it once more. Entries are made like this when a
 * list arrives, so that the first client that reads a long list does not wait for them.
 */
export function inBackground(work: () => Steps<unknown>): () => void {
  let [isRunning, isStale] = [false, false];
  async function run(): Promise<void> {
    isRunning = true;
    do {
      isStale = false;
      // The page that needs an entry that cannot be made fails with the same error.
      await inTurn(work()).catch(() => undefined);
    } while (isStale);
    isRunning = false;
  }
  return () => {
    isStale = true;
    if (!isRunning) void run();
  };
}

export interface Paged {
  /** The field of the page with the entries. */
  field: string;
  /** In order. */
  names: readonly string[];
  entryOf: (name: string) => PageEntry;
  /** Names that fail are left out. They are looked at as far as the page reaches, so that a page of a long list costs no more than its part. */
  isShown?: (name: string) => boolean;
  cursor: unknown;
  /** Further entries, on the first page. */
  own?: readonly JsonObject[];
}

/** Enough for nearly every list, as some clients read the first page only. */
const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 1024 * 1024;

/** One page of a list. Its text is put together from those of the entries. */
export function pageOf({ field, names, entryOf, isShown = () => true, cursor, own = [] }: Paged): JsonObject {
  const values = cursor === undefined ? [...own] : [];
  const texts = values.map((value) => jsonText(value));
  let at = cursor === undefined ? 0 : firstAfter(names, readCursor(cursor));
  let [count, bytes] = [0, 0];
  let last: string | undefined;
  const skip = () => {
    while (at < names.length && !isShown(names[at]!)) at++;
  };
  for (skip(); at < names.length && count < PAGE_ENTRIES && bytes < PAGE_BYTES; skip()) {
    last = names[at++]!;
    const entry = entryOf(last);
    count++;
    bytes += entry.bytes;
    values.push(entry.value);
    texts.push(entry.text);
  }
  const nextCursor = at < names.length && last !== undefined ? writeCursor(last) : undefined;
  const page = { [field]: values, ...(nextCursor !== undefined && { nextCursor }) };
  const rest = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  keepSource(page, `{"${field}":[${texts.join(',')}]${rest}}`);
  return page;
}

/** The last name of a page, so that a change between two pages neither repeats nor skips an entry. */
function writeCursor(name: string): string {
  return Buffer.from(name).toString('base64url');
}

function readCursor(cursor: unknown): string {
  const name = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : '';
  if (name !== '' && writeCursor(name) === cursor) return name;
  throw new RpcError(CODE.invalidParams, 'Invalid cursor', { record: 'INVALID_REQUEST' });
}

function firstAfter(names: readonly string[], last: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (names[middle]! <= last) low = middle + 1;
    else high = middle;
  }
  return low;
}
