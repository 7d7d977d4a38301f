import type { ResourceWatcher } from '../../contract/call.ts';
import { ProxyError } from '../../contract/errors.ts';
import { hasFairShare } from '../../load/index.ts';
import type { OpenServer } from './open-server.ts';

export interface WatchParts {
  server: string;
  connection: () => OpenServer | undefined;
  limitMs: () => number;
}

/** Who watches. */
export interface WatchedBy {
  /** Whose credential it is. */
  client: string;
  /** The key by which servers tell clients apart. */
  session: string | undefined;
}

interface Watched {
  watchers: Map<ResourceWatcher, WatchedBy>;
  /** Whether the server has accepted the subscription. */
  asked: Promise<void>;
}

/** Resources of one server that are watched at a time. */
const MAX_WATCHED = 1000;

/**
 * The resources that clients have subscribed to on one connection of a server. The server is asked once for each, whatever the number of
 * clients, and again after a new connection.
 */
export class ResourceWatches {
  readonly #parts: WatchParts;
  readonly #watched = new Map<string, Watched>();
  /** The stream of a server of 2026-07-28: one for all URIs. */
  #stream: { close(): Promise<void> } | undefined;
  /** One change at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#watched.size;
  }

  async add(uri: string, watcher: ResourceWatcher, by: WatchedBy): Promise<void> {
    const known = this.#watched.get(uri);
    if (!known && !hasFairShare(this.#countOf(by.client), this.#watched.size, MAX_WATCHED))
      throw tooManyWatched(this.#parts.server);
    const watched = known ?? { watchers: new Map(), asked: Promise.resolve() };
    watched.watchers.set(watcher, by);
    if (!known) {
      this.#watched.set(uri, watched);
      watched.asked = this.#inTurn(() => this.#ask(uri, 'resources/subscribe'));
      watched.asked.catch(() => this.#watched.delete(uri));
    }
    await watched.asked;
  }

  /** Resources that a client watches, in all its sessions. */
  #countOf(client: string): number {
    let count = 0;
    for (const { watchers } of this.#watched.values())
      for (const each of watchers.values())
        if (each.client === client) {
          count++;
          break;
        }
    return count;
  }

  /** What a client watches, as the server tells clients apart. */
  *of(session: string): Generator<readonly [uri: string, watcher: ResourceWatcher, by: WatchedBy]> {
    for (const [uri, { watchers }] of this.#watched)
      for (const [watcher, by] of watchers) if (by.session === session) yield [uri, watcher, by];
  }

  /** The server is told when nobody watches the resource any more. */
  async release(uri: string, watcher: ResourceWatcher): Promise<void> {
    const watchers = this.#watched.get(uri)?.watchers;
    if (!watchers?.delete(watcher) || watchers.size > 0) return;
    this.#watched.delete(uri);
    await this.#inTurn(() => this.#ask(uri, 'resources/unsubscribe'));
  }

  /** The client has left. */
  releaseAll(watcher: ResourceWatcher): void {
    // The server forgets the subscription with its session at the latest.
    for (const uri of this.#watched.keys()) this.release(uri, watcher).catch(() => undefined);
  }

  updated(uri: string): void {
    for (const watcher of this.#watched.get(uri)?.watchers.keys() ?? [])
      watcher.updated(this.#parts.server, uri);
  }

  /** A new connection knows nothing of the subscriptions. What changed meanwhile is not known, so all watchers are told. */
  connected(): void {
    this.#stream = undefined;
    for (const uri of this.#watched.keys()) {
      void this.#inTurn(() => this.#ask(uri, 'resources/subscribe')).then(
        () => this.updated(uri),
        () => undefined,
      );
    }
  }

  async #ask(uri: string, method: 'resources/subscribe' | 'resources/unsubscribe'): Promise<void> {
    const { connection, limitMs } = this.#parts;
    const open = connection();
    if (!open) return;
    if (!open.modern) return void (await open.lane.ask(method, { uri }, limitMs()));
    const before = this.#stream;
    const uris = [...this.#watched.keys()];
    this.#stream = uris.length > 0 ? await open.listenTo(uris) : undefined;
    await before?.close().catch(() => undefined);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function tooManyWatched(server: string): ProxyError {
  return new ProxyError(
    'SERVER_BUSY',
    `Too many resources of server '${server}' are watched: the limit is ${MAX_WATCHED}, and one client gets a part of it. Unsubscribe from others first.`,
    { server, limit: MAX_WATCHED, sent: false },
  );
}
