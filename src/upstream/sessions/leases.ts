import {
  DEFAULT_FEATURES,
  type ClientFeatures,
  type ConfiguredServer,
  type ServerConfig,
} from '../../contract/config.ts';
import { toProxyError } from '../../contract/errors.ts';
import { permittedCapabilities } from '../asks/capabilities.ts';
import type { OpenServer } from '../connection/open-server.ts';
import type { Lane } from '../transport/lane.ts';
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

interface ServerFacts {
  config: Pick<ServerConfig, 'sharing' | 'client_features'>;
  isBuiltin: boolean;
  /** Servers since 2026-07-28 keep nothing about a client. */
  isModern: boolean;
  /** Whether it asks clients for something; undefined: not known yet. */
  asks: boolean | undefined;
  hasLogLevels: boolean;
}

/** The connections of the server at this moment. Each is asked only where it matters. */
interface Connections {
  /** Of clients. */
  own: Pick<ClientConnections, 'has'>;
  shared: Pick<Lane, 'hasServedOthers' | 'isClaimed'>;
}

/**
 * `own`: a connection of its own, or a refusal. `preferably own`: the shared one where there is no other. `claimed`: the shared one, and
 * questions on it are for this client.
 */
export type Choice = 'own' | 'preferably own' | 'claimed' | 'shared';

export function chooseConnection(
  server: ServerFacts,
  session: ClientSession,
  connections: Connections,
): Choice {
  const { config, isBuiltin, isModern, hasLogLevels } = server;
  const sharing = config.sharing ?? 'auto';
  if (isBuiltin || sharing === 'shared') return 'shared';
  if (sharing === 'per_client') return 'own';
  if (isModern) return 'shared';
  if (hasLogLevels && session.logLevel !== undefined) return 'own';
  const isAble = canBeAsked(featuresOf(config), session);
  if (server.asks && isAble) return 'own';
  // The server may keep something for the client there.
  if (connections.own.has(session)) return 'preferably own';
  return server.asks === undefined ? chosenUntilKnown(session, isAble, connections.shared) : 'shared';
}

/**
 * Until it is known whether the server asks, each client that can answer is the only one on its connection, so that already the first
 * question certainly belongs to it.
 */
function chosenUntilKnown(session: ClientSession, isAble: boolean, shared: Connections['shared']): Choice {
  if (!isAble && !shared.isClaimed) return 'shared';
  if (shared.hasServedOthers(askerOf(session))) return 'preferably own';
  return isAble ? 'claimed' : 'shared';
}

export function featuresOf({
  client_features: features,
}: Pick<ServerConfig, 'client_features'>): ClientFeatures {
  return features ?? DEFAULT_FEATURES;
}

function canBeAsked(features: ClientFeatures, { capabilities }: ClientSession): boolean {
  return Object.keys(permittedCapabilities(features, capabilities)).length > 0;
}
