import {
  DOOR_LIMITS,
  MAX_JSON_DEPTH,
  atOnce,
  isObject,
  keepSourceAt,
  readJsonSteps,
  tooWideText,
  withTexts,
  type JsonFault,
  type Steps,
  type StringEnds,
} from '../../json/index.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { CODE, isRequestId, MAX_ID_LENGTH, RpcError, type RequestId } from './wire.ts';

export type Shape = 'request' | 'notification' | 'response';

/** `isValid`: it was UTF-8. Decoding has replaced what was not, and the tool would get something else than was sent. */
export function parseText(text: string, isValid = true): unknown {
  return atOnce(parseSteps(text, isValid));
}

/** The same for texts of any length, to be read in turn with others. */
export function* parseSteps(text: string, isValid: boolean): Steps<unknown> {
  if (!isValid) throw unreadable('the message is not valid UTF-8');
  const read = yield* readJsonSteps(text);
  if (!('value' in read)) throw faulty(read, text);
  yield;
  if (!Array.isArray(read.value)) keepSources(read.value, text, read.ends);
  else for (const [message, own] of withTexts(read.value, text)) keepSources(message, own);
  return read.value;
}

function faulty(read: JsonFault, text: string): RpcError {
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

/** So much waits to be read that there is no room for more. Whoever says so has counted it: it needs no record of its own. */
export function tooMuch(): RpcError {
  const message = 'Too many long messages wait to be read: send it again in a second';
  return new RpcError(CODE.server, message, { data: { retry_after_s: 1 }, status: 429 });
}

/** What is passed on to a server goes on as it was written. */
function keepSources(message: unknown, text: string, ends?: StringEnds): void {
  keepSourceAt(message, text, ['params', 'arguments', 'args'], ends);
  keepSourceAt(message, text, ['params', 'arguments', 'args_json'], ends);
  keepSourceAt(message, text, ['params', 'inputResponses'], ends);
}

/** Throws what is wrong with a message that is no JSON-RPC. */
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

/** The id to put on an error, even where the rest of the message is wrong. */
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
