import { OperationType } from '../../contract/operation.ts';
import type { KnownToolsTable } from '../../db/index.ts';
import type { HintSet } from '../verdict/held-hints.ts';
import type { KnownTool, ToolKey } from './known-tool.ts';

const MAX_DEFINITION = 65_536;

/** What is kept of an accepted definition. Of a very large one the hash has to do. */
export function keptDefinition(text: string): string | null {
  return text.length <= MAX_DEFINITION ? text : null;
}

export function toRow({ server, tool }: ToolKey, known: KnownTool): KnownToolsTable {
  const { operator, accepted, rejected } = known;
  return {
    server,
    tool,
    definition_hash: known.hash,
    hints: JSON.stringify(known.hints),
    held_hints: JSON.stringify(known.held),
    operator_operation: operator?.operation ?? null,
    operator_by: operator?.by ?? null,
    operator_at: operator?.at ?? null,
    first_seen: known.firstSeen,
    changed_at: known.changedAt,
    server_identity: known.identity,
    accepted_hash: accepted?.hash ?? null,
    accepted_identity: accepted?.identity ?? null,
    accepted_by: accepted?.by ?? null,
    accepted_at: accepted?.at ?? null,
    rejected_hash: rejected?.hash ?? null,
    rejected_identity: rejected?.identity ?? null,
    rejected_by: rejected?.by ?? null,
    rejected_at: rejected?.at ?? null,
  };
}

/** Columns that a later write replaces. */
export const REPLACED = [
  'definition_hash',
  'hints',
  'held_hints',
  'operator_operation',
  'operator_by',
  'operator_at',
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
] as const satisfies ReadonlyArray<keyof KnownToolsTable>;

export function fromRow(row: KnownToolsTable): KnownTool {
  const operation = OperationType.safeParse(row.operator_operation);
  return {
    hash: row.definition_hash,
    identity: row.server_identity,
    hints: JSON.parse(row.hints) as HintSet,
    held: JSON.parse(row.held_hints) as HintSet,
    ...(operation.success && {
      operator: { operation: operation.data, by: row.operator_by ?? '', at: row.operator_at ?? '' },
    }),
    ...(row.accepted_hash !== null && {
      accepted: {
        hash: row.accepted_hash,
        identity: row.accepted_identity ?? '',
        by: row.accepted_by ?? '',
        at: row.accepted_at ?? '',
      },
    }),
    ...(row.rejected_hash !== null && {
      rejected: {
        hash: row.rejected_hash,
        identity: row.rejected_identity ?? '',
        by: row.rejected_by ?? '',
        at: row.rejected_at ?? '',
      },
    }),
    firstSeen: row.first_seen,
    changedAt: row.changed_at,
  };
}

/** Whether the same would be stored of both. */
export function isSame(a: KnownTool, b: KnownTool): boolean {
  const nameless = { server: '', tool: '' };
  return JSON.stringify(toRow(nameless, a)) === JSON.stringify(toRow(nameless, b));
}
