import type { Kysely, Selectable, Transaction } from 'kysely';
import type { ApprovalDetail, ApprovalStatus } from '../../contract/approval.ts';
import { ProxyError } from '../../contract/errors.ts';
import { withSecureDelete, type ApprovalCallsTable, type RowSeal, type Tables } from '../../db/index.ts';
import { exactJson, exactValue, parseExact } from '../../json/index.ts';
import type { FindMasked, ApprovalRequest } from '../approval-request.ts';

/** The call exactly as it will run, for the person who decides. */
type ExactCall = Pick<ApprovalDetail, 'arguments' | 'input_responses' | 'masked_parts'>;

/** Longer calls cannot be shown completely to a person. */
const MAX_CALL_BYTES = 4 * 1024 * 1024;

export function exactCall({ args, brought }: ApprovalRequest, findMasked: FindMasked): ExactCall {
  const sent = { arguments: exactValue(args), input_responses: exactValue(brought?.inputResponses) };
  const masked = Object.entries(sent).flatMap(([name, value]) => findMasked(value, `/${name}`));
  return { ...sent, masked_parts: masked };
}

/** Throws where the call is too long to be shown to a person. */
export function exactCallText(call: ExactCall): string {
  const text = exactJson(call)!;
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_CALL_BYTES) return text;
  throw new ProxyError(
    'APPROVAL_LIMIT',
    `The call needs approval, but its arguments (${bytes} bytes) are too long to be shown to a person (limit: ${MAX_CALL_BYTES} bytes). It did not run, and no approval was requested. Split it into smaller calls`,
    { bytes, limit: MAX_CALL_BYTES },
  );
}

export function readExactCall(text: string): ExactCall {
  return parseExact(text) as ExactCall;
}

/** Kept only where a listing does not show the call completely, and only until the approval is settled. */
export type KeptCall = Selectable<ApprovalCallsTable>;

export interface CallLimits {
  bytesPerCaller: number;
  bytesTotal: number;
}

/** Approvals of these statuses wait, or may still be used. */
export const OPEN_STATUSES: ApprovalStatus[] = ['pending', 'approved'];

export const isOpen = (status: string) => (OPEN_STATUSES as string[]).includes(status);

/** Rows per sweep; the rest follows in the next one. */
export const SWEEP_BATCH = 500;

export type CallStore = ReturnType<typeof createCallStore>;

export function createCallStore(kysely: Kysely<Tables>, seal: RowSeal) {
  /** Throws where the call was changed by somebody else: a person must not be shown another one than will run. */
  async function get(id: string): Promise<KeptCall | undefined> {
    const row = await kysely
      .selectFrom('approval_calls')
      .selectAll()
      .where('approval_id', '=', id)
      .executeTakeFirst();
    if (row && seal.trouble('approval_calls', row) !== undefined) throw callChanged(id);
    return row;
  }

  return {
    get,

    /** Undefined: no call is kept. Null: nobody has seen it. */
    revealedMs: async (id: string): Promise<number | null | undefined> => (await get(id))?.revealed_ms,

    markRevealed: async (id: string, now: number): Promise<void> => {
      const row = await get(id);
      if (!row || row.revealed_ms !== null) return;
      const { seal: made } = seal.seal('approval_calls', { ...row, revealed_ms: now }, row);
      await withSecureDelete(kysely, (trx) =>
        trx
          .updateTable('approval_calls')
          .set({ revealed_ms: now, seal: made })
          .where('approval_id', '=', id)
          .where('seal', '=', row.seal)
          .execute(),
      );
    },

    erase: (id: string): Promise<unknown> =>
      withSecureDelete(kysely, (trx) =>
        trx.deleteFrom('approval_calls').where('approval_id', '=', id).execute(),
      ),

    /** Erases calls of settled approvals that a stopped proxy has left behind. */
    eraseSettled: async (): Promise<void> => {
      const open = kysely.selectFrom('approvals').select('id').where('status', 'in', OPEN_STATUSES);
      const left = await kysely
        .selectFrom('approval_calls')
        .select('approval_id')
        .where('approval_id', 'not in', open)
        .limit(SWEEP_BATCH)
        .execute();
      if (left.length === 0) return;
      const ids = left.map((each) => each.approval_id);
      await withSecureDelete(kysely, (trx) =>
        trx.deleteFrom('approval_calls').where('approval_id', 'in', ids).execute(),
      );
    },
  };
}

function callChanged(id: string): ProxyError {
  return new ProxyError(
    'ROW_CHANGED',
    `The stored call of approval ${id} was changed outside of mcpproxy, so it can neither be shown nor approved. Deny it; the caller can request approval again`,
    { approval_id: id },
  );
}

/** Throws where the kept calls would take too much space. */
export async function requireCallSpace(
  trx: Transaction<Tables>,
  { principal, bytes }: KeptCall,
  { bytesPerCaller, bytesTotal }: CallLimits,
): Promise<void> {
  const all = trx.selectFrom('approval_calls').select((of) => of.fn.sum<number | string>('bytes').as('n'));
  const sum = async (query: typeof all) => Number((await query.executeTakeFirst())?.n ?? 0);
  const [own, total] = [await sum(all.where('principal', '=', principal)), await sum(all)];
  if (own + bytes <= bytesPerCaller && total + bytes <= bytesTotal) return;
  throw new ProxyError(
    'APPROVAL_LIMIT',
    'The arguments of the calls that wait for approval take too much space already, so no approval was requested. Wait until some of them are decided',
    { bytes, limit: own + bytes > bytesPerCaller ? bytesPerCaller : bytesTotal },
  );
}
