import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { ProxyError } from '../../../contract/errors.ts';
import { TOKEN_PREFIX } from '../../../contract/token.ts';
import { allowedHosts, isLoopbackHost, type AllowedHosts } from '../guard/allowed-hosts.ts';

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
  if (hosts.has(host) || hosts.has(host.toLowerCase()) || isLoopbackHost(host)) return;
  throw new ProxyError(
    'FORBIDDEN_HOST',
    'The Host header does not name this proxy; the key or token was not checked. Use 127.0.0.1 or localhost in the address, or add the name to "allowed_hosts" in the configuration of the proxy',
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
  if (origin === undefined || origins.has(origin.toLowerCase()) || isOwnPage(req, origin)) return;
  throw new ProxyError('FORBIDDEN_HOST', 'The Origin header names a page that this proxy does not serve', {
    header: 'Origin',
    value: origin.slice(0, 200),
  });
}

/** Our own page by a forwarded port of this machine. */
function isOwnPage({ headers: { host = '' } }: IncomingMessage, origin: string): boolean {
  return isLoopbackHost(host) && origin.toLowerCase() === `http://${host.toLowerCase()}`;
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

/** The longest list of forwarded addresses that is read: no sensible chain of proxies is longer. */
const MOST_HOPS = 32;

/**
 * The address of the client. A proxy in front that is trusted by configuration tells it in X-Forwarded-For: each proxy appends the address
 * that it saw, so the list is read from its end, and ends at the first address that is not a trusted proxy. What stands before that
 * address the client may have written itself. The header `Forwarded` is not read.
 */
export function createClientAddress(trusted: () => readonly string[]): (req: IncomingMessage) => string {
  const listed = createTrustedList(trusted);
  return ({ socket, headers }) => {
    let address = plainAddress(socket.remoteAddress ?? '');
    const isTrusted = listed();
    const header = headers['x-forwarded-for'];
    if (!isTrusted || header === undefined || !isTrusted(address)) return address;
    const hops = String(header).split(',').slice(-MOST_HOPS);
    while (hops.length > 0 && isTrusted(address)) {
      const before = plainAddress(withoutPort(hops.pop()!.trim()));
      // No address: only what the last proxy itself has seen is known.
      if (isIP(before) === 0) break;
      address = before;
    }
    return address;
  };
}

/** Whether the client reaches a trusted proxy in front over TLS, as that says in X-Forwarded-Proto. */
export function createSecureCheck(trusted: () => readonly string[]): (req: IncomingMessage) => boolean {
  const listed = createTrustedList(trusted);
  return ({ socket, headers }) =>
    listed()?.(plainAddress(socket.remoteAddress ?? '')) === true &&
    /(?:^|,)\s*https\s*$/i.test(String(headers['x-forwarded-proto'] ?? '').slice(-MOST_PROTO));
}

const MOST_PROTO = 100;

/** An IPv4 address of a connection over IPv6 is the same address. */
const plainAddress = (address: string) =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;

/** Some proxies add the port: 192.0.2.7:4711 or [2001:db8::1]:4711. */
const withoutPort = (text: string) =>
  /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text)?.slice(1).find(Boolean) ?? text;

type IsTrusted = (address: string) => boolean;

/** Undefined where no proxy is trusted. Made again when the configuration changes. */
function createTrustedList(trusted: () => readonly string[]): () => IsTrusted | undefined {
  let madeFor: readonly string[] | undefined;
  let isTrusted: IsTrusted | undefined;
  return () => {
    const entries = trusted();
    if (entries === madeFor) return isTrusted;
    madeFor = entries;
    const list = new BlockList();
    for (const entry of entries) {
      const [address = '', bits] = entry.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
    }
    isTrusted = entries.length === 0 ? undefined : (address) => contains(list, address);
    return isTrusted;
  };
}

function contains(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}
