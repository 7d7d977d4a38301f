import type { Place } from '../../doors/cli/runtime.ts';
import { findApiKey, type DaemonLocation } from '../../config/index.ts';
import { agentToken } from './agent-token.ts';

/**
 * The key or token that somebody chose for this command. An agent token in the environment takes precedence over the key in a file, so
 * that nobody acts as operator by accident.
 */
export function namedKey({ apiKey }: Place, place: DaemonLocation): string | undefined {
  const isNamed = Boolean(apiKey ?? process.env.MCPPROXY_API_KEY);
  return isNamed ? findApiKey(place) : agentToken(process.env);
}
