import type { Client } from '../../contract/routes/client.ts';
import type { LogLevel } from '../../lib/log.ts';

/** Flags that select the installation. Absent ones fall back to the environment, the configuration file and the defaults, in that order. */
export interface Place {
  config?: string;
  dataDir?: string;
  /** Address of a running daemon, for example "http://127.0.0.1:8080". If set, no embedded proxy is started. */
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
 * Which proxy can serve a command.
 * - `daemon`: a running daemon only; throws NO_DAEMON otherwise.
 * - `daemon-or-embedded`: without a daemon, an embedded proxy in this process; resolves once every enabled server was tried.
 * - `daemon-or-offline`: the same without connecting to servers, for commands that only read records or edit the configuration.
 * - `daemon-or-files`: without a daemon, reads the files without creating or changing anything. Supports only the verification of the log.
 */
export type How = 'daemon' | 'daemon-or-embedded' | 'daemon-or-offline' | 'daemon-or-files';

export interface Connection {
  client: Client;
  embedded: boolean;
  /** The URL, or "in-process", for messages. */
  where: string;
  /** For people, on stderr: why the connection differs from the usual one. */
  warning?: string;
  /** Ends the child processes and closes the database of an embedded proxy, within a time limit. */
  close(): Promise<void>;
}

export interface Paths {
  config_file: string;
  data_dir: string;
}

export interface Validation {
  file: string;
  /** Why the proxy would not start with the file, one line each, with line and key. Empty if it would start. */
  problems: string[];
  /** Problems that do not prevent the start: unusable servers, keys without effect. */
  warnings: string[];
}

export interface MigrateOptions {
  /** The PostgreSQL URL of the destination. If absent: `toFile`, then the environment, then the configuration. */
  to?: string;
  /** A file that holds the URL. */
  toFile?: string;
  /** The SQLite file (default: the one of the installation). */
  from?: string;
  /** Also move a log that does not verify. */
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
  /** Entries that this run moved; earlier runs moved the others. */
  moved: number;
  /** The result of verifying the moved log. */
  verdict: 'intact' | 'broken' | 'unknown';
  warnings: string[];
  config_file: string;
}

/**
 * What the commands need from the rest of the program. `main.ts` implements it and loads each part on first use; tests implement it with a
 * literal. All functions throw ProxyError.
 */
export interface Runtime {
  version: string;
  /** These three run until stopped, handle SIGINT and SIGTERM themselves and return the exit code. */
  serve(options: ServeOptions): Promise<number>;
  stdio(options: Place): Promise<number>;
  tasks(options: Place): Promise<number>;
  connect(place: Place, how: How, signal: AbortSignal): Promise<Connection>;
  db: {
    /** Moves all data from SQLite to PostgreSQL. After an interruption the next run continues. */
    migrate(
      place: Place,
      options: MigrateOptions,
      watch: { onProgress: (progress: MigrateProgress) => void; signal: AbortSignal },
    ): Promise<MigrationReport>;
  };
  config: {
    paths(place: Place): Promise<Paths>;
    /** The active configuration (file, environment and defaults) with secrets masked. */
    show(place: Place): Promise<unknown>;
    /** `file` defaults to the one of `paths`. A file that cannot be read is reported as a problem, not thrown. */
    validate(place: Place, file?: string): Promise<Validation>;
  };
}
