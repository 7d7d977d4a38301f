import type { ActivityMetadata, ActivityRecord } from '../../contract/activity.ts';
import { parseExact } from '../../json/index.ts';
import type { SealedFacet } from '../chain/seal.ts';
import { shownStatus } from './stored-status.ts';
import { shownOperation, shownType } from './stored-type.ts';
import type { ActivityRow } from './activity-row.ts';

/** In the order of the columns, so that the insert needs no names. */
export function rowValues(row: ActivityRow): Array<string | number | null> {
  return [
    row.seq,
    row.facet_id,
    row.ts,
    row.id,
    row.request_id,
    row.session_id,
    row.conversation_id,
    row.client,
    row.server_name,
    row.tool_name,
    row.duration_ms,
    row.error_code,
    row.error_message,
    row.response_truncated,
    row.metadata,
    row.arguments,
    row.response,
    row.salt,
  ];
}

export function toRecord(row: ActivityRow, facet: SealedFacet): ActivityRecord {
  const { server_name: server, tool_name: tool } = facet.unlisted ? row : facet;
  const metadata = JSON.parse(row.metadata) as ActivityMetadata;
  const operation = shownOperation(facet);
  return {
    id: row.id,
    type: shownType(facet),
    source: facet.source,
    ...(server !== null && { server_name: server }),
    ...(tool !== null && { tool_name: tool }),
    ...payloadOf(row),
    response_truncated: row.response_truncated === 1,
    status: shownStatus(facet.status),
    ...(row.error_code !== null && { error_code: row.error_code }),
    ...(row.error_message !== null && { error_message: row.error_message }),
    ...(row.duration_ms !== null && { duration_ms: row.duration_ms }),
    timestamp: new Date(row.ts).toISOString(),
    ...(row.session_id !== null && { session_id: row.session_id }),
    request_id: row.request_id,
    ...(row.conversation_id !== null && { conversation_id: row.conversation_id }),
    ...(row.client !== null && { client: row.client }),
    ...whoOf(metadata, facet),
    ...(operation !== null && { operation_type: operation }),
    metadata,
  };
}

function payloadOf({
  arguments: sent,
  response,
}: ActivityRow): Pick<ActivityRecord, 'arguments' | 'response'> {
  return {
    ...(sent !== null && { arguments: parseExact(sent) }),
    ...(response !== null && { response: parseExact(response) }),
  };
}

/** What the metadata says of people, where a reader looks for it. */
function whoOf(
  metadata: ActivityMetadata,
  facet: SealedFacet,
): Pick<ActivityRecord, 'principal' | 'approval_id' | 'decided_by'> {
  const { principal, approval } = metadata as { principal?: unknown; approval?: Record<string, unknown> };
  const { id, decided_by: named } = approval ?? {};
  // Earlier decisions do not repeat who made them.
  const isMade = id !== undefined && facet.status === 'success' && shownType(facet) === 'decision';
  const by = named ?? (isMade ? principal : undefined);
  return {
    ...(typeof principal === 'string' && { principal }),
    ...(typeof id === 'string' && { approval_id: id }),
    ...(typeof by === 'string' && { decided_by: by }),
  };
}
