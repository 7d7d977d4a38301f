import { timingSafeEqual } from 'node:crypto';
import type { Identity } from '../contract/call.ts';
import { TokenScope, type TokenStatus, type TokenView } from '../contract/token.ts';
import type { SealTrouble, TokensTable } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import { digestOf, hasValidChecksum } from './secret.ts';

/** The result of looking up a presented token. */
export type TokenLookup =
  | { state: 'active'; identity: Identity }
  | { state: 'expired' | 'revoked'; id: string; name: string; at: string }
  /** Its row was changed outside of the proxy: it permits nothing. */
  | { state: 'invalid'; id: string; name: string }
  /** Its checksum is wrong: mistyped or truncated. */
  | { state: 'damaged' }
  | { state: 'unknown' };

/** A token that is no longer valid. */
export interface EndedToken {
  id: string;
  name: string;
  why: 'expired' | 'revoked' | 'invalid';
}

interface Entry {
  row: TokensTable;
  digest: Buffer;
  identity: Identity;
  expiresAt: number;
  /** Its end was reported to the listeners. */
  endReported: boolean;
  trouble: SealTrouble | undefined;
}

/** Whether the seal of a row holds. */
export type CheckToken = (row: TokensTable) => SealTrouble | undefined;

/** All tokens in memory, so that a request costs one hash and one look-up. Seals are checked when the rows are read. */
export function createTokenIndex(clock: Clock, check: CheckToken) {
  let byDigest = new Map<string, Entry>();

  function statusOf({ row, expiresAt, trouble }: Entry): TokenStatus {
    if (trouble !== undefined) return 'invalid';
    if (row.revoked_at !== null) return 'revoked';
    return clock.now() < expiresAt ? 'active' : 'expired';
  }

  function lookupOf(entry: Entry): TokenLookup {
    const state = statusOf(entry);
    const { identity, row } = entry;
    if (state === 'active') return { state, identity };
    if (state === 'invalid') return { state, id: row.id, name: row.name };
    const at = (state === 'revoked' ? row.revoked_at : row.expires_at) ?? '';
    return { state, id: row.id, name: row.name, at };
  }

  /** The tokens that have ended since the last call. */
  function newlyEnded(entries: Iterable<Entry>): EndedToken[] {
    const ended: EndedToken[] = [];
    for (const entry of entries) {
      const why = entry.endReported ? 'active' : statusOf(entry);
      if (why === 'active') continue;
      entry.endReported = true;
      ended.push({ id: entry.row.id, name: entry.row.name, why });
    }
    return ended;
  }

  return {
    /** Replaces all tokens by the rows of the database. A missing token counts as revoked. */
    load(rows: readonly TokensTable[]): EndedToken[] {
      const before = byDigest;
      byDigest = new Map(rows.map((row) => [row.digest, entryOf(row, check(row), before.get(row.digest))]));
      const gone = [...before.values()].filter(({ row }) => !byDigest.has(row.digest));
      for (const entry of gone) entry.row = { ...entry.row, revoked_at: entry.row.revoked_at ?? '' };
      return [...newlyEnded(gone), ...newlyEnded(byDigest.values())];
    },
    newlyEnded: () => newlyEnded(byDigest.values()),

    find(secret: string): TokenLookup {
      const digest = digestOf(secret);
      const entry = byDigest.get(digest);
      // The time of a look-up may reveal the position of a digest, not its content; the comparison takes constant time.
      if (!entry || !timingSafeEqual(entry.digest, Buffer.from(digest, 'hex')))
        return { state: hasValidChecksum(secret) ? 'unknown' : 'damaged' };
      return lookupOf(entry);
    },

    /** The same by name; undefined where no token ever had it. */
    lookUp(name: string): TokenLookup | undefined {
      const row = this.findByName(name);
      return row && lookupOf(byDigest.get(row.digest)!);
    },

    /** By id or name. Of several with the same name, the one that is not revoked. */
    findByName(text: string): TokensTable | undefined {
      const rows = [...byDigest.values()].map(({ row }) => row);
      return (
        rows.find(({ id }) => id === text.toUpperCase()) ??
        rows.find(({ name, revoked_at }) => name === text && revoked_at === null) ??
        rows.findLast(({ name }) => name === text)
      );
    },

    /** How a token has ended; undefined while it is active. A missing token counts as revoked. */
    endOf(id: string): EndedToken | undefined {
      const entry = [...byDigest.values()].find(({ row }) => row.id === id);
      if (!entry) return { id, name: id, why: 'revoked' };
      const why = statusOf(entry);
      return why === 'active' ? undefined : { id, name: entry.row.name, why };
    },

    names(): string[] {
      return [...byDigest.values()].filter(({ row }) => row.revoked_at === null).map(({ row }) => row.name);
    },

    counts(): Record<TokenStatus, number> {
      const counts = { active: 0, expired: 0, revoked: 0, invalid: 0 };
      for (const entry of byDigest.values()) counts[statusOf(entry)]++;
      return counts;
    },

    view: (row: TokensTable): TokenView => viewOf(row, statusOf(entryOf(row, check(row), undefined))),
  };
}

function entryOf(row: TokensTable, trouble: SealTrouble | undefined, before: Entry | undefined): Entry {
  // The scope object stays the same while the token exists: others cache results by it.
  if (before) return Object.assign(before, { row, trouble });
  const { id, name, user_id: userId } = row;
  return {
    row,
    digest: Buffer.from(row.digest, 'hex'),
    identity: { principal: `token:${name}`, userId, token: { id, name, scope: scopeOf(row) } },
    expiresAt: row.expires_at === null ? Infinity : Date.parse(row.expires_at),
    endReported: false,
    trouble,
  };
}

/** A scope that cannot be read, after a manual change of the database, permits nothing. */
function scopeOf({ scope }: TokensTable): TokenScope {
  try {
    return TokenScope.parse(JSON.parse(scope));
  } catch {
    return { operations: [], servers: [], tools: [] };
  }
}

function viewOf(row: TokensTable, status: TokenStatus): TokenView {
  return {
    id: row.id,
    name: row.name,
    user: row.user_id,
    status,
    ...scopeOf(row),
    created_at: row.created_at,
    created_by: row.created_by,
    expires_at: row.expires_at,
    revoked_at: row.revoked_at,
    last_used_at: row.last_used_at,
  };
}
