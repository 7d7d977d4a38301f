import type { ClientScope, KnownFolders } from '../../client-programs.ts';
import type { Syntax } from '../../parse-document.ts';
import type { Edit } from '../edit/edits.ts';

/** Names under which the proxy stands in the files of clients. */
export const ENTRY = 'mcpproxy';

export const READ_TOOLS = ['retrieve_tools', 'describe_tool', 'call_tool_read'] as const;
export const CHANGE_TOOLS = ['call_tool_write', 'call_tool_destructive'] as const;

export type ConnectScope = Exclude<ClientScope, 'local'>;

/** What an entry is made of. */
export interface EntryFacts {
  /** The MCP endpoint. */
  url: string;
  scope: ConnectScope;
  /** `Bearer` and the token, or how the client refers to a variable with it. */
  authorization: string;
  /** The token alone, in a file that only the user can read. */
  tokenFile: string;
  /** The header with the token as JSON, in a file that only the user can read. */
  headerFile: string;
  /** A command that prints the header with the token as JSON. */
  headerCommand: string;
  /** Starts `mcpproxy stdio` with the token of `tokenFile`. */
  stdio: { command: string; args: string[]; env: Record<string, string> };
}

export interface Places extends KnownFolders {
  /** The project folder. */
  cwd: string;
  exists: (path: string) => boolean;
}

/** Changes of one file. */
export type FilePart =
  | { file: string; syntax: Syntax; edits: readonly Edit[] | ((document: unknown) => readonly Edit[]) }
  /** A file of our own. */
  | { file: string; text: string };

/** How the token reaches a client in files of the user. */
type TokenPlace = 'helper' | 'file' | 'entry';

/** How one client is connected: its files, its entry, its permission rules. */
export interface Recipe {
  id: string;
  /** The version of the program with which it was tried. Absent: not verified with the program itself. */
  verified?: string;
  /** The program on the PATH. */
  program?: string;
  /** Folders or files that show that the client is installed. */
  signs: (places: Places) => string[];
  /** `helper`, `file`: in a file of the data directory that the client reads; `entry`: in the client's own file. */
  token: TokenPlace;
  /** Its entry starts `mcpproxy stdio`. */
  stdio?: true;
  /** What makes reads pass and changes ask, for people; absent: only the settings of the client itself. */
  rules?: string;
  /** What a person must know or do. */
  notes?: readonly string[];
  user: (facts: EntryFacts, places: Places) => FilePart[];
  /** Absent: the client has no file of a project. */
  project?: {
    /** The variable that holds the token, and how the client refers to it. */
    variable: string;
    reference: string;
    /** How the token is set, where it is no variable of the environment. */
    how?: string;
    parts: (facts: EntryFacts, places: Places) => FilePart[];
  };
}
