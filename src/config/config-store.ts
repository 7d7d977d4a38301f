import type { Config, ServerConfig } from '../contract/config.ts';
import type { ConfigChange } from '../contract/status.ts';
import type { ConfigAuthor, RevisionAction, RevisionKeeper, SharedRevision } from './shared/revision.ts';

/**
 * The origin of a change: an edit of the file, an edit through the proxy, the confirmation of an edit of the file, or a revision that
 * another proxy on the same database has stored.
 */
export interface ConfigOrigin {
  from: 'file' | 'edit' | 'accept' | 'revision';
  /** Absent for an edit of the file, which has no credential. */
  by?: ConfigAuthor;
}

export type Subscriber = (next: Config, previous: Config, origin: ConfigOrigin) => void | Promise<void>;

/** The current configuration. An invalid file does not replace it; the error is kept and shown instead. */
export interface ConfigStore {
  readonly file: string;
  /** The last valid text of the file, whether it is in force or waits. */
  validText(): string;
  current: () => Config;
  /** Why the file on disk is not in use. */
  lastError(): string | null;
  /** Problems in the file that do not prevent the proxy from serving. */
  warnings(): string[];
  /** Settings that the file has changed since the start, and that take effect at the next start. */
  needsRestart(): string[];
  /** Settings given by a flag or the environment, which take precedence over the file. */
  readonly overridden: readonly string[];
  subscribe(subscriber: Subscriber): () => void;
  onError(listener: (message: string) => void): void;
  /** Reads the file again; resolves when the change is applied or waits, rejects when it is invalid. */
  reload(): Promise<void>;
  /** The configuration of the file, if it weakens the current one and waits for a confirmation. */
  waiting(): Config | undefined;
  onWaiting(listener: (next: Config) => void): void;
  /** Applies the configuration that waits, if it is still this one. */
  accept(expected: Config, by: ConfigAuthor): Promise<void>;
  /** From now on keeps a copy of the configuration in force in this directory, for the next start. */
  keepIn(dataDir: string): void;
  editServer(name: string, server: ServerConfig | null, by: ConfigAuthor): Promise<void>;
  /** Adds or changes several servers at once. */
  editServers(servers: ReadonlyMap<string, ServerConfig>, by: ConfigAuthor): Promise<void>;
  /** A merge patch: null removes a setting. */
  editSettings(patch: Record<string, unknown>, by: ConfigAuthor): Promise<void>;
  /** What would change if these were the shared settings, and the revision that this is compared with. */
  planShared(text: string): Promise<SharedPlan>;
  /** Replaces all shared settings. Local ones in the text have no effect. */
  replaceShared(text: string, by: ConfigAuthor, options: ReplaceOptions): Promise<void>;

  /** The shared settings in force, with comments. They may contain secrets. */
  sharedText(): string;
  /**
   * From now on the shared settings are those of the revision, and changes of them go to the keeper. Without a revision that counts, the
   * copy of the last ones in force is used, or nothing is permitted.
   */
  share(keeper: RevisionKeeper, newest: SharedRevision | undefined): void;
  /** Uses a newer revision. */
  adopt(newest: SharedRevision, origin: ConfigOrigin): Promise<void>;
  /** The revision in force; undefined where the file has all settings. */
  revision(): number | undefined;
  /** Shared settings that the file names and that have no effect, because the revision in force has other values. */
  ineffective(): string[];
  close(): Promise<void>;
}

export interface SharedPlan {
  revision: number | undefined;
  changes: ConfigChange[];
}

export interface ReplaceOptions {
  action: RevisionAction;
  /** The revision that was reviewed. CONFLICT where another one is in force. */
  expected?: number | undefined;
}
