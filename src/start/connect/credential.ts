import type { Place } from '../../doors/cli/runtime.ts';
import { findApiKey, type DaemonLocation } from '../../config/index.ts';
import { createLog } from '../../lib/log.ts';
import { openOrSalvage } from '../place.ts';
import { agentToken } from './agent-token.ts';

/**
 * The key or token that somebody chose for this command. An agent token in the environment takes precedence over the key in a file, so
 * that nobody acts as operator by accident.
 */
export function namedKey({ apiKey }: Place, place: DaemonLocation): string | undefined {
  const isNamed = Boolean(apiKey ?? process.env.MCPPROXY_API_KEY);
  return isNamed ? findApiKey(place) : agentToken(process.env);
}

/** The key for a daemon that is given by its address. */
export function keyFor(options: Place): string | undefined {
  const place = openOrSalvage(options, { watch: false, log: createLog('warn', { pretty: false }) });
  if ('invalid' in place) return findApiKey(place);
  return findApiKey({ dataDir: place.dataDir, config: place.config.current() });
}
