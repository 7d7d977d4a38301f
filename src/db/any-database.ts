import type { Kysely } from 'kysely';
import type { Health } from './health.ts';
import type { Tables } from './schema.ts';

/** What every part can rely on, whichever engine is behind it. */
export interface AnyDatabase {
  /** For queries and everything that is not hot. Compiling a query costs tens of microseconds. */
  readonly kysely: Kysely<Tables>;
  /** Where it is, as it may be shown: a file, or postgres://user@host:port/name. Never with a password. */
  readonly place: string;
  /** Whether writes arrive. After a failure it is tried again every second, so that nobody has to restart anything. */
  health(): Health;
  close(): Promise<void>;
}

export type Engine = 'sqlite' | 'postgres';
