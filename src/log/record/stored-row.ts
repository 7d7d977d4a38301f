import type { ActivityRow } from './activity-row.ts';

/** As arrays they are read in half the time. */
export type Values = Array<string | number | null>;
export const COLUMNS = [
  'seq',
  'facet_id',
  'ts',
  'id',
  'request_id',
  'session_id',
  'conversation_id',
  'client',
  'server_name',
  'tool_name',
  'duration_ms',
  'error_code',
  'error_message',
  'response_truncated',
  'metadata',
  'arguments',
  'response',
  'salt',
] as const satisfies Array<keyof ActivityRow>;

/** After the four columns of the entry. What a damaged file holds instead of a text or number is found by its digest. */
export function rowOf(values: Values): ActivityRow {
  return {
    seq: values[4] as number,
    facet_id: values[5] as number,
    ts: values[6] as number,
    id: values[7] as string,
    request_id: values[8] as string,
    session_id: values[9] as string | null,
    conversation_id: values[10] as string | null,
    client: values[11] as string | null,
    server_name: values[12] as string | null,
    tool_name: values[13] as string | null,
    duration_ms: values[14] as number | null,
    error_code: values[15] as string | null,
    error_message: values[16] as string | null,
    response_truncated: values[17] as number,
    metadata: values[18] as string,
    arguments: values[19] as string | null,
    response: values[20] as string | null,
    salt: values[21] as string | null,
  };
}
