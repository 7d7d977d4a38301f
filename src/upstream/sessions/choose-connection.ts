import { DEFAULT_FEATURES, type ClientFeatures, type ServerConfig } from '../../contract/config.ts';
import { permittedCapabilities } from '../asks/capabilities.ts';
import type { ClientSession } from './client-connections.ts';

interface ServerFacts {
  config: Pick<ServerConfig, 'sharing' | 'client_features'>;
  isBuiltin: boolean;
  /** Servers since 2026-07-28 keep nothing about a client. */
  isModern: boolean;
  /** It has asked a client for something before. */
  asks: boolean;
  hasLogLevels: boolean;
}

/** Whether the client gets a connection of its own. */
export function needsOwnConnection(server: ServerFacts, session: ClientSession): boolean {
  const { config, isBuiltin, isModern, asks, hasLogLevels } = server;
  const sharing = config.sharing ?? 'auto';
  if (isBuiltin || sharing === 'shared') return false;
  if (sharing === 'per_client') return true;
  if (isModern) return false;
  if (hasLogLevels && session.logLevel !== undefined) return true;
  return asks && canBeAsked(featuresOf(config), session);
}

export function featuresOf({
  client_features: features,
}: Pick<ServerConfig, 'client_features'>): ClientFeatures {
  return features ?? DEFAULT_FEATURES;
}

function canBeAsked(features: ClientFeatures, { capabilities }: ClientSession): boolean {
  return Object.keys(permittedCapabilities(features, capabilities)).length > 0;
}
