import type { Kysely } from 'kysely';
import type { ApprovalStatus } from '../../contract/approval.ts';
import { ProxyError } from '../../contract/errors.ts';
import { latestRow, type RowSeal, type Tables } from '../../db/index.ts';
import type { ApprovalRow, ListedRow } from './approval-row.ts';
import { isOpen } from './exact-call.ts';

export interface SealedStoreParts {
  kysely: Kysely<Tables>;
  seal: RowSeal;
  now: () => number;
}

/** One change of a status. The new row is sealed; the old one must be intact. */
export interface Transition {
  from: readonly ApprovalStatus[];
  set: (row: ApprovalRow) => Partial<ApprovalRow>;
  /** Further conditions on the row. */
  where?: (row: ApprovalRow) => boolean;
}

/** When another proxy changes the row at the same time, it is read again; each attempt means that somebody else succeeded. */
const ATTEMPTS = 20;
const WHY = 'its row was changed outside of mcpproxy';

/** Reads and changes approvals whose seal holds. One whose seal does not hold is cancelled, and never used. */
export function createSealedApprovals({ kysely, seal, now }: SealedStoreParts) {
  const read = (id: string) =>
    kysely.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst();

  const latest = async (row: ApprovalRow | undefined) =>
    row && latestRow(seal, { table: 'approvals', row, read: () => read(row.id) });

  /** Undefined where the row has been changed meanwhile. */
  async function replace(row: ApprovalRow, set: Partial<ApprovalRow>): Promise<ApprovalRow | undefined> {
    const next = seal.seal('approvals', { ...row, ...set }, row);
    const changed = await kysely
      .updateTable('approvals')
      .set({ ...set, seal: next.seal })
      .where('id', '=', row.id)
      .where('status', '=', row.status)
      .where('seal', row.seal === null ? 'is' : '=', row.seal)
      .returningAll()
      .executeTakeFirst();
    if (!changed) return undefined;
    // A trigger may have kept the row as it was.
    if (changed.seal !== next.seal || seal.trouble('approvals', changed) !== undefined)
      throw changedOutside(row.id);
    seal.stored('approvals', changed);
    return changed;
  }

  /** Open ones end, so that the caller can ask again. */
  async function cancelBroken(row: ApprovalRow): Promise<ApprovalRow | undefined> {
    if (!isOpen(row.status)) return undefined;
    return replace(row, {
      status: 'cancelled',
      settled_ms: now(),
      decision_reason: WHY,
      decided_by: 'mcpproxy',
      decided_from: null,
      decided_ms: null,
      grant_id: null,
    });
  }

  async function requireIntact(row: ApprovalRow): Promise<void> {
    if (seal.trouble('approvals', row) === undefined) return;
    await cancelBroken(row);
    throw changedOutside(row.id);
  }

  async function change(id: string, { from, set, where }: Transition): Promise<ApprovalRow | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const row = await latest(await read(id));
      if (!row || !from.includes(row.status as ApprovalStatus) || where?.(row) === false) return undefined;
      await requireIntact(row);
      const changed = await replace(row, set(row));
      if (changed) return changed;
    }
    throw new ProxyError('CONFLICT', 'The approval is changed by others all the time; try again later', {
      approval_id: id,
    });
  }

  /** For what happens in the background: a broken row ends there too, and is reported by the seal. */
  const changeIntact = (id: string, transition: Transition): Promise<ApprovalRow | undefined> =>
    change(id, transition).catch((error: unknown) => {
      if (error instanceof ProxyError && error.code === 'ROW_CHANGED') return undefined;
      throw error;
    });

  /** Throws where the seal does not hold. */
  const intact = async (found: ApprovalRow | undefined): Promise<ApprovalRow | undefined> => {
    const row = await latest(found);
    if (row) await requireIntact(row);
    return row;
  };

  /** For a listing, which must not fail: an open row that is broken is cancelled; of a settled one nobody is named as decider. */
  const listed = async (rows: ApprovalRow[]): Promise<ListedRow[]> => {
    const shown: ListedRow[] = [];
    for (const found of rows) {
      const row = await latest(found);
      if (row)
        shown.push(
          seal.trouble('approvals', row) === undefined
            ? row
            : ((await cancelBroken(row)) ?? withoutDecision(row)),
        );
    }
    return shown;
  };

  return { change, changeIntact, intact, listed };
}

const withoutDecision = (row: ApprovalRow): ListedRow => ({
  ...row,
  decided_by: null,
  decided_from: null,
  decided_ms: null,
  decision_reason: WHY,
  grant_id: null,
  isChanged: true,
});

function changedOutside(id: string): ProxyError {
  return new ProxyError(
    'ROW_CHANGED',
    `Approval ${id} does not count: ${WHY}, or put back after its use. Nothing was run. Repeat the call to request a new approval, and see the activity log`,
    { approval_id: id },
  );
}
