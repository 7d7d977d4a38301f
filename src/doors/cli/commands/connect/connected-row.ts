import type { ConnectionProof, ConnectScope } from '../../client-runtime.ts';
import type { TakenResult } from './take-servers.ts';

export interface ConnectFlags {
  status?: boolean;
  dryRun?: boolean;
  print?: boolean;
  scope?: ConnectScope;
  takeServers?: boolean;
  all?: boolean;
  expires?: string;
}

/** What became of one client. */
export interface ConnectedRow {
  client: string;
  title: string;
  state: 'connected' | 'failed';
  scope: ConnectScope;
  verified: string | null;
  reason?: string;
  url?: string;
  token?: { name: string; expires_at: string | null };
  /** Only where a person has to set it: the token is shown once. */
  set?: { variable: string; how?: string; token: string };
  files?: Array<{ file: string; change: string; copy: string | null; has_token: boolean }>;
  /** Null: only the settings of the client itself. */
  rules?: { read: 'allow'; write: 'ask'; destructive: 'ask'; where: string } | null;
  proof?: ConnectionProof;
  taken?: TakenResult;
  notes?: readonly string[];
}
