import type { ConfiguredServer } from '../../contract/config.ts';
import { toProxyError } from '../../contract/errors.ts';
import type { OpenServer } from '../connection/open-server.ts';
import { canBeAsked, chooseConnection, featuresOf } from './choose-connection.ts';
import { askerOf, type ClientConnections, type ClientSession, type Lease } from './client-connections.ts';

export interface LeaseParts {
  clients: ClientConnections;
  config: () => ConfiguredServer;
  isBuiltin: boolean;
  /** The server counts as one that asks nothing. */
  onQuiet: () => void;
}

/** Calls of clients that can answer, after which a server that has asked nothing counts as one that does not ask. */
const QUIET_CALLS = 50;

const SHARED: Lease = { lane: undefined, release: () => undefined };

/** Gives each call of one server its connection: that of its client, or the one that clients share. */
export class Leases {
  readonly #parts: LeaseParts;
  #calls = 0;
  /** A second connection beside the shared one could not be opened. */
  #isSingle = false;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** Undefined: the shared one. */
  leaseFor(
    by: { session: ClientSession; client: string },
    { lane, modern, offers }: OpenServer,
    asks: boolean | undefined,
  ): Promise<Lease> | undefined {
    const { clients, config, isBuiltin } = this.#parts;
    const { session, client } = by;
    const server = {
      config: config(),
      isBuiltin,
      isModern: modern,
      asks: asks ?? (this.#isSingle ? false : undefined),
      hasLogLevels: offers.includes('logging'),
    };
    const choice = chooseConnection(server, session, { own: clients, shared: lane });
    if (asks === undefined && !modern) this.#count(session);
    if (choice === 'claimed') lane.claim(askerOf(session), session);
    if (choice === 'own') return clients.lease(session, client);
    return choice === 'preferably own' ? this.#leaseOrShare(session, client) : undefined;
  }

  /** A server that cannot be started twice, or has no place left, is shared as long as it asks nothing. */
  async #leaseOrShare(session: ClientSession, client: string): Promise<Lease> {
    try {
      return await this.#parts.clients.lease(session, client);
    } catch (error) {
      if (toProxyError(error).code !== 'SERVER_BUSY') this.#isSingle = true;
      return SHARED;
    }
  }

  #count(session: ClientSession): void {
    if (!canBeAsked(featuresOf(this.#parts.config()), session)) return;
    if (++this.#calls === QUIET_CALLS) this.#parts.onQuiet();
  }
}
