import { DEFAULT_FEATURES, type ClientFeatures, type ServerConfig } from '../../contract/config.ts';
import { permittedCapabilities } from '../asks/capabilities.ts';
import type { Lane } from '../transport/lane.ts';
import { askerOf, type ClientConnections, type ClientSession } from './client-connections.ts';

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

export function canBeAsked(features: ClientFeatures, { capabilities }: ClientSession): boolean {
  return Object.keys(permittedCapabilities(features, capabilities)).length > 0;
}
