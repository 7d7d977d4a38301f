import { ExactNumber, exactJson, exactPrefix } from '../../json/index.ts';
import { mayHoldSecret } from '../mask/beginnings.ts';
import { kindOfField, secretKindOfKey } from '../mask/secret-words.ts';
import { MARK, PLAIN_MARKER, maskText, type Marker } from '../mask/mask-text.ts';
import { ANY_BASE64, skip } from '../mask/characters.ts';

export interface StoredJson {
  text: string;
  /** Something was left out: too long, too deep, or binary. */
  truncated: boolean;
}

const MAX_DEPTH = 100;
const MAX_NODES = 200_000;
const BLOB_LENGTH = 4096;
/** Masks are shorter than long secrets: a text may be so much longer than the room that there is, and still fit. */
const SLACK = 8192;
/** A longer key is cut. */
export const MAX_KEY = SLACK;
/** A value that is kept with its numbers as they were written is read again from its text: so much more than there is room for. */
const READ_AGAIN = 2 * SLACK;

/**
 * JSON text of a value for the log: secrets masked, at most `maxBytes` long, never more work than that needs. The value itself is only
 * read. Ordinary small values go through JSON.stringify; the rest is written piece by piece.
 */
export function toJson(value: unknown, maxBytes: number, marker: Marker = PLAIN_MARKER): StoredJson | null {
  const prefix = exactPrefix(value, maxBytes + READ_AGAIN);
  if (prefix.whole && isPlain(prefix.value, 0, { room: maxBytes, nodes: MAX_NODES })) {
    const text = exactJson(prefix.value);
    if (text === undefined) return null;
    if (!mayHoldSecret(text) && fits(text, maxBytes)) return { text, truncated: false };
  }
  const writer = newWriter(maxBytes, marker);
  writer.isCut = !prefix.whole;
  return write(writer, prefix.value, '') ? written(writer, value) : null;
}

function fits(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

/** What is left to inspect before a value no longer counts as small. */
interface Allowance {
  room: number;
  nodes: number;
}

/** True where JSON.stringify alone is right: small, shallow, no key that names a secret, nothing binary. */
function isPlain(value: unknown, depth: number, left: Allowance): boolean {
  if (--left.nodes < 0 || left.room < 0) return false;
  if (typeof value === 'string') {
    left.room -= value.length;
    return left.room >= 0 && value.length <= BLOB_LENGTH * 16;
  }
  if (typeof value === 'object') return value === null || isPlainObject(value, depth, left);
  left.room -= 4;
  return typeof value === 'number' || typeof value === 'boolean' || value === undefined;
}

function isPlainObject(value: object, depth: number, left: Allowance): boolean {
  if (value instanceof ExactNumber) return (left.room -= value.text.length) >= 0;
  if (depth >= MAX_DEPTH) return false;
  if (!Array.isArray(value)) return hasPlainFields(value as Record<string, unknown>, depth + 1, left);
  for (const item of value) if (!isPlain(item, depth + 1, left)) return false;
  return true;
}

function hasPlainFields(fields: Record<string, unknown>, depth: number, left: Allowance): boolean {
  for (const key in fields) {
    if (!Object.hasOwn(fields, key)) continue;
    if (secretKindOfKey(key) !== null) return false;
    const item = fields[key];
    if (typeof item === 'string' && (isLongBlob(key, item) || kindOfField(key, item) !== null)) return false;
    left.room -= key.length + 4;
    if (!isPlain(item, depth, left)) return false;
  }
  return true;
}

/** Writes until the room is used up; afterwards only counts. */
interface Writer {
  readonly marker: Marker;
  out: string;
  readonly limit: number;
  nodes: number;
  depth: number;
  /** The kind of secret that the values are, because of a key above them; null for ordinary values. */
  kind: string | null;
  /** Something was replaced by a note, or left out. */
  noted: boolean;
  /** The end of a text was left out. */
  isCut: boolean;
}

const newWriter = (limit: number, marker: Marker): Writer => ({
  marker,
  out: '',
  limit,
  nodes: MAX_NODES,
  depth: 0,
  kind: null,
  noted: false,
  isCut: false,
});

function written({ out, limit, nodes, noted, isCut }: Writer, original: unknown): StoredJson | null {
  if (!isCut && out.length <= limit && nodes >= 0 && fits(out, limit)) return { text: out, truncated: noted };
  return cut(out, limit, sizeOf(original));
}

/** False where JSON knows no such value (undefined, functions). */
function write(writer: Writer, value: unknown, key: string): boolean {
  if (writer.out.length > writer.limit || --writer.nodes < 0) return true;
  if (writer.kind !== null && isSecretLeaf(value)) {
    writer.out += JSON.stringify(writer.marker.mark(writer.kind, leafText(value)));
    return true;
  }
  return writeShown(writer, value, key);
}

function writeShown(writer: Writer, value: unknown, key: string): boolean {
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
      writeObject(writer, value);
      return true;
    case 'undefined':
    case 'function':
    case 'symbol':
    default:
      return false;
  }
}

