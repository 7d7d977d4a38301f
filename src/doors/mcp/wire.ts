import type { ErrorCode } from '../../contract/errors.ts';
import {
  DOOR_LIMITS,
  MAX_JSON_DEPTH,
  atOnce,
  isObject,
  jsonText,
  keepSourceAt,
  readJsonSteps,
  tooWideText,
  withTexts,
  type JsonFault,
  type JsonObject,
  type Steps,
  type LocatedText,
} from '../../json/index.ts';
import { visibleLine } from '../../lib/visible-text.ts';

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

/** What we send: a response, a notification, or a request to a 2025 client. */
export type Outgoing =
  | { jsonrpc: '2.0'; id: RequestId; result: JsonObject }
  | { jsonrpc: '2.0'; id: RequestId | null; error: { code: number; message: string; data?: unknown } }
  | { jsonrpc: '2.0'; method: string; id?: RequestId; params?: JsonObject };

export const MODERN_REVISIONS: readonly string[] = ['2026-07-28'];
/** Newest first: a client that asks for an unknown revision is offered the first. */
export const LEGACY_REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];
export const PROTOCOL_REVISIONS: readonly string[] = [...MODERN_REVISIONS, ...LEGACY_REVISIONS];
/** The only revision with batches: several messages in one array. */
export const BATCH_REVISION = '2025-03-26';
/** The 2025 revision whose streams begin with an event without a message, which says where the client is. */
export const PRIMED_REVISION = '2025-11-25';

/** Keys of `_meta` in revision 2026-07-28. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  logLevel: 'io.modelcontextprotocol/logLevel',
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
  /** HTTP status. An error within a well-formed exchange is 200. */
  status?: number;
  /** Set where the message never became a call with a record: it is recorded as a bad request with this code. */
  record?: ErrorCode;
}

/** Becomes a JSON-RPC error for the client program. What the model should read is a result with isError instead. */
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

/** Ids and progress tokens are kept in memory and sent back, so they are bounded. */
export const MAX_ID_LENGTH = 1024;

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' ? value.length <= MAX_ID_LENGTH : Number.isSafeInteger(value);
}

export function metaOf(params: JsonObject | undefined): JsonObject | undefined {
  const meta = params?._meta;
  return isObject(meta) ? meta : undefined;
}

/** How deep in a message the result of a server is found, which is sent as it was written; one level more in a batch. */
const RESULT_LEVEL = 1;

export function messageText(message: Outgoing | Outgoing[]): string {
  return jsonText(message, Array.isArray(message) ? RESULT_LEVEL + 1 : RESULT_LEVEL);
}

export function resultMessage(id: RequestId, result: JsonObject): Outgoing {
  return { jsonrpc: '2.0', id, result };
}

export function errorMessage(id: RequestId | null, { code, message, data }: RpcError): Outgoing {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}

export type Shape = 'request' | 'notification' | 'response';

/** `isValid`: the bytes were UTF-8. Otherwise decoding has replaced some, and the tool would get something other than was sent. */
export function parseText(text: string, isValid = true): unknown {
  return atOnce(parseSteps(text, isValid));
}

/** The same in steps, so that a long text shares the event loop with others. */
export function* parseSteps(text: string, isValid: boolean): Steps<unknown> {
  if (!isValid) throw unreadable('the message is not valid UTF-8');
  const read = yield* readJsonSteps(text);
  if (!('value' in read)) throw jsonError(read, text);
  yield;
  if (!Array.isArray(read.value)) keepSources(read.value, { text, ends: read.ends });
  else for (const [message, own] of withTexts(read.value, text)) keepSources(message, { text: own });
  return read.value;
}

function jsonError(read: JsonFault, text: string): RpcError {
  switch (read.fault) {
    case 'too deep':
      return new RpcError(
        CODE.invalidRequest,
        `Invalid Request: the JSON is nested deeper than ${MAX_JSON_DEPTH} levels`,
        { data: { limit: MAX_JSON_DEPTH }, status: 400, record: 'TOO_DEEP' },
      );
    case 'too wide':
      return new RpcError(CODE.invalidRequest, `Invalid Request: the message ${tooWideText(DOOR_LIMITS)}`, {
        data: { ...DOOR_LIMITS },
        status: 413,
        record: 'PAYLOAD_TOO_LARGE',
      });
    case 'repeated key':
      return malformed(`an object has the key "${visibleLine(read.key.slice(0, 100))}" twice`);
    case 'invalid':
    default:
      return unreadable(text.trim() === '' ? 'the message is empty' : 'the message is not valid JSON');
  }
}

/** The budget for long bodies is used up. Rejections are counted together, so this one has no record. */
export function tooManyLongMessages(): RpcError {
  const message = 'Too many long messages are waiting to be read: retry in 1 second';
  return new RpcError(CODE.server, message, { data: { retry_after_s: 1 }, status: 429 });
}

/** Arguments and input responses are forwarded to the server exactly as they were written. */
function keepSources(message: unknown, source: LocatedText): void {
  if (isDirectCall(message)) keepSourceAt(message, source, ['params', 'arguments']);
  keepSourceAt(message, source, ['params', 'arguments', 'args']);
  keepSourceAt(message, source, ['params', 'arguments', 'args_json']);
  keepSourceAt(message, source, ['params', 'inputResponses']);
}

/** Whether the arguments are those of the tool itself; of a `call_tool_*` they are one of its parameters. */
function isDirectCall(message: unknown): boolean {
  if (!isObject(message) || !isObject(message.params)) return false;
  const { name } = message.params;
  return typeof name === 'string' && name.includes('__');
}

/** Throws where the message is not valid JSON-RPC. */
export function shapeOf(value: unknown): Shape {
  if (!isObject(value)) throw malformed('a message must be a JSON object');
  if (value.jsonrpc !== '2.0') throw malformed('"jsonrpc" must be "2.0"');
  if (value.method === undefined) {
    if ('result' in value || 'error' in value) return 'response';
    throw malformed('"method" is missing');
  }
  if (typeof value.method !== 'string') throw malformed('"method" must be a string');
  if (value.params !== undefined && !isObject(value.params)) throw malformed('"params" must be an object');
  if (!('id' in value)) return 'notification';
  if (!isRequestId(value.id))
    throw malformed(`"id" must be a string of up to ${MAX_ID_LENGTH} characters, or an integer`);
  return 'request';
}

/** The id for an error response, even where the rest of the message is wrong. */
export function readableId(value: unknown): RequestId | null {
  return isObject(value) && value.method !== undefined && isRequestId(value.id) ? value.id : null;
}

export function malformed(problem: string, status = 400): RpcError {
  return new RpcError(CODE.invalidRequest, `Invalid Request: ${problem}`, {
    status,
    record: 'INVALID_REQUEST',
  });
}

function unreadable(problem: string): RpcError {
  return new RpcError(CODE.parse, `Parse error: ${problem}`, { status: 400, record: 'INVALID_JSON' });
}
