import { ProxyError } from '../../contract/errors.ts';
import { nameForms, nearestNames } from '../search/nearest-names.ts';

const MAX_SERVERS = 20;

export function checkServerName(server: string, servers: readonly string[]): void {
  if (!servers.includes(server)) throw noSuchServer(server, servers);
}

/** Names the nearest servers, or all of them. */
export function noSuchServer(server: string, servers: readonly string[]): ProxyError {
  const nearest = nearestNames(server, servers.map(nameForms), 3);
  const known = servers.slice(0, MAX_SERVERS);
  const all = known.length > 0 ? `Known servers: ${known.join(', ')}` : 'No server has been added';
  const hint = nearest.length > 0 ? `Did you mean ${nearest.map((near) => `'${near}'`).join(', ')}?` : all;
  return new ProxyError('NOT_FOUND', `Server '${server.slice(0, 100)}' not found. ${hint}`, {
    parameter: 'server',
    server: server.slice(0, 100),
    nearest,
    servers: known,
  });
}
