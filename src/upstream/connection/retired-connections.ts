import type { OpenServer } from './open-server.ts';

/** Connections that were given up while calls were under way in them. */
export class RetiredConnections {
  readonly #open = new Set<OpenServer>();

  /** Over HTTP the calls in flight have connections of their own, which may well be answered while a new session is made. */
  async retire(connection: OpenServer, signal: AbortSignal): Promise<void> {
    if (!connection.http || connection.lane.size === 0 || signal.aborted) return connection.close();
    this.#open.add(connection);
    void connection.lane
      .idle()
      .then(() => connection.close())
      .finally(() => this.#open.delete(connection));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((connection) => connection.close()));
  }
}
