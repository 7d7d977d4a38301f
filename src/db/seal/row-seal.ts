import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto';
import { SEAL_KEY_BYTES, createStateSeal } from '../../lib/state-seal.ts';
import { rowName, SEALED, sealedText, type SealedRow, type SealedTable } from './sealed-columns.ts';
import type { SeenVersions } from './seen-versions.ts';
import { NOBODY, type ToldVersions } from './told-versions.ts';

/**
 * Why a row does not count. `older`: it was replaced by a newer version that this proxy has seen, and put back. `deleted`: it is not there.
 * `restored`: one of these two, since the operator restored an earlier database.
 */
export type SealTrouble = 'missing' | 'wrong' | 'older' | 'deleted' | 'restored';

export interface BrokenRow {
  table: SealedTable;
  /** As in a record: its id, or server:tool; see `rowParts`. */
  row: string;
  trouble: SealTrouble;
}

/** Seals rows with the key of the data directory, so that somebody who can only write the database can make or change none. */
export interface RowSeal {
  /** The row with its seal. `before`: the row that it replaces. */
  seal<T extends SealedTable>(table: T, row: SealedRow<T>, before?: SealedRow<T>): SealedRow<T>;
  /** Called when a sealed row is stored: older versions of it no longer count. */
  stored<T extends SealedTable>(table: T, row: SealedRow<T>): void;
  /** The row for another database: sealed with the first key. Undefined where it does not count. */
  carried<T extends SealedTable>(table: T, row: SealedRow<T>): SealedRow<T> | undefined;
  /** Whether a newer version was seen: somebody has put this one back, or it was read right before a change. */
  isOlder<T extends SealedTable>(table: T, row: SealedRow<T>): boolean;
  /** What is wrong with a row; undefined where it counts. A broken row is reported, once. */
  trouble<T extends SealedTable>(table: T, row: SealedRow<T>): SealTrouble | undefined;
  /** Rows that are gone, of those that the proxy never deletes. Each is reported. */
  deleted(table: SealedTable, isPresent: (name: string) => boolean): Array<Omit<BrokenRow, 'table'>>;
  /** The operator has accepted that an earlier database was restored. */
  markRestored(): void;
  /** The versions that were noted are on disk, also if this host loses its power now, and told to the other proxies. */
  sync(): Promise<void>;
  /** True for the one proxy that may use this version of the row, also where its row is put back for another one. */
  claim<T extends SealedTable>(table: T, row: SealedRow<T>): Promise<boolean>;
  close(): void;
  /** Encrypts a text that may contain secrets, for every proxy with the key. `bound`: what it is about. */
  encrypt(text: string, bound: string): string;
  /** Undefined where it was changed, is about something else, or is of another key. */
  decrypt(box: string, bound: string): string | undefined;
  /** A digest of a text that may contain secrets: without the key nobody can find the text by trying. */
  digest(text: string): string;
}

export interface RowSealParts {
  /** The first one seals; each is accepted. */
  keys: readonly Buffer[];
  seen: SeenVersions;
  /** Which rows exist is remembered for each database: a data directory may be used with another one. */
  place: string;
  report: (broken: BrokenRow) => void;
  /** Absent: this proxy has the database for itself. */
  others?: (own: Pick<RowSeal, 'encrypt' | 'decrypt'>) => ToldVersions;
}

const SHAPE = /^1\.(\d{1,15})\.([\w-]{43})$/;
const MAX_REPORTED = 10_000;
/** Other proxies may have seen that many versions more of a row whose seal was overwritten. */
const FORGED_SKIP = 1_000;
/** What is stored does not expire. */
const NO_AGE = { now: () => 0 };

