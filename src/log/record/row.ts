import type {
  CallOperations,
  ActivityMetadata,
  ActivityRecord,
  ActivitySource,
  ActivityStatus,
  ActivityType,
} from '../../contract/activity.ts';
import { operationOf, OperationType } from '../../contract/operation.ts';
import type { ActivityTable } from '../../db/index.ts';
import { parseExact } from '../../json/index.ts';

/** A record as stored in the table. The values of its facet are not repeated in it. */
export type ActivityRow = ActivityTable;

/**
 * A call that waits for approval is answered with "pending", and its record has that status too. But that record is closed, and must not
 * be confused with one whose outcome was lost in a crash. So it is stored as "held", which is never shown outside of the log.
 */
export type StoredStatus = ActivityStatus | 'held';

/** The stored status of a record that is being closed. */
export const storedStatus = (status: ActivityStatus): StoredStatus =>
  status === 'pending' ? 'held' : status;

export const shownStatus = (status: StoredStatus): ActivityStatus => (status === 'held' ? 'pending' : status);

/** A combination of values that records share. Filters are evaluated per facet, and counts are kept per facet. */
export interface FacetKey {
  type: ActivityType;
  source: ActivitySource;
  status: StoredStatus;
  operation_type: OperationType | null;
  server_name: string | null;
  tool_name: string | null;
  /** Operations that the variant or the verdict on the tool gives a call besides, with commas; null where they agree. */
  other_operations?: string | null;
}

export type SealedFacet = Pick<
  FacetKey,
  'type' | 'source' | 'status' | 'operation_type' | 'server_name' | 'tool_name' | 'other_operations'
> & { unlisted: boolean };

type Kind = Pick<
  SealedFacet,
  'type' | 'source' | 'operation_type' | 'server_name' | 'tool_name' | 'unlisted'
>;

/**
 * A decision is not the call that it is about. Earlier versions stored a person's decision about a call as type `approval` with the operation of that
 * call, so an approval looked like a successful destructive call. Stored records never change: such records are read as
 * decisions. Records about approvals now have no operation.
 */
const isEarlierDecision = ({ type, source, operation_type: operation }: Kind) =>
  type === 'approval' && operation !== null && source !== 'system';

/** Earlier versions stored decisions of the task assistant about a message with the type of people's decisions; those name a tool. */
const isEarlierAssistant = ({ type, server_name: server, tool_name: tool, unlisted }: Kind) =>
  type === 'decision' && !unlisted && server === null && tool === null;

export function shownType(kind: Kind): ActivityType {
  if (isEarlierDecision(kind)) return 'decision';
  return isEarlierAssistant(kind) ? 'assistant_decision' : kind.type;
}

export const shownOperation = (kind: Pick<Kind, 'type' | 'operation_type'>): OperationType | null =>
  hasOperation(kind.type) ? kind.operation_type : null;

const WITHOUT_OPERATION: readonly ActivityType[] = ['approval', 'decision', 'assistant_decision'];

/** Approvals and decisions are about a call, which has its own record. */
export const hasOperation = (type: ActivityType): boolean => !WITHOUT_OPERATION.includes(type);

/** A person's decision about a call. */
export const isApprovalDecision = (facet: Kind): boolean => shownType(facet) === 'decision';

/** The same as SQL for a facet `f`. `value` is the parameter of the type. */
const EARLIER_DECISION = `(f.type = 'approval' AND f.operation_type IS NOT NULL AND f.source <> 'system')`;
const EARLIER_ASSISTANT = `(f.type = 'decision' AND f.unlisted = 0 AND f.server_name IS NULL AND f.tool_name IS NULL)`;

export function typeCondition(type: ActivityType, value: string): string {
  if (type === 'decision') return `((f.type = ${value} AND NOT ${EARLIER_ASSISTANT}) OR ${EARLIER_DECISION})`;
  if (type === 'assistant_decision') return `(f.type = ${value} OR ${EARLIER_ASSISTANT})`;
  return type === 'approval' ? `(f.type = ${value} AND NOT ${EARLIER_DECISION})` : `f.type = ${value}`;
}

/** The operation of a call by each of its sources. */
export function operationsOf({ intent, tool_variant: variant, operation }: ActivityMetadata): CallOperations {
  const verdict = OperationType.safeParse(operation?.verdict).data;
  return {
    ...(intent?.operation_type && { declared: intent.operation_type }),
    ...(variant && { variant: operationOf(variant) }),
    ...(verdict && { verdict }),
  };
}

