import type { ServerConfig } from '../contract/config.ts';
import { TOKEN_PREFIX } from '../contract/token.ts';
import { textsOf } from './setting-texts.ts';

/** How this proxy appears in the files of its own clients. */
export interface OwnAddress {
  /** HOST:PORT, where it listens or is configured to listen. */
  listen: readonly string[];
  /** The file of this program, which "connect" writes into entries. */
  program?: string;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]'];

/** True: the entry is mcpproxy itself. Behind itself it would call itself for ever. */
export function isOwnEntry(name: string, config: ServerConfig, { listen, program }: OwnAddress): boolean {
  const texts = textsOf(config);
  if (isOwnProgram(config, program) || texts.some((text) => text.includes(TOKEN_PREFIX))) return true;
  const urls = texts.flatMap((text) => text.match(/https?:\/\/[^\s"']+/g) ?? []).flatMap(parsedUrl);
  const own = new Set(listen.flatMap(addresses));
  return urls.some((url) => {
    if (!OWN_PATH.test(plainPath(url))) return false;
    const hostname = plainHost(url.hostname);
    const host = `${hostname}:${url.port || DEFAULT_PORTS[url.protocol]}`;
    return own.has(host) || (/^mcp-?proxy$/i.test(name) && LOOPBACK.includes(hostname));
  });
}

const OWN_PATH = /^\/+mcp(?:\/+direct)?\/*$/;
const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

/** The path as a server may read it. */
function plainPath({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** Without the dot of a complete name, and an IPv4 address that is written as IPv6 in its own form. */
function plainHost(hostname: string): string {
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname);
  if (!mapped) return hostname.replace(/\.$/, '');
  return mapped
    .slice(1)
    .flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255])
    .join('.');
}

/** Variables that only this program reads. */
const OWN_VARIABLE = /^MCPPROXY_(?:TOKEN|TOKEN_FILE|DATA_DIR|API_KEY)$/;

/** `mcpproxy stdio`, or the built program of a clone, whatever the name of its folder. */
function isOwnProgram({ command = '', args = [], env = {} }: ServerConfig, program?: string): boolean {
  const words = [command, ...args];
  if (words.includes('stdio')) {
    if (program !== undefined && words.includes(program)) return true;
    if (Object.keys(env).some((name) => OWN_VARIABLE.test(name))) return true;
  }
  const at = words.findIndex((word) => /(?:^|[/\\])mcpproxy(?:\.cmd|\.exe)?$/.test(word));
  if (at >= 0 && (at === 0 || words.includes('stdio'))) return true;
  return words.some((word) => /mcpproxy[^/\\]*[/\\]dist[/\\]main\.js$/.test(word)) && words.includes('stdio');
}

/** All names of one address: one that listens on every address has all of them. */
function addresses(listen: string): string[] {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(listen) ?? [];
  if (port === '') return [];
  const plain = host === '::1' ? '[::1]' : host.toLowerCase();
  return LOOPBACK.includes(plain) ? LOOPBACK.map((each) => `${each}:${port}`) : [`${plain}:${port}`];
}

function parsedUrl(text: string): URL[] {
  return URL.canParse(text) ? [new URL(text)] : [];
}
