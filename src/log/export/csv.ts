import type { ActivityRecord } from '../../contract/activity.ts';
import { exactJson } from '../../json/index.ts';
import { visibleText } from '../../lib/visible-text.ts';

type Cell = string | number | undefined;

const COLUMNS: ReadonlyArray<readonly [name: string, value: (record: ActivityRecord) => Cell]> = [
  ['id', (record) => record.id],
  ['timestamp', (record) => record.timestamp],
  ['source', (record) => record.source],
  ['client', (record) => record.client],
  ['server', (record) => record.server_name],
  ['tool', (record) => record.tool_name],
  ['operation_type', (record) => record.operation_type],
  ['tool_variant', (record) => record.metadata.tool_variant],
  ['data_sensitivity', (record) => record.metadata.intent?.data_sensitivity],
  ['reason', (record) => record.metadata.intent?.reason],
  ['status', (record) => record.status],
  ['error_code', (record) => record.error_code],
  ['error_message', (record) => record.error_message],
  ['duration_ms', (record) => record.duration_ms],
  ['request_id', (record) => record.request_id],
  ['session_id', (record) => record.session_id],
  ['arguments', (record) => (record.arguments === undefined ? undefined : exactJson(record.arguments))],
  ['type', (record) => record.type],
  ['principal', (record) => record.principal],
  ['decision', decisionOf],
  ['approval_id', (record) => record.approval_id],
  ['decided_by', (record) => record.decided_by],
  ['client_address', (record) => record.client_address],
  ['conversation_id', (record) => record.conversation_id],
  ['user_id', (record) => textOf(record.metadata.user_id)],
  [
    'user_intent',
    ({ metadata: { user_intent: intent } }) => (intent === undefined ? undefined : exactJson(intent)),
  ],
  ['operation_declared', ({ operations }) => operations?.declared],
  ['operation_by_variant', ({ operations }) => operations?.variant],
  ['operation_by_verdict', ({ operations }) => operations?.verdict],
];

const textOf = (value: unknown): Cell => (typeof value === 'string' ? value : undefined);

/** "approve" or "deny", if a person decided. */
function decisionOf({ type, metadata: { action } }: ActivityRecord): Cell {
  return type === 'decision' && typeof action === 'string' ? action : undefined;
}

/** First line of a CSV export (RFC 4180). */
export const CSV_HEADER = `${COLUMNS.map(([name]) => name).join(',')}\r\n`;

export function csvLine(record: ActivityRecord): string {
  return `${COLUMNS.map(([, value]) => csvCell(value(record))).join(',')}\r\n`;
}

/**
 * Quotes where needed. Text that a spreadsheet would read as a formula gets an apostrophe, which shows it as text. CSV has no escapes
 * and is often shown in a terminal, so control characters are made visible; the JSON export has them unchanged.
 */
export function csvCell(cell: Cell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  const value = visibleText(cell);
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) || safe !== value || safe !== safe.trim()
    ? `"${safe.replaceAll('"', '""')}"`
    : safe;
}
