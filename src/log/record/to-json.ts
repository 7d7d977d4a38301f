import { ExactNumber, exactJson, exactPrefix } from '../../json/index.ts';
import { secretKindOfKey } from '../mask/mask-key.ts';
import { maskText, masked } from '../mask/mask-text.ts';
import { mayHoldSecret } from '../mask/secret-trigger.ts';

export interface StoredJson {
  text: string;
  /** Something was left out: too long, too deep, or binary. */
  truncated: boolean;
}

const MAX_DEPTH = 100;
const MAX_NODES = 200_000;
const BLOB_LENGTH = 4096;
/** A secret that begins before the cut is recognised when this much behind the cut is looked at too. */
const SLACK = 8192;
/** A longer key is cut. */
export const MAX_KEY = SLACK;
/** A value that is kept with its numbers as they were written is read again from its text: so much more than there is room for. */
const READ_AGAIN = 2 * SLACK;

/**
 * JSON text of a value for the log: secrets masked, at most `maxBytes` long, never more work than that needs. The value itself is only
 * read. Ordinary small values go through JSON.stringify; the rest is written piece by piece.
 */
export function toJson(value: unknown, maxBytes: number): StoredJson | null {
  const { value: exact, whole } = exactPrefix(value, maxBytes + READ_AGAIN);
  const look = { room: maxBytes, nodes: MAX_NODES };
  if (whole && isPlain(exact, 0, look)) {
    const text = exactJson(exact);
    if (text === undefined) return null;
    if (!mayHoldSecret(text) && fits(text, maxBytes)) return { text, truncated: false };
  }
  return writeMasked(exact, whole, value, maxBytes);
}

function fits(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

/** True where JSON.stringify alone is right: small, shallow, no key that names a secret, nothing binary. */
function isPlain(value: unknown, depth: number, look: { room: number; nodes: number }): boolean {
  if (--look.nodes < 0 || look.room < 0) return false;
  switch (typeof value) {
    case 'string':
      look.room -= value.length;
      return look.room >= 0 && value.length <= BLOB_LENGTH * 16;
    case 'number':
    case 'boolean':
    case 'undefined':
      look.room -= 4;
      return true;
    case 'object':
      if (value === null) return true;
      if (value instanceof ExactNumber) return (look.room -= value.text.length) >= 0;
      return depth < MAX_DEPTH && isPlainObject(value, depth, look);
    case 'bigint':
    case 'function':
    case 'symbol':
    default:
      return false;
  }
}

function isPlainObject(value: object, depth: number, look: { room: number; nodes: number }): boolean {
  if (Array.isArray(value)) {
    for (const item of value) if (!isPlain(item, depth + 1, look)) return false;
    return true;
  }
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    if (secretKindOfKey(key) !== null) return false;
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === 'string' && isLongBlob(key, item)) return false;
    look.room -= key.length + 4;
    if (!isPlain(item, depth + 1, look)) return false;
  }
  return true;
}

/** Writes until the room is used up; afterwards only counts. */
interface Writer {
  out: string;
  limit: number;
  nodes: number;
  /** Something was replaced by a note. */
  noted: boolean;
}

function writeMasked(value: unknown, whole: boolean, original: unknown, maxBytes: number): StoredJson | null {
  const writer: Writer = { out: '', limit: maxBytes, nodes: MAX_NODES, noted: false };
  if (!write(writer, value, '', 0)) return null;
  if (whole && writer.out.length <= maxBytes && writer.nodes >= 0 && fits(writer.out, maxBytes))
    return { text: writer.out, truncated: writer.noted };
  return cut(writer.out, maxBytes, sizeOf(original));
}

/** False where JSON knows no such value (undefined, functions). */
function write(writer: Writer, value: unknown, key: string, depth: number): boolean {
  if (writer.out.length > writer.limit || --writer.nodes < 0) return true;
  const kind = maskedByKey(key, value);
  if (kind !== null) {
    writer.out += JSON.stringify(masked(kind));
    return true;
  }
  switch (typeof value) {
    case 'string':
      writer.out += JSON.stringify(shownString(writer, key, value));
      return true;
    case 'number':
    case 'boolean':
      writer.out += JSON.stringify(value);
      return true;
    case 'bigint':
      writer.out += JSON.stringify(String(value));
      return true;
    case 'object':
      writeObject(writer, value, depth);
      return true;
    case 'undefined':
    case 'function':
    case 'symbol':
    default:
      return false;
  }
}

