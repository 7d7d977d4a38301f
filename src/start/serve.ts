import type { ServeOptions } from '../cli/runtime.ts';
import { loginUrl } from '../http/login-links.ts';
import { createLog, type Log } from '../lib/log.ts';
import { startDaemon, type Daemon } from './daemon.ts';
import { openInstallation } from './place.ts';
import { stopWithin } from './stop-within.ts';
import { untilSignal } from './until-signal.ts';
import { join } from 'node:path';

/** `mcpproxy serve`: runs until it is told to stop. */
export async function serve(options: ServeOptions): Promise<number> {
  const log = createLog(options.logLevel ?? 'info');
  const place = openInstallation(options, { watch: true, log });
  const stopped = untilSignal();
  const daemon = await startDaemon(place, { log });
  greet(daemon, place.dataDir);
  announceReady(daemon, log);
  const signal = await stopped;
  log.info({ signal }, 'stopping: calls in flight may finish; once more to end at once');
  await stopWithin(() => daemon.stop(), { log });
  log.info('stopped');
  return 0;
}

function greet({ url, app }: Daemon, dataDir: string): void {
  const key = app.config.current().api_key ? 'the configured api_key' : join(dataDir, 'api_key');
  process.stderr.write(
    [
      `mcpproxy listens at ${url}`,
      `  web UI         ${loginUrl(url, app.loginLinks.create().code)}   (works once, for ten minutes; then "mcpproxy open")`,
      `  MCP endpoint   ${url}/mcp`,
      `  REST API       ${url}/api/v1   (described at ${url}/openapi.json)`,
      `  key            ${key}`,
      `  configuration  ${app.config.file}`,
      '',
    ].join('\n'),
  );
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