/** The operations of a call besides the given one, in alphabetical order with commas; null where its sources agree. Runs for every call. */
export function otherOperations(
  { type, operation_type: operation }: Pick<FacetKey, 'type' | 'operation_type'>,
  { tool_variant: variant, operation: { verdict } = {} }: ActivityMetadata,
): string | null {
  if (type !== 'tool_call' || operation === null) return null;
  const called = variant && operationOf(variant);
  if (called === operation && (verdict === operation || typeof verdict !== 'string')) return null;
  const others = ALPHABETICAL.filter((each) => each !== operation && (each === called || each === verdict));
  return others.length === 0 ? null : others.join();
}

const ALPHABETICAL: readonly OperationType[] = ['destructive', 'read', 'write'];

export type OperationFacet = Pick<FacetKey, 'type' | 'operation_type' | 'other_operations'>;

/** Whether a call has this operation by what was declared, by its variant, or by the verdict on the tool. */
export function hasOperationBySource(facet: OperationFacet, wanted: OperationType): boolean {
  return shownOperation(facet) === wanted || (facet.other_operations?.includes(wanted) ?? false);
}

export function operationsShown(facet: OperationFacet): string[] {
  const [own, others] = [shownOperation(facet), facet.other_operations?.split(',') ?? []];
  return own === null ? others : [own, ...others];
}

export const operationCondition = (value: string): string =>
  `((f.operation_type = ${value} OR ${value} = ANY (string_to_array(f.other_operations, ','))) AND f.type NOT IN (${WITHOUT_OPERATION.map((type) => `'${type}'`).join()}))`;

/** Reading rows as arrays takes half the time of reading objects. */
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

/** Reads a row after the four columns of the entry. A wrong type in a damaged file is detected by the digest. */
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

const PREFIX = '{"principal":"';

/** The credential of a record. It is the first field of the metadata, so the rest is usually not parsed. */
export function principalOf(metadata: string): string | null {
  const end = metadata.startsWith(PREFIX) ? metadata.indexOf('"', PREFIX.length) : -1;
  const text = metadata.slice(PREFIX.length, end);
  if (end >= 0 && !text.includes('\\')) return text;
  if (!metadata.includes('"principal"')) return null;
  const { principal } = JSON.parse(metadata) as { principal?: unknown };
  return typeof principal === 'string' ? principal : null;
}

/** In the order of the table's columns. */
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
    // Earlier versions stored fractions; the chain covers the stored value, so it stays.
    ...(row.duration_ms !== null && { duration_ms: Math.round(row.duration_ms) }),
    timestamp: new Date(row.ts).toISOString(),
    ...(row.session_id !== null && { session_id: row.session_id }),
    request_id: row.request_id,
    ...(row.conversation_id !== null && { conversation_id: row.conversation_id }),
    ...(row.client !== null && { client: row.client }),
    ...whoOf(metadata, facet),
    ...(operation !== null && { operation_type: operation }),
    ...(facet.type === 'tool_call' && { operations: operationsOf(metadata) }),
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

type Who = Pick<ActivityRecord, 'principal' | 'approval_id' | 'decided_by' | 'client_address'>;

interface WhoMetadata {
  principal?: unknown;
  approval?: Record<string, unknown>;
  client_address?: unknown;
  remote?: unknown;
}

/** The caller and the person who decided, from the metadata. */
export function whoOf(metadata: ActivityMetadata, facet: SealedFacet): Who {
  // Earlier versions stored the address of a rejected request as `remote`.
  const { principal, approval, remote, client_address: address = remote } = metadata as WhoMetadata;
  // A grant lets calls pass that its maker has approved beforehand.
  const { id, granted_by: granter, decided_by: named = granter } = approval ?? {};
  // Decisions of earlier versions name the person only as principal.
  const isMade = id !== undefined && facet.status === 'success' && shownType(facet) === 'decision';
  const by = named ?? (isMade ? principal : undefined);
  return {
    ...(typeof principal === 'string' && { principal }),
    ...(typeof id === 'string' && { approval_id: id }),
    ...(typeof by === 'string' && { decided_by: by }),
    ...(typeof address === 'string' && { client_address: address }),
  };
}