/** What is masked under the name of a secret. Objects and lists keep their shape, so that it can be seen what was there. */
export function isSecretLeaf(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof ExactNumber;
}

/** A number as it was written. */
function leafText(value: unknown): string {
  return value instanceof ExactNumber ? value.text : String(value);
}

function shownString(writer: Writer, key: string, value: string): string {
  if (isLongBlob(key, value)) {
    writer.noted = true;
    return writer.marker.mark('binary-data', value);
  }
  const kind = kindOfField(key, value);
  if (kind !== null) return writer.marker.mark(kind, value);
  const room = writer.limit - writer.out.length + SLACK;
  if (value.length > room) writer.isCut = true;
  return maskText(value, writer.marker, room);
}

function writeObject(writer: Writer, value: object | null): void {
  if (value === null) {
    writer.out += 'null';
  } else if (value instanceof ExactNumber) {
    writer.out += value.text;
  } else if (writer.depth >= MAX_DEPTH) {
    writer.noted = true;
    writer.out += JSON.stringify(`[nested deeper than ${MAX_DEPTH} levels]`);
  } else {
    writer.depth++;
    if (Array.isArray(value)) writeItems(writer, value);
    else writeFields(writer, value as Record<string, unknown>);
    writer.depth--;
  }
}

function writeItems(writer: Writer, items: unknown[]): void {
  writer.out += '[';
  for (let i = 0; i < items.length && writer.out.length <= writer.limit && writer.nodes >= 0; i++) {
    if (i > 0) writer.out += ',';
    if (!write(writer, items[i], '')) writer.out += 'null';
  }
  writer.out += ']';
}

function writeFields(writer: Writer, fields: Record<string, unknown>): void {
  writer.out += '{';
  let first = true;
  for (const key in fields) {
    if (!Object.hasOwn(fields, key)) continue;
    if (writer.out.length > writer.limit || writer.nodes < 0) break;
    const { out, kind } = writer;
    writer.out += `${first ? '' : ','}${JSON.stringify(shownKey(writer, key))}:`;
    writer.kind = secretKindOfKey(key) ?? kind;
    if (write(writer, fields[key], key)) first = false;
    else writer.out = out;
    writer.kind = kind;
  }
  writer.out += '}';
}

function shownKey({ marker }: Writer, key: string): string {
  return key.length > MAX_KEY ? `${maskText(key, marker, MAX_KEY)}…` : maskText(key, marker);
}

/** Base64 that is masked. */
export function isLongBlob(key: string, value: string): boolean {
  return value.length > BLOB_LENGTH && isBlob(key, value);
}

/** Base64 to its end, as images, sound and files travel. */
function isBlob(key: string, value: string): boolean {
  const start = value.startsWith('data:') ? DATA_URL.exec(value.slice(0, 256))?.[0].length : 0;
  if (start === undefined || (start === 0 && key !== 'data' && key !== 'blob')) return false;
  return skip(value, start, ANY_BASE64) === value.length;
}

const DATA_URL = /^data:[^,\s]{0,200};base64,/;

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
  end = markStart(text, end);
  return { text: `${head}${JSON.stringify(text.slice(0, end)).slice(1)}}`, truncated: true };
}

/** A mark is kept as a whole or not at all: where one would be cut, its beginning. */
function markStart(text: string, end: number): number {
  const at = end < text.length ? text.lastIndexOf(MARK, end - 1) : -1;
  return at >= 0 && text.indexOf(']', at) >= end ? at : end;
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
