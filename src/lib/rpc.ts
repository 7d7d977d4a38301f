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
  type LocatedText,
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

/** An error in the words of the protocol, for the other side. */
export class RpcFault extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The largest message of a server. Larger ones are skipped without being kept in memory. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** How deep in a message the text of a caller may be: its params, and the fields of those. */
export const MESSAGE_LEVELS = 2;
/** Results are passed on unchanged, so this is far above what the doors accept, yet safe to serialise again. */
export const MAX_MESSAGE_DEPTH = 512;
/** Far above the limits of the doors: a list of thousands of tools is one message. */
export const MESSAGE_LIMITS: JsonLimits = { depth: MAX_MESSAGE_DEPTH, keys: 500_000, items: 5_000_000 };

/** Why a message was not read. */
export type Unreadable = 'too_large' | 'too_deep' | 'too_wide';
export type Parsed = { messages: RpcMessage[] } | { fault: 'garbage' | Exclude<Unreadable, 'too_large'> };

/** One text from the wire; `isValid`: it was UTF-8. Servers of the 2025-03-26 revision may send several messages as an array. */
export function parseMessages(text: string, isValid = true): Parsed {
  return atOnce(parseMessagesSteps(text, isValid));
}

/** The same in steps, for texts of any length. */
export function* parseMessagesSteps(text: string, isValid: boolean): Steps<Parsed> {
  const { fault, ends } = yield* scanMessages(text);
  if (fault) return { fault };
  yield;
  const value = yield* parseValue(text, ends);
  const messages = Array.isArray(value) ? value : [value];
  if (messages.length === 0 || !messages.every(isMessage)) return { fault: 'garbage' };
  if (!isValid) for (const message of messages) garbled.add(message);
  yield;
  if (!Array.isArray(value)) keepSources(value, { text, ends });
  else for (const [message, own] of withTexts(value, text)) keepSources(message, { text: own });
  // Delivering the messages is a step by itself.
  yield;
  return { messages };
}

type Fault = Exclude<Unreadable, 'too_large'>;

/** Every level needs two characters, so a usual short message needs no scan. */
function* scanMessages(text: string): Steps<{ fault?: Fault; ends?: StringEnds }> {
  if (text.length > LONG_TEXT) {
    const { fault, ends } = yield* scanLong(text, MESSAGE_LIMITS);
    if (fault) return { fault: fault === 'too wide' ? 'too_wide' : 'too_deep' };
    return { ends };
  }
  const isTooDeep = text.length > 2 * MAX_MESSAGE_DEPTH && textExceedsDepth(text, MAX_MESSAGE_DEPTH);
  return isTooDeep ? { fault: 'too_deep' } : {};
}

/** Undefined: no JSON object or array. */
function* parseValue(text: string, ends: StringEnds | undefined): Steps<unknown> {
  // Servers that log to stdout send many lines that are not JSON; an exception for each would be slow.
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return ends ? yield* parseLong(text, ends) : JSON.parse(text);
  } catch {
    // The caller reports it as garbage.
    return undefined;
  }
}

/** Messages that were not valid UTF-8, so their text differs from what was sent. */
const garbled = new WeakSet<RpcMessage>();

export function isGarbled(message: RpcMessage): boolean {
  return garbled.has(message);
}

/** An answer is passed on to the caller exactly as it was written. */
function keepSources(message: unknown, source: LocatedText): void {
  keepSourceAt(message, source, ['result']);
  keepSourceAt(message, source, ['error']);
}

function isMessage(value: unknown): value is RpcMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0') return false;
  return typeof value.method === 'string' || 'result' in value || 'error' in value;
}

const ID_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/;
const ID_LAST = /"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** The request that an unreadable message answers: serialisers put the id first or last. */
export function answerId(head: string, tail: string): number | undefined {
  const id = ID_FIRST.exec(head)?.[1] ?? ID_LAST.exec(tail)?.[1];
  return id === undefined ? undefined : Number(id);
}
