import type { Connection, How, Place } from '../../doors/cli/index.ts';
import { findRunning } from '../../config/daemon/index.ts';
import { toDaemon } from './to-daemon.ts';

/** A client of the daemon that has locked the data directory, or of the same parts inside this process if there is no daemon. */
export async function connect(options: Place, how: How, signal: AbortSignal): Promise<Connection> {
  const running = options.url === undefined ? findRunning(options, process.env) : undefined;
  if (running) return toDaemon(running.url, running.key, running.dataDir);
  // Loaded on demand: loading takes most of the time of a short command.
  const { findOrEmbed } = await import('./embed.ts');
  return findOrEmbed(options, how, signal);
}
