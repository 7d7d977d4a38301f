import { isItemRequest, type ActivityMetadata } from '../../contract/activity.ts';
import type { Config } from '../../contract/config.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { GroupCommit } from '../../db/index.ts';
import { MAX_JSON_DEPTH, merge, parseExact, textExceedsDepth } from '../../json/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { newSalt } from '../chain/hash-chain.ts';
import type { Facet } from '../counts/facets.ts';
import { maskText, type Marker } from '../mask/mask-text.ts';
import type { OpenRecord, Outcome, RecordDraft } from './record.ts';
import {
  type ActivityRow,
  type FacetKey,
  type SealedFacet,
  hasOperation,
  otherOperations,
  storedStatus,
} from './row.ts';
import { type Sequence, idOfSeq } from './sequence.ts';
import { type StoredJson, toJson } from './to-json.ts';

/** Arguments that arrived as text are parsed for the log up to this length. */
const MAX_READ_AGAIN = 1_048_576;
const MAX_METADATA = 262_144;
const MAX_MESSAGE = 4000;
const MAX_LABEL = 256;

/** The facet of a row, in the form that both databases share. */
export type StoredFacet = SealedFacet & { id: number };

/** A record opened by this process, and how much of it is on disk. */
export interface Entry<F extends StoredFacet = Facet> {
  readonly row: ActivityRow;
  readonly key: FacetKey;
  metadata: ActivityMetadata;
  readonly startedAt: number;
  readonly marker: Marker;
  /** Parts that were masked, without those in the metadata. */
  masked: number;
  /** The kinds of secrets in the arguments and in the response, in order. */
  secretsSent: readonly string[];
  secretsReceived: readonly string[];
  /** Something of the arguments was left out. */
  argumentsTruncated: boolean;
  closed: boolean;
  /** Waiting in the queue of the group commit. */
  queued: boolean;
  /** The facet of the committed row; null before the first commit. */
  onDisk: F | null;
  /** A commit failed: the next attempt first looks whether the record is on disk. */
  uncertain: boolean;
  /** The database may have lost what it had acknowledged of the record. */
  wentBack: boolean;
  /** Bytes that the meter has counted so far. */
  metered: number;
  readonly meter: LogMeter | undefined;
}

/** Counts what is written to the log. `client`: the id of the token or the principal that caused it. */
export type LogMeter = (client: string, bytes: number) => void;

/** Fields for a log line about this record. */
export const logFields = ({ row }: Pick<Entry, 'row'>) => ({ id: row.id, request_id: row.request_id });

export interface OpenEntryParts {
  sequence: Sequence;
  clock: Clock;
  settings: () => Config['activity'];
  marker: Marker;
  meter?: LogMeter | undefined;
  /** The version of the configuration by which the proxy decides, for every record. */
  policyVersion?: (() => string) | undefined;
}

/** Copies, masks and truncates the draft. The values of the draft are only read. */
export function openEntry<F extends StoredFacet = Facet>(
  draft: RecordDraft,
  { sequence, clock, settings, marker, meter, policyVersion }: OpenEntryParts,
): Entry<F> {
  const now = clock.now();
  const seq = sequence.next(now);
  const { type, source, operation_type = null, server_name = null, tool_name = null } = draft;
  const before = marker.count();
  marker.kinds.clear();
  const sent = toJson(parsed(draft.arguments), settings().max_arguments_bytes, marker);
  const secretsSent = kindsSince(marker, before);
  const entry: Entry<F> = {
    key: {
      type,
      source,
      status: 'pending',
      // Approvals and decisions have no operation.
      operation_type: hasOperation(type) ? operation_type : null,
      server_name: label(server_name, marker, 2 * MAX_LABEL),
      tool_name: label(tool_name, marker, 2 * MAX_LABEL),
      other_operations: otherOperations({ type, operation_type }, draft.metadata),
    },
    metadata: policyVersion ? merge(draft.metadata, { policy_version: policyVersion() }) : draft.metadata,
    startedAt: performance.now(),
    marker,
    masked: 0,
    secretsSent,
    secretsReceived: NO_KINDS,
    argumentsTruncated: sent?.truncated ?? false,
    closed: false,
    queued: false,
    onDisk: null,
    uncertain: false,
    wentBack: false,
    metered: 0,
    meter,
    row: {
      seq,
      facet_id: 0,
      ts: now,
      id: idOfSeq(seq),
      request_id: label(draft.request_id, marker)!,
      session_id: label(draft.session_id, marker),
      conversation_id: label(draft.conversation_id, marker),
      client: label(draft.client, marker),
      server_name: null,
      tool_name: null,
      duration_ms: null,
      error_code: null,
      error_message: null,
      response_truncated: 0,
      metadata: '',
      arguments: sent?.text ?? null,
      response: null,
      salt: newSalt(),
    },
  };
  entry.masked = marker.count() - before;
  return entry;
}

