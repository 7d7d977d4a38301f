import { rowParts, type BrokenRow, type SealedTable, type SealTrouble } from '../../db/index.ts';
import { newId } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import type { OpenRecord, RecordDraft } from './record.ts';

interface Parts {
  activity: { open(draft: RecordDraft): OpenRecord };
  log: Log;
}

export interface SealRecords {
  /** Records that a row does not count. */
  broken: (row: BrokenRow) => void;
  /** Records which rows of an earlier version were sealed; nothing where there were none. */
  sealed(rows: Partial<Record<SealedTable, number>>): void;
  /** Rows that were changed by somebody else, found since the start. */
  count: () => number;
  /** The operator has accepted that an earlier database was restored: that explains rows that are older or gone. */
  restoreAccepted: () => void;
}

const SUBJECT: Record<Exclude<SealedTable, 'known_tools'>, string> = {
  tokens: 'token',
  approvals: 'approval',
  approval_calls: 'stored call of approval',
  grants: 'grant',
  config_revisions: 'configuration revision',
  config_head: 'the configuration in force,',
};

const TROUBLE = {
  missing: 'it has no seal',
  wrong: 'its seal does not fit',
  older: 'an older version of it was put back',
  deleted: 'it was deleted',
} as const satisfies Partial<Record<SealTrouble, string>>;

/** Records of rows in the database that were changed by somebody else. A failing log reports itself; the row does not count either way. */
export function createSealRecords({ activity, log }: Parts): SealRecords {
  const counts: Record<SealTrouble, number> = { missing: 0, wrong: 0, older: 0, deleted: 0, restored: 0 };
  return {
    broken({ table, row, trouble }) {
      counts[trouble]++;
      const message = messageOf({ table, row, trouble });
      log[trouble === 'restored' ? 'warn' : 'error']({ table, row: visibleLine(row), trouble }, message);
      const { server, tool } = subjectOf(table, row);
      activity
        .open({
          type: 'finding',
          source: 'system',
          ...(server !== undefined && { server_name: server, tool_name: tool }),
          arguments: { table, row },
          request_id: newId(),
          metadata: { action: 'refuse changed row', principal: 'system', row: { table, id: row, trouble } },
        })
        .close({ status: 'refused', error_code: 'ROW_CHANGED', error_message: message })
        .catch(() => {});
    },
    sealed(rows) {
      if (Object.keys(rows).length === 0) return;
      log.info({ rows }, 'rows from before this version were sealed with the key of the data directory');
      activity
        .open({
          type: 'config_change',
          source: 'system',
          arguments: { rows },
          request_id: newId(),
          metadata: { action: 'seal existing rows', principal: 'system', rows },
        })
        .close({ status: 'success' })
        .catch(() => {});
    },
    count: () => counts.missing + counts.wrong + counts.older + counts.deleted,
    restoreAccepted() {
      counts.older = 0;
      counts.deleted = 0;
    },
  };
}

function messageOf({ table, row, trouble }: BrokenRow): string {
  const { noun, name } = subjectOf(table, row);
  const subject = `The row of ${noun} ${visibleLine(name)}`;
  return trouble === 'restored'
    ? `${subject} has changed since the back-up that was restored. The restored state of it does not count`
    : `${subject} was changed outside of mcpproxy: ${TROUBLE[trouble]}. It does not count`;
}

/** Prompts and skills are remembered among the tools, as those of SERVER:prompts and SERVER:skills. */
const REMEMBERED: Readonly<Record<string, string>> = { prompts: 'prompt', skills: 'skill' };

function subjectOf(
  table: SealedTable,
  row: string,
): { noun: string; name: string; server?: string; tool?: string } {
  if (table !== 'known_tools') return { noun: SUBJECT[table], name: row };
  const [from, tool] = rowParts(row);
  const [server = '', kind] = from.split(':');
  return { noun: REMEMBERED[kind ?? ''] ?? 'tool', name: `${server}:${tool}`, server, tool };
}
