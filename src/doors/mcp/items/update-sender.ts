import type { ResourceWatcher } from '../../../contract/call.ts';
import { proxiedUri } from '../../../lib/resource-uri.ts';

/** Subscriptions of one client, or of one stream. */
export const MAX_SUBSCRIBED = 200;
/** After an update, further ones of the same resource are collected for this time and sent as one. */
const COLLECT_MS = 250;

/** Sends updates of resources to one client, under the URIs by which it has subscribed. */
export class UpdateSender implements ResourceWatcher {
  readonly #send: (uri: string) => void;
  /** Stores a subscription, or its end, before the client is answered. Absent: it ends with this process. */
  onChange: ((uri: string, isWatched: boolean) => Promise<void>) | undefined;
  readonly #isReadable: (server: string, uri: string) => boolean;
  readonly #subscribed = new Set<string>();
  #pending = 0;
  /** Resources that were told of a moment ago, and whether they have changed since. */
  readonly #recent = new Map<string, { timer: NodeJS.Timeout; again: boolean }>();

  /** `isReadable`: whether the client may still read a resource of a server; rules may have changed since it subscribed. */
  constructor(send: (uri: string) => void, isReadable: (server: string, uri: string) => boolean) {
    this.#send = send;
    this.#isReadable = isReadable;
  }

  /** Those that are asked for at this moment count too. */
  get isFull(): boolean {
    return this.#subscribed.size + this.#pending >= MAX_SUBSCRIBED;
  }

  /** Subscribes where `ask` succeeds. */
  async subscribe<T>(uri: string, ask: () => Promise<T>): Promise<T> {
    this.#pending++;
    try {
      const answer = await ask();
      this.add(uri);
      await this.onChange?.(uri, true);
      return answer;
    } finally {
      this.#pending--;
    }
  }

  add(uri: string): void {
    this.#subscribed.add(uri);
  }

  has(uri: string): boolean {
    return this.#subscribed.has(uri);
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#subscribed.delete(uri);
    await this.onChange?.(uri, false);
  }

  /** The client has left the others, at another proxy. */
  keepOnly(uris: readonly string[]): void {
    for (const uri of this.#subscribed) if (!uris.includes(uri)) this.#subscribed.delete(uri);
  }

  updated(server: string, uri: string): void {
    if (!this.#isReadable(server, uri)) return;
    for (const asked of [proxiedUri(server, uri), uri]) if (this.#subscribed.has(asked)) this.tell(asked);
  }

  close(): void {
    this.#subscribed.clear();
    for (const { timer } of this.#recent.values()) clearTimeout(timer);
    this.#recent.clear();
  }

  tell(uri: string): void {
    const recent = this.#recent.get(uri);
    if (recent) {
      recent.again = true;
      return;
    }
    const timer = setTimeout(() => this.#collected(uri), COLLECT_MS).unref();
    this.#recent.set(uri, { timer, again: false });
    this.#send(uri);
  }

  #collected(uri: string): void {
    const isAgain = this.#recent.get(uri)?.again === true;
    this.#recent.delete(uri);
    if (isAgain && this.#subscribed.has(uri)) this.tell(uri);
  }
}
