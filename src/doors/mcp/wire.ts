import type { ErrorCode } from '../../contract/errors.ts';
import { isObject, jsonText, type JsonObject } from '../../json/index.ts';

export type RequestId = string | number;

/** What a client sent, once its shape was checked. */
export interface Message {
  jsonrpc: '2.0';
  id?: RequestId;
  method: string;
  params?: JsonObject;
}

export interface Request extends Message {
  id: RequestId;
}

/** What we send: an answer, a notification, or a question to a 2025 client. */
export type Outgoing =
  | { jsonrpc: '2.0'; id: RequestId; result: JsonObject }
  | { jsonrpc: '2.0'; id: RequestId | null; error: { code: number; message: string; data?: unknown } }
  | { jsonrpc: '2.0'; method: string; id?: RequestId; params?: JsonObject };

export const MODERN_REVISIONS: readonly string[] = ['2026-07-28'];
/** Newest first: the first one answers a client that asks for a revision we do not know. */
export const LEGACY_REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];
export const PROTOCOL_REVISIONS: readonly string[] = [...MODERN_REVISIONS, ...LEGACY_REVISIONS];
/** The only revision in which several messages may come as one array. */
export const BATCH_REVISION = '2025-03-26';

/** Keys of `_meta` in revision 2026-07-28. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

export const CODE = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
  sessionNotFound: -32001,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

interface RpcErrorOptions {
  data?: unknown;
  /** HTTP status, where there is HTTP. An error within a well-formed exchange is 200. */
  status?: number;
  /** Set when the message never became a request that the road could record: then it is recorded as a bad one. */
  record?: ErrorCode;
}

/** Becomes a JSON-RPC error, which the client program reads. What the model should read is a result with isError instead. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  readonly status: number;
  readonly record: ErrorCode | undefined;

  constructor(code: number, message: string, { data, status = 200, record }: RpcErrorOptions = {}) {
    super(message);
    this.code = code;
    this.data = data;
    this.status = status;
    this.record = record;
  }
}

/** Ids and tokens are kept, and said again with whatever belongs to them. */
export const MAX_ID_LENGTH = 1024;

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' ? value.length <= MAX_ID_LENGTH : Number.isSafeInteger(value);
}

export function metaOf(params: JsonObject | undefined): JsonObject | undefined {
  const meta = params?._meta;
  return isObject(meta) ? meta : undefined;
}

/** Where in an answer the result of a server may stand: in the answer, or in one of a batch. */
const ANSWER_LEVELS = 1;

export function messageText(message: Outgoing | Outgoing[]): string {
  return jsonText(message, Array.isArray(message) ? ANSWER_LEVELS + 1 : ANSWER_LEVELS);
}

export function resultMessage(id: RequestId, result: JsonObject): Outgoing {
  return { jsonrpc: '2.0', id, result };
}

export function errorMessage(id: RequestId | null, { code, message, data }: RpcError): Outgoing {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}
