/** The Host values that name this proxy, and the Origins of pages that it serves itself. Compared as whole strings, in lower case. */
export interface AllowedHosts {
  hosts: ReadonlySet<string>;
  origins: ReadonlySet<string>;
}

export interface LocalEnd {
  /** Address and port of our end of the connection: what the request really reached, whatever its Host says. */
  localAddress: string;
  localPort: number;
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Loopback names, the address that the connection reached and the configured listen host, each with the right port. `extra` comes
 * from the operator: a name without a port is accepted bare too, and as https, since a reverse proxy may stand in front.
 */
export function allowedHosts(
  { localAddress, localPort }: LocalEnd,
  listenHost: string,
  extra: readonly string[],
): AllowedHosts {
  const hosts = new Set<string>();
  const origins = new Set<string>();
  const allow = (host: string, schemes: readonly string[]) => {
    hosts.add(host);
    for (const scheme of schemes) origins.add(`${scheme}://${host}`);
  };
  for (const name of [...LOOPBACK_NAMES, bracketed(localAddress), bracketed(listenHost.toLowerCase())]) {
    // "Any address" is not a name of this proxy; browsers route it to loopback.
    if (name === '0.0.0.0' || name === '[::]' || name === '') continue;
    allow(`${name}:${localPort}`, ['http']);
    if (localPort === 80) allow(name, ['http']);
  }
  for (const entry of extra.map((text) => text.toLowerCase())) {
    allow(entry, ['http', 'https']);
    if (!hasPort(entry)) allow(`${entry}:${localPort}`, ['http', 'https']);
  }
  return { hosts, origins };
}

/** A literal loopback name with any port. */
const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::[1-9]\d{0,4})?$/i;

/**
 * Whether a Host header names this machine, by whatever port: a forwarded port (ssh -L, docker -p) differs from ours. No page of another
 * site can send it, as a browser sends the name in its address bar, and these names cannot be bound to another machine by DNS.
 */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host);
}

/** Whether a bind address, or the far end of a connection, is this machine and nothing else. */
export function isLoopback(address: string): boolean {
  const plain = address
    .replace(/^\[|\]$/g, '')
    .replace(/^::ffff:/i, '')
    .toLowerCase();
  return plain === 'localhost' || plain === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(plain);
}

function bracketed(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return plain.includes(':') && !plain.startsWith('[') ? `[${plain}]` : plain;
}

function hasPort(entry: string): boolean {
  return /:\d{1,5}$/.test(entry) && !/^\[[^\]]*$/.test(entry);
}
