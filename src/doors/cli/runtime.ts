import type { Client } from '../../contract/routes/client.ts';
import type { LogLevel } from '../../lib/log.ts';

/** Flags that say which installation is meant. Absent ones are left to the environment, the file and the defaults, in that order. */
export interface Place {
  config?: string;
  dataDir?: string;
  /** Address of a running daemon, as in "http://127.0.0.1:8080". Given: only this daemon is asked, never an embedded composition. */
  url?: string;
  apiKey?: string;
}

export interface ServeOptions extends Place {
  listen?: string;
  logLevel?: LogLevel;
  /** False only for `--no-mcp-auth`; absent leaves it to the configuration. */
  mcpAuth?: false;
}

/**
 * What may answer a command.
 * - `daemon`: a running daemon only; throws NO_DAEMON otherwise.
 * - `daemon-or-embedded`: without a daemon, the same composition in this process; resolves once every enabled server was tried.
 * - `daemon-or-offline`: the same without connecting any server, for what only reads records or edits the configuration.
 * - `daemon-or-files`: without a daemon, the files as they lie there; nothing is made or changed. Answers only the verification of the log.
 */
export type How = 'daemon' | 'daemon-or-embedded' | 'daemon-or-offline' | 'daemon-or-files';

export interface Connection {
  client: Client;
  embedded: boolean;
  /** Where it was reached, for messages: a URL, or "in-process". */
  where: string;
  /** For people, on stderr: why it was reached in another way than usual. */
  warning?: string;
  /** Ends every child process and closes the database of an embedded composition. Bounded. */
  close(): Promise<void>;
}

export interface Paths {
  config_file: string;
  data_dir: string;
}

export interface Validation {
  file: string;
  /** Why the proxy would not start with the file, one line each, naming line and key. Empty: it would. */
  problems: string[];
  /** What else is wrong or without effect: servers that cannot be used, keys that are not used. */
  warnings: string[];
}

export interface MigrateOptions {
  /** Where to: a PostgreSQL URL. Absent: `toFile`, then the environment, then the configuration. */
  to?: string;
  /** A file that holds the URL. */
  toFile?: string;
  /** The SQLite file; absent: that of the installation. */
  from?: string;
  /** Also a log that does not verify. */
  allowBroken?: boolean;
}

export interface MigrateProgress {
  step: 'check' | 'tables' | 'log' | 'verify';
  done: number;
  total: number;
}

export interface MigrationReport {
  from: string;
  /** Without its password. */
  to: string;
  tables: Array<{ table: string; rows: number; moved: number; conflicts: number }>;
  logs: Array<{ log: string; entries: number; records: number; head: string }>;
  entries: number;
  /** Entries that this run has moved; the others were there from an earlier one. */
  moved: number;
  /** What the moved log verifies as. */
  verdict: 'intact' | 'broken' | 'unknown';
  warnings: string[];
  config_file: string;
}

/**
 * What the commands need from the rest of the program. `main.ts` fills it in with the composition, loading each part only when it is
 * used; a test fills it in with a literal. Everything throws ProxyError.
 */
export interface Runtime {
  version: string;
  /** These three run until stopped, handle SIGINT and SIGTERM themselves and give the exit code. */
  serve(options: ServeOptions): Promise<number>;
  stdio(options: Place): Promise<number>;
  tasks(options: Place): Promise<number>;
  connect(place: Place, how: How, signal: AbortSignal): Promise<Connection>;
  db: {
    /** Moves everything from SQLite to PostgreSQL. Stopped by the signal or a crash, the next run goes on where it ended. */
    migrate(
      place: Place,
      options: MigrateOptions,
      watch: { onProgress: (progress: MigrateProgress) => void; signal: AbortSignal },
    ): Promise<MigrationReport>;
  };
  config: {
    paths(place: Place): Promise<Paths>;
    /** The configuration in force after file, environment and defaults, secrets masked. */
    show(place: Place): Promise<unknown>;
    /** `file` absent: the file that `paths` names. A file that cannot be read is a problem too, not an exception. */
    validate(place: Place, file?: string): Promise<Validation>;
  };
}