export function closeEntry(entry: Entry<StoredFacet>, outcome: Outcome, maxResponseBytes: number): void {
  const { row, key, marker } = entry;
  const before = marker.count();
  entry.closed = true;
  key.status = storedStatus(outcome.status);
  row.duration_ms = Math.round(performance.now() - entry.startedAt);
  row.error_code = label(outcome.error_code, marker);
  row.error_message = label(outcome.error_message, marker, MAX_MESSAGE);
  if (outcome.metadata) entry.metadata = merge(entry.metadata, outcome.metadata);
  key.other_operations = otherOperations(key, entry.metadata);
  if (outcome.response !== undefined) {
    const unmarked = marker.count();
    marker.kinds.clear();
    const response = toJson(outcome.response, maxResponseBytes, marker);
    entry.secretsReceived = kindsSince(marker, unmarked);
    row.response = response?.text ?? null;
    row.response_truncated = response === null || response.truncated ? 1 : 0;
  }
  entry.masked += marker.count() - before;
}

const NO_KINDS: readonly string[] = [];
const MAX_KINDS = 20;

/** The kinds of secrets that were marked since `before`. */
function kindsSince(marker: Marker, before: number): readonly string[] {
  if (marker.count() === before) return NO_KINDS;
  return [...marker.kinds].sort().slice(0, MAX_KINDS);
}

/** Completes the row before it is written. A call that is opened and closed before its first commit needs this once. */
export function fillRow(entry: Entry<StoredFacet>, facet: StoredFacet): void {
  const { row, key } = entry;
  row.facet_id = facet.id;
  row.server_name = facet.unlisted ? key.server_name : null;
  row.tool_name = facet.unlisted ? key.tool_name : null;
  row.metadata = metadataText(entry);
  if (entry.meter) count(entry, entry.meter);
}

/** What a record takes beside its texts: its row and entries, and its places in the indexes. */
const FIXED_BYTES = 900;

function count(entry: Entry<StoredFacet>, meter: LogMeter): void {
  const { row, metadata } = entry;
  const bytes =
    FIXED_BYTES + row.metadata.length + (row.arguments?.length ?? 0) + (row.response?.length ?? 0);
  const { token_id: token, principal } = metadata;
  const client = typeof token === 'string' ? token : typeof principal === 'string' ? principal : '';
  meter(client, bytes - entry.metered);
  entry.metered = bytes;
}

const PRINCIPAL = /^[a-z]+(:[A-Za-z0-9_.-]{1,64})?$/;

/** The principal is not masked, even if it looks like a secret: "token:cursor" is the name of a token. */
function metadataText(entry: Entry<StoredFacet>): string {
  const {
    metadata: { principal, ...rest },
    marker,
    masked,
  } = entry;
  const before = marker.count();
  const isName = typeof principal === 'string' && PRINCIPAL.test(principal);
  const written = toJson(isName ? rest : { principal, ...rest }, MAX_METADATA, marker);
  const others =
    written === null || isCutOff(written.text) ? cutMetadata(rest, written, marker) : written.text;
  const count = masked + marker.count() - before;
  // No character of such a name needs an escape.
  let text = isName ? `{"principal":"${principal}"` : '{';
  text = withFields(text, others.slice(1, -1));
  if (count > 0) text = withFields(text, `"masked":${count}${kindFields(entry)}`);
  // A caller can send what looks like truncated arguments.
  if (entry.argumentsTruncated) text = withFields(text, '"arguments_truncated":true');
  return `${text}}`;
}

