import type { ConfigChange } from '../../contract/status.ts';
import type { Caller } from '../../contract/call.ts';

/** Who changes the configuration through the proxy. */
export type ConfigAuthor = Pick<Caller, 'principal' | 'source' | 'requestId' | 'client'>;

/** The settings that all proxies on one database share, as one revision of them. */
export interface SharedRevision {
  /** 0: the copy in the data directory, because the stored one does not count. */
  revision: number;
  text: string;
}

/** A change of them that is to be stored. */
export interface RevisionDraft extends SharedRevision {
  /** The revision that was changed. */
  base: number;
  changes: ConfigChange[];
  by: ConfigAuthor;
  action: RevisionAction;
}

export type RevisionAction = 'edit' | 'apply' | 'rollback';

/** Where the shared settings are kept. */
export interface RevisionKeeper {
  /** Resolves once this proxy uses the newest revision; rejects where that cannot be known. */
  catchUp(): Promise<void>;
  /** Rejects with CONFLICT where another revision has been stored since. */
  commit(draft: Omit<RevisionDraft, 'revision'>): Promise<SharedRevision>;
}

/** The program through which somebody changes the configuration. */
export function authorSource({
  source,
  client,
}: Pick<ConfigAuthor, 'source' | 'client'>): 'cli' | 'web' | 'rest' {
  if (source === 'cli') return 'cli';
  return client !== undefined && /^web(\/|$)/.test(client) ? 'web' : 'rest';
}
