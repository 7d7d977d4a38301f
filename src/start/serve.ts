import cluster from 'node:cluster';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { rememberListen } from '../config/index.ts';
import type { ServeOptions } from '../doors/cli/index.ts';
import { createLog, type Log } from '../lib/log.ts';
import type { Daemon } from './daemon.ts';
import { keepCompiled } from './node-settings.ts';
import { openInstallation, type Installation } from './place.ts';
import { workerCount } from './workers/count.ts';
import { lockOrTakeOver } from './take-over.ts';
import { stopWithin } from './stop-within.ts';
import { untilSignal } from './until-signal.ts';

/** `mcpproxy serve`: runs until a signal stops it. */
export async function serve(options: ServeOptions): Promise<number> {
  if (cluster.isWorker) return (await import('./workers/worker.ts')).serveAsWorker(options);
  const log = createLog(options.logLevel ?? 'info');
  const place = openInstallation(options, { watch: true, log });
  const count = workerCount(place);
  const stopped = untilSignal();
  const asked = new AbortController();
  void stopped.then(() => asked.abort());
  const lock = await lockOrTakeOver(place.dataDir, { log, signal: asked.signal });
  if (!lock) return 0;
  if (count > 1) {
    const { supervise } = await import('./workers/supervise.ts');
    const onListening = (url: string) => {
      remember(url, place.dataDir, log);
      greet(url, place);
    };
    return supervise({ place, count, lock, log, stopped, onListening });
  }
  keepCompiled(place.dataDir);
  const { startDaemon } = await import('./daemon.ts');
  const daemon = await startDaemon(place, { log, lock });
  remember(daemon.url, place.dataDir, log);
  greet(daemon.url, place, await loginLink(daemon));
  announceReady(daemon, log);
  const signal = await stopped;
  log.info({ signal }, 'stopping: waiting for calls in flight; send the signal again to exit immediately');
  await daemon.leave();
  await stopWithin(() => daemon.stop(), { log });
  log.info('stopped');
  return 0;
}

/** For the daemon that `mcpproxy stdio` starts when this one has ended. */
function remember(url: string, dataDir: string, log: Log): void {
  try {
    rememberListen(dataDir, url);
  } catch (error) {
    log.warn({ err: error }, 'the address cannot be remembered for a daemon in the background');
  }
}

/** Everybody who reads the link can log in with it, so it is printed to a terminal only and never to a file or a journal. */
async function loginLink({ url, app }: Daemon): Promise<string | undefined> {
  if (!process.stderr.isTTY) return undefined;
  // A process that only starts workers needs no doors.
  const { loginUrl } = await import('../doors/http/index.ts');
  return loginUrl(url, app.loginLinks.create().code);
}

function greet(url: string, { config, dataDir }: Installation, link?: string): void {
  const key = config.current().api_key ? 'the configured api_key' : join(dataDir, 'api_key');
  process.stderr.write(greeting({ url, link, key, config: config.file, dataDir }));
}

interface Greeting {
  url: string;
  /** Undefined if stderr is not a terminal. */
  link: string | undefined;
  key: string;
  config: string;
  dataDir: string;
}

export function greeting({ url, link, key, config, dataDir }: Greeting): string {
  const isDefault = dataDir === join(homedir(), '.mcpproxy');
  const open = isDefault ? 'mcpproxy open' : `mcpproxy open --data-dir ${dataDir}`;
  const page = link
    ? `${link}   (valid once, for ten minutes; for another link run "${open}")`
    : `${url}/   (for a log-in link run "${open}")`;
  return [
    `mcpproxy listens at ${url}`,
    `  web UI         ${page}`,
    `  MCP endpoint   ${url}/mcp`,
    `  REST API       ${url}/api/v1   (described at ${url}/openapi.json)`,
    `  key            ${key}`,
    `  configuration  ${config}`,
    '',
  ].join('\n');
}

function announceReady({ app }: Daemon, log: Log): void {
  const started = performance.now();
  void app.upstreams.settled().then(() => {
    const views = app.upstreams.views();
    const ready = views.filter(({ state }) => state === 'ready').length;
    const tools = views.reduce((sum, view) => sum + view.tool_count, 0);
    log.info({ servers: views.length, ready, tools, ms: Math.round(performance.now() - started) }, 'ready');
  });
}