export function createRowSeal({ keys, seen, place, report, others }: RowSealParts): RowSeal {
  const secrets = keys.map((key) => derivedKey(key, 'mcpproxy seal of rows'));
  const digests = derivedKey(keys[0]!, 'mcpproxy digests in rows');
  const boxes = keys.map((key) => createStateSeal(derivedBytes(key, 'mcpproxy texts in rows'), NO_AGE));
  const reported = new Set<string>();
  const texts: Pick<RowSeal, 'encrypt' | 'decrypt'> = {
    encrypt: (text, bound) => boxes[0]!.seal(text, bound),
    decrypt(box, bound) {
      const values = boxes.map((each) => each.open(box, bound)?.value);
      return values.find((value) => typeof value === 'string');
    },
  };
  const told = others?.(texts) ?? NOBODY;

  function macOf(key: KeyObject, text: string): Buffer {
    return createHmac('sha256', key).update(text).digest();
  }

  function isGenuine<T extends SealedTable>(table: T, row: SealedRow<T>): boolean {
    const parts = SHAPE.exec(row.seal ?? '');
    if (!parts) return false;
    const text = sealedText(table, row, Number(parts[1]));
    const given = Buffer.from(parts[2]!, 'base64url');
    return secrets.some((key) => timingSafeEqual(macOf(key, text), given));
  }

  /** Any number may stand in a seal that does not hold: it does not count, and the true one is not known here. */
  function versionAfter<T extends SealedTable>(
    table: T,
    row: SealedRow<T>,
    before: SealedRow<T> | undefined,
  ): number {
    const newest = seen.newest(table, rowName(table, row));
    if (!before) return newest + 1;
    return isGenuine(table, before) ? Math.max(versionOf(before.seal), newest) + 1 : newest + FORGED_SKIP;
  }

  function check<T extends SealedTable>(table: T, row: SealedRow<T>): SealTrouble | undefined {
    if (row.seal === null) return 'missing';
    if (!isGenuine(table, row)) return 'wrong';
    const name = rowName(table, row);
    if (versionOf(row.seal) >= seen.newest(table, name)) return undefined;
    return seen.isBeforeRestore(table, name) ? 'restored' : 'older';
  }

  function reportOnce(broken: BrokenRow, seal: string | null): void {
    const key = JSON.stringify([broken, seal]);
    if (reported.has(key)) return;
    if (reported.size >= MAX_REPORTED) reported.clear();
    reported.add(key);
    report(broken);
  }

  const existing = (table: SealedTable) => `${table} in ${place}`;

  function noteVersion<T extends SealedTable>(table: T, row: SealedRow<T>): void {
    const version = versionOf(row.seal);
    const name = rowName(table, row);
    const { until, outdates, isNeverDeleted } = SEALED[table];
    if (isNeverDeleted) seen.note(existing(table), name, { version: 1, until: null });
    if (version > 1 && (outdates(row) || seen.newest(table, name) > 0))
      seen.note(table, name, { version, until: until(row) });
  }

  function sealAs<T extends SealedTable>(table: T, row: SealedRow<T>, version: number): SealedRow<T> {
    const mac = macOf(secrets[0]!, sealedText(table, row, version)).toString('base64url');
    return { ...row, seal: `1.${version}.${mac}` };
  }

  function trouble<T extends SealedTable>(table: T, row: SealedRow<T>): SealTrouble | undefined {
    const found = check(table, row);
    if (found === undefined) noteVersion(table, row);
    else reportOnce({ table, row: rowName(table, row), trouble: found }, row.seal);
    return found;
  }

  return {
    seal: (table, row, before) => sealAs(table, row, versionAfter(table, row, before)),
    stored(table, row) {
      noteVersion(table, row);
      const { until, outdates } = SEALED[table];
      const version = versionOf(row.seal);
      if (version > 1 && outdates(row)) told.tell([table, rowName(table, row), version, until(row)]);
    },
    isOlder: (table, row) => versionOf(row.seal) < seen.newest(table, rowName(table, row)),
    carried(table, row) {
      return trouble(table, row) === undefined ? sealAs(table, row, versionOf(row.seal)) : undefined;
    },
    trouble,
    deleted(table, isPresent) {
      const names = seen.rowsOf(existing(table)).filter((name) => !isPresent(name));
      return names.map((row) => {
        const trouble = seen.isBeforeRestore(existing(table), row) ? 'restored' : 'deleted';
        reportOnce({ table, row, trouble }, null);
        return { row, trouble };
      });
    },
    markRestored: () => seen.markRestored(),
    sync() {
      seen.sync();
      return told.flush();
    },
    claim: (table, row) => told.claim(`${table} ${rowName(table, row)} ${versionOf(row.seal)}`),
    close: () => told.close(),
    ...texts,
    digest: (text) => macOf(digests, text).toString('hex'),
  };
}

function derivedKey(key: Buffer, purpose: string): KeyObject {
  return createSecretKey(derivedBytes(key, purpose));
}

function derivedBytes(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, SEAL_KEY_BYTES));
}

/** 0 where there is none. */
function versionOf(seal: string | null): number {
  return Number(SHAPE.exec(seal ?? '')?.[1] ?? 0);
}

const MOST_READS = 10;

/**
 * The row as it is now, where it looks older than it should: an answer of the database may arrive after that of a later change. Where it
 * is the same again, somebody has put it back.
 */
export async function latestRow<T extends SealedTable>(
  seal: RowSeal,
  { table, row, read }: { table: T; row: SealedRow<T>; read: () => Promise<SealedRow<T> | undefined> },
): Promise<SealedRow<T> | undefined> {
  let latest = row;
  for (let reads = 0; reads < MOST_READS && seal.isOlder(table, latest); reads++) {
    const again = await read();
    if (!again || again.seal === latest.seal) return again;
    latest = again;
  }
  return latest;
}
