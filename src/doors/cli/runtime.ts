import type { ServerConfig } from '../../contract/config.ts';
import type { Client } from '../../contract/routes/client.ts';
import type { LogLevel } from '../../lib/log.ts';
import type { ClientRuntime } from './client-runtime.ts';
import type { Place } from './place.ts';
import type { ServiceRuntime } from './service-runtime.ts';

export type { ClientRuntime } from './client-runtime.ts';
export type { Place } from './place.ts';
export type { CommandResult, ServiceCommand, ServiceRuntime } from './service-runtime.ts';

export interface ServeOptions extends Place {
  listen?: string;
  /** Processes that share the port. */
  workers?: number | 'auto';
  logLevel?: LogLevel;
  /** False only for `--no-mcp-auth`; absent leaves it to the configuration. */
  mcpAuth?: false;
}

/**
 * Which proxy can serve a command.
 * - `daemon`: a running daemon only; throws NO_DAEMON otherwise.
 * - `daemon-or-embedded`: without a daemon, an embedded proxy in this process; resolves once every enabled server was tried.
 * - `daemon-or-offline`: the same without connecting to servers, for commands that edit something.
 * - `daemon-or-files`: without a daemon, reads the files without creating or changing anything. Supports only what reads the log.
 * - `daemon-or-preview`: without a daemon, the same for the dry run of an import.
 */
export type How =
  | 'daemon'
  | 'daemon-or-embedded'
  | 'daemon-or-offline'
  | 'daemon-or-files'
  | 'daemon-or-preview';

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

/** Where the servers to import come from: all clients of this machine, one of them, a file, or a given text. */
export interface ImportSource {
  /** A client or a file. */
  named?: string;
  text?: string;
}

/** A server in the file of a client, as it was read here. */
export interface ClientServer {
  name: string;
  client?: string;
  /** The project that the file keeps it for, where it is not for all. */
  folder?: string;
  config: ServerConfig;
  /** Why it cannot be used. */
  problem?: string;
  warnings: string[];
  inputs: Array<{ id: string; description?: string; secret: boolean; default?: string }>;
}

/** The file of a client, with its servers. */
export interface ClientFile {
  client?: string;
  title: string;
  scope: 'user' | 'project' | 'local';
  file: string;
  servers: ClientServer[];
  problem?: string;
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

export interface BackupOptions {
  /** Include the private signing key and the API key. */
  withKeys?: boolean;
  /** Replace an existing back-up. */
  force?: boolean;
  /** Also back up a log that does not verify. */
  allowBroken?: boolean;
}

export interface BackupProgress {
  step: 'copy' | 'verify' | 'load';
  done: number;
  total: number;
}

interface CopiedLog {
  log: string;
  entries: number;
  records: number;
  head: string;
}

/** Named by a fingerprint that does not reveal it. */
export interface BackedUpKey {
  kind: 'row' | 'signing' | 'API' | 'configuration';
  fingerprint: string;
  /** Whether the data directory had it before. */
  known: boolean;
}

export interface BackupReport {
  file: string;
  created_at: string;
  engine: 'sqlite' | 'postgres';
  /** The database, without its password. */
  source: string;
  bytes: number;
  sha256: string;
  records: number;
  entries: number;
  /** The result of verifying the log in the back-up. */
  verdict: 'intact' | 'broken' | 'unknown' | 'empty';
  logs: CopiedLog[];
  /** The files of the data directory in the back-up. */
  files: string[];
  /** The keys in it, to compare before a restore. */
  keys: Array<Omit<BackedUpKey, 'known'>>;
  with_keys: boolean;
  warnings: string[];
}

export interface RestoreOptions {
  /** Put the back-up in the place of a database that is there. It is kept under another name. */
  replace?: boolean;
  /** Also restore a log that does not verify. */
  allowBroken?: boolean;
  /** Take keys from the back-up that are not known here. */
  trustKeys?: boolean;
}

export interface RestoreReport {
  file: string;
  /** When the back-up was made, and by which version. */
  created_at: string;
  version: string;
  engine: 'sqlite' | 'postgres';
  /** The database, without its password. */
  to: string;
  data_dir: string;
  /** Where the replaced database is kept: a file, or a schema of the PostgreSQL database. Null if there was none. */
  replaced: string | null;
  records: number;
  entries: number;
  verdict: BackupReport['verdict'];
  logs: CopiedLog[];
  /** The files of the data directory that were added, extended or replaced. */
  files: string[];
  /** The keys that the back-up brought. */
  keys: BackedUpKey[];
  /** Logs of which the data directory has a checkpoint with more entries than were restored. */
  behind: Array<{ log: string; entries: number; checkpoint: number }>;
  warnings: string[];
}

interface Watch {
  onProgress: (progress: BackupProgress) => void;
  signal: AbortSignal;
}

/** What `mcpproxy setup` has done, to undo it. */
export interface SetupState {
  /** Aliases of servers that it imported. */
  servers: string[];
  /** Clients that it connected. */
  clients: string[];
  /** Whether it has started the proxy. */
  started?: boolean;
  /** The policy before it was changed; null: the file did not have the key. */
  policy?: { require: unknown; unannotated: unknown };
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
  /** Ends the proxy of the data directory and waits for it. Undefined: none runs. */
  stop(place: Place): Promise<{ pid: number; url?: string } | undefined>;
  connect(place: Place, how: How, signal: AbortSignal): Promise<Connection>;
  db: {
    /** Moves all data from SQLite to PostgreSQL. After an interruption the next run continues. */
    migrate(
      place: Place,
      options: MigrateOptions,
      watch: { onProgress: (progress: MigrateProgress) => void; signal: AbortSignal },
    ): Promise<MigrationReport>;
    /** Copies the database, while it may be in use, and the files that are needed to verify it. */
    backup(place: Place, file: string, options: BackupOptions & { watch: Watch }): Promise<BackupReport>;
    /** Puts a back-up in the place of the database. What it replaces is kept. */
    restore(place: Place, file: string, options: RestoreOptions & { watch: Watch }): Promise<RestoreReport>;
  };
  /** Reads the files of clients on this machine. Nothing is changed. */
  findServers(source: ImportSource): Promise<ClientFile[]>;
  clients: ClientRuntime;
  /** The service manager of this machine. */
  service(): Promise<ServiceRuntime>;
  setup: {
    /** Starts the daemon as a process of its own and waits until it listens. */
    start(place: Place & { listen?: string }, signal: AbortSignal): Promise<{ url: string; log: string }>;
    read(place: Place): Promise<SetupState>;
    /** Undefined: everything was undone. */
    write(place: Place, state: SetupState | undefined): Promise<void>;
    /** The settings as the configuration file has them; undefined if the file is not on this machine. */
    fileSettings(place: Place): Promise<Record<string, unknown> | undefined>;
    /** The files of the data directory with imported secrets of these servers. */
    secretFiles(place: Place, servers: readonly string[]): Promise<string[]>;
    /** Removes such files. Returns those that a server still uses. */
    removeSecrets(place: Place, files: readonly string[]): Promise<string[]>;
  };
  config: {
    paths(place: Place): Promise<Paths>;
    /** The active configuration (file, environment and defaults) with secrets masked. */
    show(place: Place): Promise<unknown>;
    /** `file` defaults to the one of `paths`. A file that cannot be read is reported as a problem, not thrown. */
    validate(place: Place, file?: string): Promise<Validation>;
  };
}