/** What kind of secret a value is because of the key that it stands under; null where it is shown. */
export function maskedByKey(key: string, value: unknown): string | null {
  const kind = key === '' ? null : secretKindOfKey(key);
  if (kind === null || value === null || value === '' || value === undefined) return null;
  return typeof value === 'boolean' ? null : kind;
}

function shownString(writer: Writer, key: string, value: string): string {
  if (isLongBlob(key, value)) {
    writer.noted = true;
    return `[binary data, ${Math.floor((value.length * 3) / 4)} bytes]`;
  }
  const reach = writer.limit - writer.out.length + SLACK;
  return maskText(value.length > reach ? value.slice(0, reach) : value);
}

function writeObject(writer: Writer, value: object | null, depth: number): void {
  if (value === null) {
    writer.out += 'null';
  } else if (value instanceof ExactNumber) {
    writer.out += value.text;
  } else if (depth >= MAX_DEPTH) {
    writer.noted = true;
    writer.out += JSON.stringify(`[nested deeper than ${MAX_DEPTH} levels]`);
  } else if (Array.isArray(value)) {
    writeItems(writer, value, depth);
  } else {
    writeFields(writer, value as Record<string, unknown>, depth);
  }
}

function writeItems(writer: Writer, items: unknown[], depth: number): void {
  writer.out += '[';
  for (let i = 0; i < items.length && writer.out.length <= writer.limit && writer.nodes >= 0; i++) {
    if (i > 0) writer.out += ',';
    if (!write(writer, items[i], '', depth + 1)) writer.out += 'null';
  }
  writer.out += ']';
}

function writeFields(writer: Writer, fields: Record<string, unknown>, depth: number): void {
  writer.out += '{';
  let first = true;
  for (const key in fields) {
    if (!Object.hasOwn(fields, key)) continue;
    if (writer.out.length > writer.limit || writer.nodes < 0) break;
    const before = writer.out;
    writer.out += `${first ? '' : ','}${JSON.stringify(key.length > MAX_KEY ? `${key.slice(0, MAX_KEY)}…` : maskText(key))}:`;
    if (write(writer, fields[key], key, depth + 1)) first = false;
    else writer.out = before;
  }
  writer.out += '}';
}

/** Base64 that is replaced by a note of its length. */
export function isLongBlob(key: string, value: string): boolean {
  return value.length > BLOB_LENGTH && isBlob(key, value);
}

/** Base64, as images, sound and files travel. */
function isBlob(key: string, value: string): boolean {
  if (value.startsWith('data:')) return value.slice(0, 256).includes(';base64,');
  return (key === 'data' || key === 'blob') && /^[A-Za-z0-9+/_-]{256}$/.test(value.slice(0, 256));
}

/** Still valid JSON: the beginning of the text as a string, with the size of the whole. Null where not even that fits. */
function cut(text: string, maxBytes: number, size: { bytes: number; exact: boolean }): StoredJson | null {
  const head = `{"truncated":true,"bytes":${size.bytes}${size.exact ? '' : ',"or_more":true'},"text":"`;
  let room = maxBytes - head.length - 2;
  if (room <= 0) return null;
  let end = 0;
  while (end < text.length) {
    const code = text.codePointAt(end)!;
    room -= jsonBytes(code);
    if (room < 0) break;
    end += code > 0xffff ? 2 : 1;
  }
  return { text: `${head}${JSON.stringify(text.slice(0, end)).slice(1)}}`, truncated: true };
}

function jsonBytes(code: number): number {
  if (code === 0x22 || code === 0x5c) return 2;
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code <= 0xffff ? 3 : 4;
}

/** About how long the whole would be, without writing it. */
function sizeOf(value: unknown): { bytes: number; exact: boolean } {
  let bytes = 0;
  let nodes = MAX_NODES;
  const rest: unknown[] = [value];
  while (rest.length > 0 && --nodes >= 0) {
    const item = rest.pop();
    if (typeof item === 'string') bytes += Buffer.byteLength(item) + 2;
    else if (typeof item !== 'object' || item === null) bytes += String(item).length;
    else if (Array.isArray(item)) {
      bytes += item.length + 2;
      for (let i = 0; i < item.length && rest.length < MAX_NODES; i++) rest.push(item[i]);
    } else {
      for (const key in item) {
        bytes += key.length + 4;
        rest.push((item as Record<string, unknown>)[key]);
        if (rest.length > MAX_NODES) break;
      }
    }
  }
  return { bytes, exact: rest.length === 0 };
}
