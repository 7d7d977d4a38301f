import { BlockList, isIP } from 'node:net';

/** How far from the public an address is. A server may name addresses of its own rank or of a lower one. */
export const RANKS = ['public', 'private', 'loopback', 'never'] as const;
export type Rank = (typeof RANKS)[number];

type Range = [network: string, prefix: number];

const LOOPBACK: Range[] = [
  ['127.0.0.0', 8],
  ['::1', 128],
];
const PRIVATE: Range[] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['fc00::', 7],
  ['fec0::', 10],
];
/** Link-local addresses (metadata services of clouds are there), multicast, and those that name no machine. */
const NEVER: Range[] = [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['224.0.0.0', 3],
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
];

const loopback = listOf(LOOPBACK);
const privately = listOf(PRIVATE);
const never = listOf(NEVER);

/** The rank of an IP address. An IPv4 address within an IPv6 one counts as itself. */
export function rankOfAddress(address: string): Rank {
  const plain = embedded(address) ?? address;
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(plain) === 0 || never.check(plain, family)) return 'never';
  if (loopback.check(plain, family)) return 'loopback';
  return privately.check(plain, family) ? 'private' : 'public';
}

/** The rank that a host has by its name alone; undefined: only a look-up can tell. */
export function rankOfHost(hostname: string): Rank | undefined {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (isIP(host)) return rankOfAddress(host);
  return host === 'localhost' || host.endsWith('.localhost') ? 'loopback' : undefined;
}

export function isLoopbackUrl(url: URL): boolean {
  return rankOfHost(url.hostname) === 'loopback';
}

function listOf(ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges)
    list.addSubnet(network, prefix, isIP(network) === 6 ? 'ipv6' : 'ipv4');
  return list;
}

/** IPv4 within IPv6: mapped (::ffff:), translated (64:ff9b::) and 6to4 (2002:). */
function embedded(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  const [, dotted] = /^(?:::ffff:|64:ff9b::)(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (dotted !== undefined) return dotted;
  const [, high, low] =
    /^(?:::ffff:|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(address) ??
    /^2002:([\da-f]{1,4}):([\da-f]{1,4}):/i.exec(address) ??
    [];
  if (high === undefined || low === undefined) return undefined;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}
