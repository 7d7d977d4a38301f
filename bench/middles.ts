import { mkdirSync, mkdtempSync, readFileSync, existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compiled, freePort, isOk, ROOT, startNode, waitFor, type Child } from './children.ts';
import { readLines } from './lines.ts';

export interface Middle {
  name: string;
  url: string;
  pid: number;
  headers?: Record<string, string>;
  stop: () => Promise<void>;
}

export const PROGRAM = join(ROOT, 'dist/main.js');

/** A part of the bench that says its URL on the first line. */
async function startOwn(name: string, args: string[], dir: string): Promise<Middle> {
  const log = join(dir, `${name}.log`);
  const child = startNode([compiled(name), ...args], { log, stdout: 'pipe' });
  let url: string | undefined;
  readLines(child.process.stdout!, (line) => (url ??= line));
  return { name, url: await waitFor({ name, child, log }, async () => url), ...owned(child) };
}

function owned({ pid, stop }: Child): Pick<Middle, 'pid' | 'stop'> {
  return { pid, stop };
}

export const startEcho = (dir: string) => startOwn('echo-http', [], dir);
export const startRelay = (upstream: string[], dir: string) => startOwn('relay', upstream, dir);
export const startEdge = (kind: string, dir: string) => startOwn('edge-server', [kind], dir);

export const ECHO_COMMAND = [process.execPath, compiled('echo-stdio')];

export type Upstreams = Record<string, { command: string; args: string[] } | { url: string }>;

export const STDIO_UPSTREAM = { command: ECHO_COMMAND[0]!, args: ECHO_COMMAND.slice(1) };

/** A home of its own: configuration, data and what the program would otherwise find in the environment. */
export function prepareProxy(
  upstreams: Upstreams,
  parent: string,
  { listen, program = PROGRAM }: { listen: string; program?: string },
): { args: string[]; env: Record<string, string>; dataDir: string; log: string } {
  const home = mkdtempSync(join(parent, 'proxy-'));
  const dataDir = join(home, 'data');
  const config = join(home, 'mcp_config.json');
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(config, JSON.stringify({ mcpServers: upstreams }));
  const args = [program, 'serve', '--listen', listen, '--config', config, '--data-dir', dataDir];
  return { args, env: { HOME: home }, dataDir, log: join(home, 'proxy.log') };
}

/** This proxy as it ships: keys, checks, durable log. */
export async function startProxy(
  upstreams: Upstreams,
  parent: string,
  more: { nodeFlags?: string[]; env?: Record<string, string>; program?: string } = {},
): Promise<Middle> {
  const { program } = more;
  const place = { listen: '127.0.0.1:0', ...(program && { program }) };
  const { args, env, dataDir, log } = prepareProxy(upstreams, parent, place);
  const child = startNode([...(more.nodeFlags ?? []), ...args], { log, env: { ...env, ...more.env } });
  const started = { name: 'the proxy', child, log };
  const daemonFile = join(dataDir, 'daemon.json');
  const origin = await waitFor(started, async () => daemonUrl(daemonFile));
  await waitFor(started, () => isOk(`${origin}/readyz`));
  const key = readFileSync(join(dataDir, 'api_key'), 'utf8').trim();
  return { name: 'proxy', url: `${origin}/mcp`, headers: { 'x-api-key': key }, ...owned(child) };
}

/** The lock is there before the server listens, and then without a URL. */
function daemonUrl(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const { url } = JSON.parse(readFileSync(file, 'utf8')) as { url?: string };
  return url?.replace(/\/$/, '');
}

export function peerArguments(port: number, command: string[]): string[] {
  const require = createRequire(import.meta.url);
  const manifest = join(ROOT, 'test/peers/node_modules/mcp-proxy/package.json');
  const { bin } = require(manifest) as { bin: Record<string, string> };
  return [
    join(dirname(manifest), bin['mcp-proxy']!),
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--',
    ...command,
  ];
}

/** The npm package `mcp-proxy` with its defaults. It wraps a program; it cannot be put before an HTTP server. */
export async function startPeer(dir: string): Promise<Middle> {
  const port = await freePort();
  const log = join(dir, 'peer.log');
  const child = startNode(peerArguments(port, ECHO_COMMAND), { log });
  await waitFor({ name: 'mcp-proxy', child, log }, () => isOk(`http://127.0.0.1:${port}/ping`));
  return { name: 'mcp-proxy', url: `http://127.0.0.1:${port}/mcp`, ...owned(child) };
}
