import type { BrokenRow, SealedTable } from '../../db/index.ts';
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
  /** Rows since the start that do not count. */
  count: () => number;
}

const SUBJECT: Record<SealedTable, string> = {
  tokens: 'token',
  approvals: 'approval',
  approval_calls: 'stored call of approval',
  grants: 'grant',
  known_tools: 'tool',
};

const TROUBLE = {
  missing: 'it has no seal',
  wrong: 'its seal does not fit',
  older: 'an older version of it was put back',
  deleted: 'it was deleted',
} as const;

/** Records of rows in the database that were changed by somebody else. A failing log reports itself; the row does not count either way. */
export function createSealRecords({ activity, log }: Parts): SealRecords {
  let count = 0;
  return {
    broken({ table, row, trouble }) {
      count++;
      const message = `The row of ${SUBJECT[table]} ${visibleLine(row)} was changed outside of mcpproxy: ${TROUBLE[trouble]}. It does not count`;
      log.error({ table, row: visibleLine(row), trouble }, message);
      const [server, tool] = table === 'known_tools' ? splitTool(row) : [];
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
    count: () => count,
  };
}

function splitTool(row: string): [string, string] {
  const colon = row.indexOf(':');
  return [row.slice(0, colon), row.slice(colon + 1)];
}
