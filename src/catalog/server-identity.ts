import { createHash } from 'node:crypto';
import type { Config, ServerConfig } from '../contract/config.ts';
import { canonicalJson } from '../lib/canonical-json.ts';

const identities = new WeakMap<ServerConfig, string>();

/**
 * A fingerprint of how a server is started or reached. Trust in its tools is bound to it: another program under the same name is another
 * server. Values of the environment and of headers are left out, as a new token is no new server; their names count.
 */
export function serverIdentity({ mcpServers }: Pick<Config, 'mcpServers'>, server: string): string {
  const config = Object.hasOwn(mcpServers, server) ? mcpServers[server] : undefined;
  if (!config) return 'built in';
  const known = identities.get(config);
  if (known !== undefined) return known;
  const { command, args = [], cwd, url, type, env = {}, headers = {} } = config;
  const names = { env: Object.keys(env).sort(), headers: Object.keys(headers).sort() };
  const identity = createHash('sha256')
    .update(canonicalJson({ command, args, cwd, url, type, ...names }))
    .digest('hex');
  identities.set(config, identity);
  return identity;
}
