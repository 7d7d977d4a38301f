const LOOPBACK = /^(?:localhost|(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|0\.0\.0\.0)\.?$/i;
const SUPPORTED = /^(?:https?|socks5?):$/;

/** The proxy of the network through which a URL is reached, from the usual variables. Undefined: it is reached directly. */
export function outboundProxy(url: URL, env: NodeJS.ProcessEnv = process.env): URL | undefined {
  if (LOOPBACK.test(url.hostname)) return undefined;
  const [name, value] = variableFor(url.protocol, env);
  if (value === undefined || isExempt(url, read(env, 'no_proxy') ?? '')) return undefined;
  const written = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(written) || !SUPPORTED.test(new URL(written).protocol))
    // The value may have a password.
    throw new Error(
      `${name.toUpperCase()} is not the address of an HTTP or SOCKS5 proxy; correct it, or add ${url.hostname} to NO_PROXY`,
    );
  return new URL(written);
}

function variableFor(protocol: string, env: NodeJS.ProcessEnv): [name: string, value: string | undefined] {
  const own = protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const value = read(env, own);
  return value === undefined ? ['all_proxy', read(env, 'all_proxy')] : [own, value];
}

/** Lower case first, as curl does. An empty value counts as absent. */
function read(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined;
}

function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => matches(entry, host, ownPort));
}

function matches(entry: string, host: string, ownPort: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isWithin(entry, host);
  const [, name = entry, port] =
    /^\[?([^\]]*?)\]?:(\d+)$/.exec(entry.split(':').length > 2 && !entry.startsWith('[') ? '' : entry) ?? [];
  if (port !== undefined && port !== ownPort) return false;
  const suffix = name.replace(/^\*?\./, '');
  return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
}

/** A range of addresses, as in 10.0.0.0/8. */
function isWithin(range: string, host: string): boolean {
  const [address = '', length = ''] = range.split('/');
  const [from, to] = [bitsOf(address), bitsOf(host)];
  if (from === undefined || to?.length !== from.length || !/^\d{1,3}$/.test(length)) return false;
  const count = Number(length);
  return count <= from.length && from.slice(0, count) === to.slice(0, count);
}

/** The bits of an IP address; undefined for a name. */
function bitsOf(text: string): string | undefined {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return text.split('.').map(bits(10, 8)).join('');
  if (!/^[\da-f:]{2,39}$/.test(text) || !text.includes(':')) return undefined;
  const [head = '', tail] = text.split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return groups.length === 8 ? groups.map(bits(16, 16)).join('') : undefined;
}

const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
const bits = (base: number, width: number) => (part: string) =>
  Number.parseInt(part, base).toString(2).padStart(width, '0');
