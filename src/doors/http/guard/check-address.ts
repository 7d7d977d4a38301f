import type { IncomingMessage } from 'node:http';
import { ProxyError } from '../../../contract/errors.ts';
import { TOKEN_PREFIX } from '../../../contract/token.ts';
import { allowedHosts, type AllowedHosts } from './allowed-hosts.ts';

export interface AddressSettings {
  allowedHosts: readonly string[];
  /** The host part of the listen address. */
  listenHost: string;
}

const TOKEN_IN_URL = new RegExp(`${TOKEN_PREFIX}[0-9A-Za-z]{16}`);
const CREDENTIAL_PARAMETER = /^(x[-_]?)?api[-_]?key$|^access[-_]?token$/i;

/**
 * Host before Origin: after a DNS rebind a browser leaves out Origin on reads of "its own" site, but no script can change Host. Throws
 * where a check fails. A health probe may use any Host; everything else about its address is checked as always.
 */
export function createAddressCheck(): (
  req: IncomingMessage,
  settings: AddressSettings,
  isProbe: boolean,
) => void {
  const allowed = createAllowedCache();
  return (req, settings, isProbe) => {
    checkTarget(req);
    const { hosts, origins } = allowed(req, settings);
    if (isProbe) checkHostForm(req);
    else checkHost(req, hosts);
    checkOrigin(req, origins);
    checkQuery(req);
  };
}

/** A request line with an absolute URL names a second host; this is not a forward proxy, so it is rejected. */
function checkTarget(req: IncomingMessage): void {
  if (req.url?.charCodeAt(0) === 0x2f) return;
  throw new ProxyError('INVALID_REQUEST', 'The request line must name a path, as in "GET /healthz HTTP/1.1"');
}

function checkHost(req: IncomingMessage, hosts: ReadonlySet<string>): void {
  const host = req.headers.host;
  if (!host) throw new ProxyError('INVALID_REQUEST', 'The Host header is missing');
  // Node keeps the first of several Host headers; another reader may take the last.
  if (countHeader(req.rawHeaders, 'host') > 1)
    throw new ProxyError('INVALID_REQUEST', 'There is more than one Host header');
  if (hosts.has(host) || hosts.has(host.toLowerCase())) return;
  throw new ProxyError(
    'FORBIDDEN_HOST',
    'The Host header does not name this proxy; add the name to "allowed_hosts" if it should',
    {
      header: 'Host',
      value: host.slice(0, 200),
    },
  );
}

/** HTTP/1.1 wants exactly one Host header; HTTP/1.0, which some load balancers speak, may leave it out. */
function checkHostForm(req: IncomingMessage): void {
  const count = countHeader(req.rawHeaders, 'host');
  if (count === 0 && req.httpVersion !== '1.0')
    throw new ProxyError('INVALID_REQUEST', 'The Host header is missing');
  if (count > 1) throw new ProxyError('INVALID_REQUEST', 'There is more than one Host header');
}

function checkOrigin(req: IncomingMessage, origins: ReadonlySet<string>): void {
  const origin = req.headers.origin;
  if (origin === undefined || origins.has(origin.toLowerCase())) return;
  throw new ProxyError('FORBIDDEN_HOST', 'The Origin header names a page that this proxy does not serve', {
    header: 'Origin',
    value: origin.slice(0, 200),
  });
}

/** URLs end up in histories and logs, so a key in one is rejected even where it is valid. */
function checkQuery(req: IncomingMessage): void {
  if (TOKEN_IN_URL.test(req.url!))
    throw new ProxyError(
      'INVALID_REQUEST',
      'A token must not be in the URL: send it as "Authorization: Bearer TOKEN"',
    );
  const mark = req.url!.indexOf('?');
  if (mark < 0) return;
  for (const name of new URLSearchParams(req.url!.slice(mark + 1)).keys()) {
    if (!CREDENTIAL_PARAMETER.test(name)) continue;
    throw new ProxyError(
      'INVALID_REQUEST',
      `The API key must not be in the URL ("${name}"): send it as "X-API-Key: KEY"`,
      { parameter: name },
    );
  }
}

function countHeader(raw: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]!.length === name.length && raw[i]!.toLowerCase() === name) count++;
  }
  return count;
}

/** One entry per local address, of which a machine has few. Cleared when the configuration changes. */
function createAllowedCache() {
  const known = new Map<string, AllowedHosts>();
  let madeFor: { listenHost: string; extra: readonly string[] } | undefined;
  return (req: IncomingMessage, { listenHost, allowedHosts: extra }: AddressSettings): AllowedHosts => {
    if (madeFor?.extra !== extra || madeFor.listenHost !== listenHost || known.size > 100) {
      known.clear();
      madeFor = { listenHost, extra };
    }
    const { localAddress = '', localPort = 0 } = req.socket;
    const key = `${localAddress} ${localPort}`;
    let entry = known.get(key);
    if (!entry) known.set(key, (entry = allowedHosts({ localAddress, localPort }, listenHost, extra)));
    return entry;
  };
}
