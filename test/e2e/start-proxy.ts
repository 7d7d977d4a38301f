import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type Client } from '../../src/contract/routes/client.ts';
import { stopDaemon } from '../../src/start/stop-daemon.ts';
import { shareRowKey } from '../fixtures/row-seal.ts';

/** The built program, as a user starts it. */
export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A proxy of a test, in a process of its own or in that of the test. */
export interface RunningProxy {
  url: string;
  key: string;
  home: string;
  dataDir: string;
  configFile: string;
  /** The flags of a command of this installation. */
  place: readonly string[];
  /** The process that it runs in. */
  pid: number;
  rest: Client;
  /** What it has logged so far. */
  stderr: () => string;
  /** Ends it as Ctrl-C or `kill` would, and gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Stops it and removes its files. */
  dispose(): Promise<void>;
}

/** A clean environment: an empty home, so that nothing of the developer's own set-up leaks in. */
export function cleanEnv(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, TMPDIR: tmpdir(), LANG: 'C.UTF-8' };
}

export interface StartOptions {
  config?: Record<string, unknown>;
  /** Reuse a home from an earlier run, e.g. to see what survives a restart. */
  home?: string;
  args?: string[];
  env?: NodeJS.ProcessEnv;
  waitReady?: boolean;
  /** The key that proxies on one database share, as its file has it. */
  rowKey?: string;
  /** Another build of the program, e.g. of an earlier version. */
  program?: string;
}

export async function startProxy({
  config = {},
  home,
  args = [],
  env = {},
  waitReady = true,
  rowKey,
  program = MAIN,
}: StartOptions = {}): Promise<RunningProxy> {
  const reused = home !== undefined;
  const base = home ?? mkdtempSync(join(tmpdir(), 'mcpproxy-e2e-'));
  const dataDir = join(base, '.mcpproxy');
  const configFile = join(base, 'mcp_config.json');
  const place = ['--config', configFile, '--data-dir', dataDir];
  if (!reused) writeFileSync(configFile, JSON.stringify(config, null, 2), { mode: 0o600 });
  if (rowKey !== undefined) shareRowKey(dataDir, rowKey);
  const child = spawn(process.execPath, [program, 'serve', '--listen', '127.0.0.1:0', ...place, ...args], {
    env: { ...cleanEnv(base), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdout.resume();

  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = once(child, 'exit');
    child.kill(signal);
    const [code] = (await exited) as [number | null];
    return code;
  };
  const dispose = async () => {
    await stop();
    // A stdio client that was still there may have started one in the background.
    await stopDaemon({ config: configFile, dataDir });
    rmSync(base, { recursive: true, force: true });
  };

  try {
    const url = await listeningAt(child, dataDir, () => stderr);
    const key = keyOf(dataDir, configFile);
    if (waitReady) await ready(url, () => stderr);
    const rest = createClient({ url, apiKey: key, client: 'e2e' });
    return {
      url,
      key,
      home: base,
      dataDir,
      configFile,
      place,
      pid: child.pid!,
      rest,
      stderr: () => stderr,
      stop,
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** The key that the proxy has made, or that of the configuration. */
function keyOf(dataDir: string, configFile: string): string {
  const made = join(dataDir, 'api_key');
  if (existsSync(made)) return readFileSync(made, 'utf8').trim();
  return (JSON.parse(readFileSync(configFile, 'utf8')) as { api_key: string }).api_key;
}

async function listeningAt(child: ChildProcess, dataDir: string, stderr: () => string): Promise<string> {
  return poll('the proxy to listen', stderr, () => {
    if (child.exitCode !== null) throw new Error(`mcpproxy ended with ${child.exitCode}:\n${stderr()}`);
    try {
      const { pid, url } = JSON.parse(readFileSync(join(dataDir, 'daemon.json'), 'utf8')) as {
        pid: number;
        url?: string;
      };
      return pid === child.pid ? url : undefined;
    } catch {
      return undefined;
    }
  });
}

async function ready(url: string, stderr: () => string): Promise<void> {
  await poll('the proxy to be ready', stderr, async () => {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    return response?.ok === true || undefined;
  });
}

/** Only against a hang: on a busy machine everything takes its time. */
const POLL_LIMIT_MS = 280_000;

/** Waits for a value, with a deadline that says what was waited for. */
export async function poll<T>(
  what: string,
  context: () => string,
  attempt: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const end = Date.now() + POLL_LIMIT_MS;
  for (;;) {
    const value = await attempt();
    if (value !== undefined) return value;
    if (Date.now() > end) throw new Error(`gave up waiting for ${what}\n${context()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
