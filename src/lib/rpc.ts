import {
  LONG_TEXT,
  atOnce,
  isObject,
  keepSourceAt,
  parseLong,
  scanLong,
  textExceedsDepth,
  withTexts,
  type JsonLimits,
  type JsonObject,
  type Steps,
  type StringEnds,
} from '../json/index.ts';

export interface RpcMessage {
  jsonrpc: '2.0';
  id?: string | number | null;
  method?: string;
  params?: JsonObject;
  result?: unknown;
  error?: unknown;
}

/** One message of a server. Larger ones are skipped without being kept in memory. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Where in a message what a caller wrote may stand: its params, and the fields of those. */
export const MESSAGE_LEVELS = 2;
/** Results are passed on untouched, so this is far above what the doors accept, yet safe to serialise again. */
export const MAX_MESSAGE_DEPTH = 512;
/** Far above as well: a list of thousands of tools is one message. */
export const MESSAGE_LIMITS: JsonLimits = { depth: MAX_MESSAGE_DEPTH, keys: 500_000, items: 5_000_000 };

/** Why a message was not read. */
export type Unreadable = 'too_large' | 'too_deep' | 'too_wide';
export type Parsed = { messages: RpcMessage[] } | { fault: 'garbage' | Exclude<Unreadable, 'too_large'> };

/** One text from the wire; `isValid`: it was UTF-8. Servers of the 2025-03-26 revision may send several messages as an array. */
export function parseMessages(text: string, isValid = true): Parsed {
  return atOnce(parseMessagesSteps(text, isValid));
}

/** The same for texts of any length, to be read in turn with others. */
export function* parseMessagesSteps(text: string, isValid: boolean): Steps<Parsed> {
  // Every level needs two characters, so that the usual short message skips the scan.
  const isLong = text.length > LONG_TEXT;
  const { fault, ends } = isLong ? yield* scanLong(text, MESSAGE_LIMITS) : {};
  if (fault === 'too wide') return { fault: 'too_wide' };
  if (fault || (!isLong && text.length > 2 * MAX_MESSAGE_DEPTH && textExceedsDepth(text, MAX_MESSAGE_DEPTH)))
    return { fault: 'too_deep' };
  yield;
  // Servers that log to the wrong place send many lines that are none; an exception for each would hold up everybody.
  if (!/^\s*[[{]/.test(text)) return { fault: 'garbage' };
  let value: unknown;
  try {
    value = ends ? yield* parseLong(text, ends) : JSON.parse(text);
  } catch {
    return { fault: 'garbage' };
  }
  const messages = Array.isArray(value) ? value : [value];
  if (messages.length === 0 || !messages.every(isMessage)) return { fault: 'garbage' };
  if (!isValid) for (const message of messages) garbled.add(message);
  yield;
  if (!Array.isArray(value)) keepSources(value, text, ends);
  else for (const [message, own] of withTexts(value, text)) keepSources(message, own);
  // What an answer sets off is a step of its own.
  yield;
  return { messages };
}

/** Messages that were not UTF-8: what has become of them is not what was sent. */
const garbled = new WeakSet<RpcMessage>();

export function isGarbled(message: RpcMessage): boolean {
  return garbled.has(message);
}

/** An answer goes on to the caller as it was written. */
function keepSources(message: unknown, text: string, ends?: StringEnds): void {
  keepSourceAt(message, text, ['result'], ends);
  keepSourceAt(message, text, ['error'], ends);
}

function isMessage(value: unknown): value is RpcMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0') return false;
  return typeof value.method === 'string' || 'result' in value || 'error' in value;
}

const ID_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/;
const ID_LAST = /"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** Whose answer an unreadable message was meant to be: serialisers put the id first or last. */
export function answerId(head: string, tail: string): number | undefined {
  const id = ID_FIRST.exec(head)?.[1] ?? ID_LAST.exec(tail)?.[1];
  return id === undefined ? undefined : Number(id);
}
