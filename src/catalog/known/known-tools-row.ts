import { OperationType } from '../../contract/operation.ts';
import type { KnownToolsTable, SealTrouble } from '../../db/index.ts';
import type { HintSet } from '../verdict/held-hints.ts';
import type { Accepted, KnownTool, ToolKey } from './known-tool.ts';

const MAX_DEFINITION = 65_536;

/** The accepted definition as it is stored. Of a very large one only the hash is kept. */
export function keptDefinition(text: string): string | null {
  return text.length <= MAX_DEFINITION ? text : null;
}

const NO_DECISION = { operation: null, by: null, at: null };
const NO_PIN = { hash: null, identity: null, by: null, at: null };

export function toRow({ server, tool }: ToolKey, known: KnownTool): KnownToolsTable {
  const operator = known.operator ?? NO_DECISION;
  const accepted = known.accepted ?? NO_PIN;
  const rejected = known.rejected ?? NO_PIN;
  return {
    server,
    tool,
    definition_hash: known.hash,
    hints: JSON.stringify(known.hints),
    held_hints: JSON.stringify(known.held),
    operator_operation: operator.operation,
    operator_by: operator.by,
    operator_at: operator.at,
    first_seen: known.firstSeen,
    changed_at: known.changedAt,
    server_identity: known.identity,
    accepted_hash: accepted.hash,
    accepted_identity: accepted.identity,
    accepted_by: accepted.by,
    accepted_at: accepted.at,
    rejected_hash: rejected.hash,
    rejected_identity: rejected.identity,
    rejected_by: rejected.by,
    rejected_at: rejected.at,
    seal: null,
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
  'seal',
] as const satisfies ReadonlyArray<keyof KnownToolsTable>;

export function fromRow(row: KnownToolsTable): KnownTool {
  const operation = OperationType.safeParse(row.operator_operation);
  const accepted = pinOf(row, 'accepted');
  const rejected = pinOf(row, 'rejected');
  return {
    hash: row.definition_hash,
    identity: row.server_identity,
    hints: JSON.parse(row.hints) as HintSet,
    held: JSON.parse(row.held_hints) as HintSet,
    ...(operation.success && {
      operator: { operation: operation.data, by: row.operator_by ?? '', at: row.operator_at ?? '' },
    }),
    ...(accepted && { accepted }),
    ...(rejected && { rejected }),
    firstSeen: row.first_seen,
    changedAt: row.changed_at,
  };
}

function pinOf(row: KnownToolsTable, kind: 'accepted' | 'rejected'): Accepted | undefined {
  const hash = row[`${kind}_hash`];
  if (hash === null) return undefined;
  const identity = row[`${kind}_identity`] ?? '';
  return { hash, identity, by: row[`${kind}_by`] ?? '', at: row[`${kind}_at`] ?? '' };
}

/** The hash of a pin that no definition has. */
const NO_DEFINITION = '*';
const RESTORED =
  'a restore of the database: the restored one has no row of this tool, or an older one than was known before';
const CHANGED_OUTSIDE = 'a row that was changed, deleted or put back outside of mcpproxy';

/**
 * What remains of a row whose seal does not hold, or that was deleted: nothing that it says. The tool is learned again, and is withheld,
 * whatever its definition and whatever the quarantine, until the operator accepts it.
 */
export function distrusted(
  { first_seen: at }: Pick<KnownToolsTable, 'first_seen'>,
  trouble: SealTrouble,
): KnownTool {
  const by = trouble === 'restored' ? RESTORED : CHANGED_OUTSIDE;
  return {
    hash: '',
    identity: '',
    hints: {},
    held: {},
    accepted: { hash: NO_DEFINITION, identity: '', by, at },
    firstSeen: at,
    changedAt: at,
  };
}

/** Why a tool is withheld although nobody has rejected it; undefined where its row counts. */
export function distrustOf({ accepted: pin }: KnownTool): { why: string; at: string } | undefined {
  return pin?.hash === NO_DEFINITION ? { why: pin.by, at: pin.at } : undefined;
}

/** Whether both would be stored as the same row. */
export function isSameRow(a: KnownTool, b: KnownTool): boolean {
  const nameless = { server: '', tool: '' };
  return JSON.stringify(toRow(nameless, a)) === JSON.stringify(toRow(nameless, b));
}
