import type { Place } from './place.ts';

export type ConnectScope = 'user' | 'project';

/** A client program that can be connected. */
export interface KnownClient {
  id: string;
  title: string;
  /** Whether it is installed here. */
  found: boolean;
  /** The version with which the connection was tried; null: not verified with the program itself. */
  verified: string | null;
  connected: boolean;
}

export interface WantedConnection {
  client: string;
  scope: ConnectScope;
  /** The MCP endpoint. */
  url: string;
  /** Servers that are taken out of the client's files; absent: those that were taken before. */
  taken?: TakenServers[];
}

export interface TakenServers {
  file: string;
  names: string[];
  /** The project that they were for, in a file of the user. */
  folder?: string | undefined;
}

/** What a connection changes. */
export interface ConnectPlan {
  client: string;
  title: string;
  scope: ConnectScope;
  verified: string | null;
  token_name: string;
  /** The variable that a person sets to the token; absent where the client gets it by itself. */
  variable?: { name: string; how?: string };
  /** What makes reads pass and changes ask; null: only the settings of the client itself. */
  rules: string | null;
  notes: readonly string[];
  files: Array<{ file: string; change: 'create' | 'change' | 'none'; diff: string; has_token: boolean }>;
}

/** A connection that was made. */
export interface ClientConnection {
  client: string;
  title: string;
  scope: ConnectScope;
  folder: string | null;
  verified: string | null;
  rules: string | null;
  url: string;
  /** It starts `mcpproxy stdio`, which finds the proxy by itself. */
  stdio: boolean;
  token: { id: string; name: string };
  connected_at: string;
  files: Array<{ file: string; copy: string | null }>;
  taken: TakenServers[];
  /** What differs from what was written. */
  problems: string[];
}

export interface Disconnected {
  connection: ClientConnection;
  files: Array<{
    file: string;
    change: 'restored' | 'edited' | 'removed' | 'left';
    reason?: string;
    /** The dated copy, where it stays. */
    copy?: string;
  }>;
}

/** What a client with this token sees. */
export interface ConnectionProof {
  protocol: string;
  tools: string[];
}

/** The files of client programs on this machine. All functions throw ProxyError. */
export interface ClientRuntime {
  find(place: Place): Promise<KnownClient[]>;
  /** Nothing is changed. */
  plan(place: Place, wanted: WantedConnection): Promise<ConnectPlan>;
  apply(
    place: Place,
    wanted: WantedConnection,
    token: { id: string; name: string; secret: string },
  ): Promise<ClientConnection>;
  /** Runs `work` while no other command changes connections: two at once would each keep the entry of the other as what was there before. */
  alone<T>(place: Place, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  status(place: Place): Promise<ClientConnection[]>;
  /** The id of the client that somebody named; USAGE if there is none. */
  named(name: string): Promise<string>;
  /** Whether a program answers at this address. */
  answers(url: string): Promise<boolean>;
  /** Undefined: the client is not connected. */
  disconnect(
    place: Place,
    /** `folder`: the project; absent: the current directory. */
    connection: { client: string; scope: ConnectScope; folder?: string | undefined },
  ): Promise<Disconnected | undefined>;
  /** Connects as the client would, with its token. */
  prove(url: string, token: string, signal: AbortSignal): Promise<ConnectionProof>;
  /** The files with only our parts in them, for a client on another machine. */
  print(place: Place, wanted: WantedConnection): Promise<PrintedConnection>;
}

export interface PrintedConnection {
  title: string;
  /** The version with which the connection was tried; null: not verified with the program itself. */
  verified: string | null;
  token_name: string;
  variable: string | null;
  files: Array<{ file: string; text: string }>;
  notes: readonly string[];
}
