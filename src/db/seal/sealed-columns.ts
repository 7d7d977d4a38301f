import type { Selectable } from 'kysely';
import type { Tables } from '../schema.ts';

/** Tables whose rows let something pass: a request, a call, a tool. */
export type SealedTable =
  | 'tokens'
  | 'approvals'
  | 'approval_calls'
  | 'grants'
  | 'known_tools'
  | 'config_revisions'
  | 'config_head';
export type SealedRow<T extends SealedTable> = Selectable<Tables[T]> & { seal: string | null };

/** What a seal covers: every column that decides, or that a person is shown before deciding. The first ones name the row. */
interface Sealing<T extends SealedTable> {
  key: ReadonlyArray<keyof SealedRow<T> & string>;
  columns: ReadonlyArray<keyof SealedRow<T> & string>;
  /** After this time the row lets nothing pass, whatever else it says. Null: no such time. */
  until: (row: SealedRow<T>) => number | null;
  /** Whether an earlier version of this row would let more pass: then its version is remembered. */
  outdates: (row: SealedRow<T>) => boolean;
  /** Without the row more would pass, and the proxy never deletes one: its name is remembered, so that a missing one is noticed. */
  isNeverDeleted?: true;
}

/**
 * Not covered: `last_used_at` of a token, `told` and `lease_ms` of an approval. They are written often, and let nothing pass. The order of
 * the columns is part of the seal: a released one is never changed.
 */
export const SEALED: { [T in SealedTable]: Sealing<T> } = {
  tokens: {
    key: ['id'],
    columns: [
      'name',
      'digest',
      'scope',
      'user_id',
      'created_at',
      'created_by',
      'expires_at',
      'revoked_at',
      'revoked_by',
    ],
    until: ({ expires_at: at }) => (at === null ? null : Date.parse(at)),
    outdates: () => true,
  },
  approvals: {
    key: ['id'],
    columns: [
      'status',
      'scope',
      'digest',
      'principal',
      'token_id',
      'user_id',
      'conversation_id',
      'server',
      'tool',
      'operation',
      'server_identity',
      'definition_hash',
      'policy_version',
      'rule',
      'shown',
      'created_ms',
      'ttl_ms',
      'expires_ms',
      'decided_ms',
      'decided_by',
      'decided_from',
      'decision_reason',
      'settled_ms',
      'record_id',
      'grant_id',
      'runner',
    ],
    until: ({ expires_ms: until }) => until,
    outdates: () => true,
  },
  approval_calls: {
    key: ['approval_id'],
    columns: ['principal', 'exact', 'bytes', 'revealed_ms'],
    until: () => 0,
    outdates: () => false,
  },
  grants: {
    key: ['id'],
    columns: [
      'server',
      'tool',
      'server_identity',
      'definition_hash',
      'principal',
      'token_id',
      'user_id',
      'client',
      'created_ms',
      'created_by',
      'created_from',
      'expires_ms',
      'max_calls',
      'used',
      'reason',
      'approval_id',
      'revoked_ms',
      'revoked_by',
    ],
    until: ({ expires_ms: until }) => until,
    // The uses of a grant without a number of calls decide nothing, and there may be many.
    outdates: ({ max_calls: most, revoked_ms: revoked }) => most !== null || revoked !== null,
  },
  known_tools: {
    key: ['server', 'tool'],
    columns: [
      'definition_hash',
      'hints',
      'held_hints',
      'operator_operation',
      'operator_by',
      'operator_at',
      'first_seen',
      'changed_at',
      'server_identity',
      'accepted_hash',
      'accepted_identity',
      'accepted_by',
      'accepted_at',
      'rejected_hash',
      'rejected_identity',
      'rejected_by',
      'rejected_at',
    ],
    until: () => null,
    // Hints that were made stricter, and each acceptance, end what an earlier version let pass. A tool that never changes has one version.
    outdates: () => true,
    isNeverDeleted: true,
  },
  config_revisions: {
    key: ['revision'],
    columns: ['created_at', 'created_by', 'source', 'action', 'digest', 'changes', 'body'],
    until: () => null,
    // A revision is never changed.
    outdates: () => false,
  },
  config_head: {
    key: ['id'],
    columns: ['revision'],
    until: () => null,
    outdates: () => true,
    isNeverDeleted: true,
  },
};

export const SEALED_TABLES = Object.keys(SEALED) as SealedTable[];

/** One text per row: no two rows, and no rows of two tables, give the same one. */
export function sealedText<T extends SealedTable>(table: T, row: SealedRow<T>, version: number): string {
  const { key, columns } = SEALED[table];
  let text = `mcpproxy row 1;${table};${version};`;
  for (const column of key) text += encoded(row[column]);
  for (const column of columns) text += encoded(row[column]);
  return text;
}

/** Values of different types are told apart: SQLite takes each of them in every column. A text carries its length. */
function encoded(value: unknown): string {
  if (typeof value === 'string') {
    const text = asStored(value);
    return `s${text.length}:${text};`;
  }
  if (typeof value === 'number') return `i${value};`;
  return value === null ? 'n;' : `x${typeof value};`;
}

/** Neither engine keeps half of a surrogate pair, and PostgreSQL no NUL. */
const asStored = (text: string) => text.replace(/[\0\p{Surrogate}]/gu, '\ufffd');

/** How a row is named in a record, and where its version is remembered. No two rows of a table have the same name. */
export function rowName<T extends SealedTable>(table: T, row: SealedRow<T>): string {
  return nameOf(SEALED[table].key.map((column) => String(row[column])));
}

/** Joined by a colon where that is clear: a part with a colon of its own makes it JSON. */
function nameOf(parts: string[]): string {
  const isClear = parts.length === 1 || !parts.some((part) => part.includes(':') || part.startsWith('['));
  return isClear ? parts.join(':') : JSON.stringify(parts);
}

/** The columns that `rowName` has joined, for a row with two of them. */
export function rowParts(name: string): [string, string] {
  if (name.startsWith('[')) return JSON.parse(name) as [string, string];
  const colon = name.indexOf(':');
  return [name.slice(0, colon), name.slice(colon + 1)];
}

/**
 * The present name of a row that an earlier version of the program has noted. It joined each name by a colon, so one of a prompt may be that
 * of a tool "prompts:…" as well: undefined, and the row is noted again when it is read.
 */
export function presentName(table: string, name: string): string | undefined {
  if (!/^known_tools( in |$)/.test(table) || name.startsWith('[')) return name;
  const [server, tool] = rowParts(name);
  return tool.startsWith('prompts:') ? undefined : nameOf([server, tool]);
}
