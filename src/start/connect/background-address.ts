import { lastListen } from '../../config/index.ts';
import { isLoopback } from '../../doors/http/index.ts';

/**
 * Where a daemon in the background listens: at the address of the last `mcpproxy serve`, which HTTP clients have in their files, or at the
 * configured one. It never opens a port to the network, because nobody started it on purpose.
 */
export function backgroundAddress(
  dataDir: string,
  configured: string,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const address = (env.MCPPROXY_LISTEN ? undefined : lastListen(dataDir)) ?? configured;
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  return isLoopback(host) ? address : `127.0.0.1${address.slice(colon)}`;
}