/** Kinds are words of the proxy, so no character of them needs an escape. */
function kindFields({ secretsSent: sent, secretsReceived: received }: Entry<StoredFacet>): string {
  const listed = (kinds: readonly string[]) => kinds.map((kind) => `"${kind}"`).join();
  return (
    (sent.length > 0 ? `,"secrets_sent":[${listed(sent)}]` : '') +
    (received.length > 0 ? `,"secrets_received":[${listed(received)}]` : '')
  );
}

const withFields = (text: string, fields: string) =>
  fields === '' ? text : `${text}${text === '{' ? '' : ','}${fields}`;

const isCutOff = (text: string) => text.startsWith('{"truncated":true,');

/** Who did what stays readable in metadata that is too long; the rest is kept as the beginning of its text. */
function cutMetadata(metadata: ActivityMetadata, cut: StoredJson | null, marker: Marker): string {
  const deciding = DECIDING.filter((name) => name in metadata).map((name) => [name, metadata[name]] as const);
  const kept = toJson(Object.fromEntries(deciding), MAX_METADATA, marker)?.text ?? '{}';
  return cut ? `${kept.slice(0, -1)}${deciding.length > 0 ? ',' : ''}${cut.text.slice(1)}` : kept;
}

const DECIDING = [
  'tool_variant',
  'intent',
  'operation',
  'approval',
  'token_id',
  'client_address',
  'user_id',
  'action',
];

const NAMES_LOOKED_UP = new Set<ErrorCode>(['SERVER_MISMATCH', 'TOOL_DISABLED']);

/** Whether the catalog has confirmed the names, according to the outcome. URIs of resources are as many as a caller likes. */
export function areNamesKnown({ key, row }: Entry<StoredFacet>): boolean {
  if (key.type !== 'tool_call' && isItemRequest(key)) return false;
  return key.status !== 'refused' || NAMES_LOOKED_UP.has(row.error_code as ErrorCode);
}

/** Parses arguments that arrived as JSON text, so that their keys can be masked by name. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MAX_READ_AGAIN || !/^\s*[{[]/.test(value)) return value;
  if (textExceedsDepth(value, MAX_JSON_DEPTH)) return value;
  try {
    return parseExact(value);
  } catch {
    return value;
  }
}

/** An id as the proxy makes them: of this length and these characters, no token is recognised. */
const OWN_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Names come from callers, so a secret in the wrong field is masked too. */
function label(text: string | null | undefined, marker: Marker, max = MAX_LABEL): string | null {
  if (text === undefined || text === null) return null;
  if (OWN_ID.test(text)) return text;
  return toStorableText(maskText(text, marker, max));
}

/** Removes NUL and lone surrogates, which databases do not return unchanged. The digest covers the stored text. */
export function toStorableText(text: string): string {
  if (!/[\0\ud800-\udfff]/.test(text)) return text;
  return Buffer.from(text.replaceAll('\0', '\ufffd')).toString();
}

/** The queue of the group commit. Each writes the entry in its state at commit time. */
export interface EntryQueue<Op, F extends StoredFacet = Facet> {
  opOf(entry: Entry<F>): Op;
  readonly writes: Pick<GroupCommit<Op>, 'add' | 'defer' | 'hasten'>;
}

/**
 * The record of a call that ends within milliseconds is written once, when it is closed; that of a longer call is on its way to the disk
 * after ten milliseconds, and that of a change before the change.
 */
export function openRecord<Op, F extends StoredFacet>(
  entry: Entry<F>,
  { queue, settings }: { queue: EntryQueue<Op, F>; settings: () => Config['activity'] },
): OpenRecord {
  const { writes } = queue;
  const op = queue.opOf(entry);
  entry.queued = true;
  const opened = writes.defer(op);
  let saved: Promise<void> | undefined;

  /** Opening and closing become one insert where the record is still in the queue. Where the first attempt failed, this is the second. */
  function save(): Promise<void> {
    if (entry.queued) return (saved ??= writes.hasten(opened));
    entry.queued = true;
    return (saved = writes.add(op));
  }

  return {
    id: entry.row.id,
    durable: () => (entry.onDisk ? Promise.resolve() : save()),
    close(outcome) {
      if (entry.closed) return saved!;
      closeEntry(entry, outcome, settings().max_response_bytes);
      return save();
    },
  };
}
