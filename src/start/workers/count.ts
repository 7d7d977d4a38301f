import { availableParallelism } from 'node:os';
import { ProxyError } from '../../contract/errors.ts';
import type { Installation } from '../place.ts';

/** How many processes serve the port. Only PostgreSQL keeps one log for several. */
export function workerCount({ config, database }: Pick<Installation, 'config' | 'database'>): number {
  const { workers, config_source: source } = config.current();
  if (workers === 1 || (workers === 'auto' && 'file' in database)) return 1;
  if ('file' in database)
    throw unusable(
      `${workers} workers need PostgreSQL, and the database is an SQLite file, which one process writes. Set database_url, or leave "workers" out: with SQLite one process serves all calls`,
    );
  if (process.platform === 'win32')
    return oneOr(workers, 'Several workers need Linux or macOS. Leave "workers" out');
  if (source === 'file')
    return oneOr(
      workers,
      'Several workers take their settings from the database, and config_source is "file". Leave config_source out, or leave "workers" out',
    );
  return workers === 'auto' ? availableParallelism() : workers;
}

function oneOr(workers: number | 'auto', problem: string): number {
  if (workers === 'auto') return 1;
  throw unusable(problem);
}

const unusable = (message: string) => new ProxyError('CONFIG_INVALID', message);
