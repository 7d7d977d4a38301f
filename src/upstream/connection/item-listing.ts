import { setTimeout as sleep } from 'node:timers/promises';
import type { ItemKind } from '../../contract/item.ts';
import { isObject, type JsonObject } from '../../json/index.ts';
import type { Log } from '../../lib/log.ts';
import type { Connection } from './connect.ts';
import { isText, listItems, withoutMalformed, type ItemList, type ListKind } from './list-items.ts';
import { describeError } from './open-server.ts';

/** Called whenever the prompts, resources or templates of a server change. */
export type ItemsListener = (server: string, kind: ItemKind, items: JsonObject[]) => void;

export interface ItemListingParts {
  server: string;
  onItems: ItemsListener;
  log: Log;
  /** Makes a text of the server safe to show. */
  shown: (text: string) => string;
}

type ListMethod = 'prompts/list' | 'resources/list' | 'resources/templates/list' | 'skills/list';

interface ListedKind extends ListKind {
  kind: ItemKind;
  method: ListMethod;
  /** The capability that announces the list. */
  capability: 'prompts' | 'resources' | 'skills';
}

const MAX_NAME = 256;
const MAX_URI = 4096;
const PAGE_LIMIT_MS = 30_000;
const LIST_LIMIT_MS = 120_000;
/** A server that is slow to list these is not kept from being used. */
const PATIENCE_MS = 2000;
/** Before further attempts at a list that failed. */
const PAUSES_MS = [200, 5000, 60_000];
/** JSON-RPC: the server declares a capability and has not this list of it. */
const METHOD_NOT_FOUND = '(-32601)';

const TEXTS = { title: isText, description: isText };

const listed = (entry: Omit<ListedKind, 'corrected'>, more: Parameters<typeof withoutMalformed>[1] = {}) => ({
  ...entry,
  corrected: (raw: JsonObject, complain: (text: string) => void) =>
    withoutMalformed(raw, { ...TEXTS, ...more }, (field) =>
      complain(`${entry.noun} ${JSON.stringify(raw[entry.key])} has a malformed ${field}, which is ignored`),
    ),
});

const KINDS: readonly ListedKind[] = [
  listed(
    {
      kind: 'prompt',
      method: 'prompts/list',
      capability: 'prompts',
      field: 'prompts',
      noun: 'prompt',
      key: 'name',
      maxKey: MAX_NAME,
    },
    { arguments: (value) => Array.isArray(value) && value.every(isArgument) },
  ),
  listed(
    {
      kind: 'resource',
      method: 'resources/list',
      capability: 'resources',
      field: 'resources',
      noun: 'resource',
      key: 'uri',
      maxKey: MAX_URI,
    },
    { name: isText, mimeType: isText },
  ),
  listed(
    {
      kind: 'template',
      method: 'resources/templates/list',
      capability: 'resources',
      field: 'resourceTemplates',
      noun: 'template',
      key: 'uriTemplate',
      maxKey: MAX_URI,
    },
    { name: isText, mimeType: isText },
  ),
  listed(
    {
      kind: 'skill',
      method: 'skills/list',
      capability: 'skills',
      field: 'skills',
      noun: 'skill',
      key: 'uri',
      maxKey: MAX_URI,
    },
    { frontmatter: isObject },
  ),
];

function isArgument(value: unknown): boolean {
  return isObject(value) && typeof value.name === 'string';
}

/** The prompts, resources and templates that a server listed last. A list that fails leaves the others and the tools in use. */
export class ItemListing {
  readonly #parts: ItemListingParts;
  readonly #digests = new Map<ItemKind, string>();
  readonly #counts = new Map<ItemKind, number>();
  readonly #problems = new Map<ItemKind, string>();
  #turn = 0;

  constructor(parts: ItemListingParts) {
    this.#parts = parts;
  }

  /** Why a list could not be read, for the operator. */
  get problems(): string[] {
    return [...this.#problems.values()];
  }

  count(kind: ItemKind): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** Reads all lists that the server offers. Resolves when they are read, or after a moment: the rest follows, unless it is read again. */
  async read(connection: Connection, isCurrent: () => boolean): Promise<void> {
    const turn = ++this.#turn;
    const isLatest = () => turn === this.#turn && isCurrent();
    const reading = Promise.all(KINDS.map((kind) => this.#readKind(kind, connection, isLatest)));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((done) => (timer = setTimeout(done, PATIENCE_MS)));
    await Promise.race([reading, late]).finally(() => clearTimeout(timer));
  }

  forget(): void {
    const { server, onItems } = this.#parts;
    this.#turn++;
    const known = [...this.#digests.keys()];
    this.#digests.clear();
    this.#counts.clear();
    this.#problems.clear();
    for (const kind of known) onItems(server, kind, []);
  }

  async #readKind(kind: ListedKind, connection: Connection, isCurrent: () => boolean): Promise<void> {
    if (await this.#tryKind(kind, connection, isCurrent)) return;
    void this.#tryAgain(kind, connection, isCurrent);
  }

  /** A request can fail for a reason that passes, such as a connection that its server has just closed as unused. */
  async #tryAgain(kind: ListedKind, connection: Connection, isCurrent: () => boolean): Promise<void> {
    for (const pause of PAUSES_MS) {
      await sleep(pause, undefined, { ref: false });
      if (!isCurrent() || (await this.#tryKind(kind, connection, isCurrent))) return;
    }
  }

  /** False: it failed. */
  async #tryKind(kind: ListedKind, connection: Connection, isCurrent: () => boolean): Promise<boolean> {
    try {
      const list = connection.offers.includes(kind.capability) ? await readList(kind, connection) : NONE;
      if (isCurrent()) this.#take(kind.kind, list);
      return true;
    } catch (error) {
      if (isCurrent()) this.#fail(kind, describeError(error));
      return false;
    }
  }

  #take(kind: ItemKind, { items, digest, complaints, dropped }: ItemList): void {
    const { server, onItems, log, shown } = this.#parts;
    this.#problems.delete(kind);
    const before = this.#digests.get(kind) ?? NONE.digest;
    if (before === digest) return;
    this.#digests.set(kind, digest);
    this.#counts.set(kind, items.length);
    const left = dropped > 0 ? [`${dropped} ${kind}s are left out`] : [];
    for (const line of [...complaints.slice(0, 5), ...left]) log.warn({ server }, shown(line));
    onItems(server, kind, items);
  }

  #fail({ kind, noun, method }: ListedKind, reason: string): void {
    const { server, log, shown } = this.#parts;
    // A server without templates may not know their list.
    if (reason.includes(METHOD_NOT_FOUND)) return this.#take(kind, NONE);
    const problem = shown(`its ${noun}s could not be listed: ${reason}`);
    if (this.#problems.get(kind) === problem) return;
    this.#problems.set(kind, problem);
    log.warn({ server, method }, problem);
  }
}

const NONE: ItemList = { items: [], digest: '', complaints: [], dropped: 0 };

async function readList(kind: ListedKind, connection: Connection): Promise<ItemList> {
  const end = performance.now() + LIST_LIMIT_MS;
  const list = await listItems(kind, (cursor) => {
    const left = Math.min(PAGE_LIMIT_MS, end - performance.now());
    if (left <= 0) throw new Error(`the list took longer than ${LIST_LIMIT_MS} ms`);
    return connection.lane.ask(kind.method, cursor === undefined ? {} : { cursor }, left);
  });
  return list.items.length === 0 ? { ...list, digest: NONE.digest } : list;
}
