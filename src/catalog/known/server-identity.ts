import { createHash } from 'node:crypto';
import type { Config, ServerConfig } from '../../contract/config.ts';
import { canonicalJson } from '../../json/index.ts';

const identities = new WeakMap<ServerConfig, string>();

/**
 * A hash of how a server is started or reached, and of its introduction if given. Trust in its tools is bound to it: another program under
 * the same name is another server, and so is another version. Values of environment variables and headers do not count, because a new token
 * does not make a new server; their names count.
 */
export function serverIdentity(
  { mcpServers }: Pick<Config, 'mcpServers'>,
  server: string,
  introduction?: string,
): string {
  const config = Object.hasOwn(mcpServers, server) ? mcpServers[server] : undefined;
  if (!config) return 'built in';
  const place = identities.get(config) ?? placeOf(config);
  identities.set(config, place);
  return introduction === undefined ? place : `${place}/${introduction}`;
}

function placeOf(config: ServerConfig): string {
  const { command, args = [], cwd, url, type, env = {}, env_file, headers = {} } = config;
  const names = { env: Object.keys(env).sort(), headers: Object.keys(headers).sort() };
  return createHash('sha256')
    .update(canonicalJson({ command, args, cwd, url, type, env_file, ...names }))
    .digest('hex');
}

/** A hash of the server's introduction: name, version, instructions. */
export function introductionHash(introduction: object | undefined): string | undefined {
  if (introduction === undefined) return undefined;
  return createHash('sha256').update(canonicalJson(introduction)).digest('hex').slice(0, 16);
}

/** Started or reached in the same way, whatever its introduction. */
export function isSamePlace(one: string, other: string): boolean {
  return one.split('/')[0] === other.split('/')[0];
}

/** The same server. Identities stored by versions without introductions match on the rest. */
export function isSameServer(one: string, other: string): boolean {
  const [[place, said], [otherPlace, otherSaid]] = [one.split('/'), other.split('/')];
  if (place !== otherPlace) return false;
  return said === undefined || otherSaid === undefined || said === otherSaid;
}
