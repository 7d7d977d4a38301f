import type { Place } from '../../doors/cli/index.ts';
import { findApiKey, type DaemonLocation } from '../../config/index.ts';
import { readOrSalvage } from '../place.ts';
import { agentToken } from './agent-token.ts';

/**
 * The key or token that somebody chose for this command. An agent token in the environment takes precedence over the key in a file, so
 * that nobody acts as operator by accident.
 */
export function namedKey({ apiKey }: Place, place: DaemonLocation): string | undefined {
  const isNamed = Boolean(apiKey ?? process.env.MCPPROXY_API_KEY);
  return isNamed ? findApiKey(place) : agentToken(process.env);
}

/** The key for a daemon that is given by its address. The key of this installation goes to no other machine unless it is named. */
export function keyFor(options: Place): string | undefined {
  const isNamed = Boolean(options.apiKey ?? process.env.MCPPROXY_API_KEY);
  if (!isNamed && options.url && !isLoopback(options.url)) return undefined;
  return findApiKey(readOrSalvage(options));
}

function isLoopback(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}
