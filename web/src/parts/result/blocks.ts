import { isObject, parseExact, type JsonObject } from '../../../../src/json/index.ts';

/** One part of a result, prompt or resource, as it can be shown. Whatever cannot be shown safely is `other`. */
export type Block =
  | { kind: 'text'; text: string; uri?: string; type?: string }
  | { kind: 'image' | 'audio'; source: string; type: string; uri?: string }
  | { kind: 'link'; uri: string; name: string; description?: string }
  | { kind: 'data'; value: unknown }
  | { kind: 'other'; value: unknown };

/** Formats that a browser draws without running anything. */
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const SOUNDS = new Set([
  'audio/wav',
  'audio/x-wav',
  'audio/mpeg',
  'audio/mp3',
  'audio/ogg',
  'audio/webm',
  'audio/mp4',
  'audio/flac',
]);
const BASE64 = /^[A-Za-z0-9+/]+=*$/;
const MAX_BLOCKS = 100;
/** Longer text is not read as JSON: it would keep the page busy. */
const MAX_READ = 500_000;

/** The content of a tool result, with its structured content where the text does not say the same already. */
export function blocksOfResult(result: unknown): Block[] {
  if (!isObject(result)) return [];
  const blocks = Array.isArray(result.content) ? result.content.slice(0, MAX_BLOCKS).map(blockOf) : [];
  if (result.structuredContent !== undefined)
    return [
      { kind: 'data', value: result.structuredContent },
      // Servers repeat it as text, for clients that do not know it.
      ...blocks.filter((block) => block.kind !== 'data'),
    ];
  return blocks;
}

/** The contents of a resource. */
export function blocksOfContents(result: unknown): Block[] {
  const { contents } = isObject(result) ? result : {};
  return Array.isArray(contents) ? contents.slice(0, MAX_BLOCKS).map(contentsBlock) : [];
}

/** One content block of MCP. */
export function blockOf(block: unknown): Block {
  if (!isObject(block)) return { kind: 'other', value: block };
  const { type, text, data, mimeType, resource, uri, name, description } = block;
  if (type === 'text' && typeof text === 'string') return textBlock(text);
  if (type === 'image' || type === 'audio') return media(data, mimeType) ?? { kind: 'other', value: block };
  if (type === 'resource') return contentsBlock(resource);
  if (type === 'resource_link' && typeof uri === 'string')
    return {
      kind: 'link',
      uri,
      name: typeof name === 'string' ? name : uri,
      ...(typeof description === 'string' && { description }),
    };
  return { kind: 'other', value: block };
}

function contentsBlock(contents: unknown): Block {
  if (!isObject(contents)) return { kind: 'other', value: contents };
  const { uri, text, blob, mimeType } = contents;
  const from = typeof uri === 'string' ? { uri } : {};
  if (typeof text === 'string')
    return { kind: 'text', text, ...from, ...(typeof mimeType === 'string' && { type: mimeType }) };
  const shown = media(blob, mimeType);
  return shown ? { ...shown, ...from } : { kind: 'other', value: contents };
}

function textBlock(text: string): Block {
  const value = jsonOf(text);
  return value === undefined ? { kind: 'text', text } : { kind: 'data', value };
}

/** Only objects and lists: a number or a word is more readable as it is. */
function jsonOf(text: string): unknown {
  if (text.length > MAX_READ || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

function media(data: unknown, type: unknown): Extract<Block, { source: string }> | undefined {
  if (typeof data !== 'string' || typeof type !== 'string' || !BASE64.test(data)) return undefined;
  const source = `data:${type};base64,${data}`;
  if (IMAGES.has(type)) return { kind: 'image', source, type };
  return SOUNDS.has(type) ? { kind: 'audio', source, type } : undefined;
}

export interface Table {
  columns: string[];
  rows: JsonObject[];
}

const MAX_COLUMNS = 12;
const MAX_ROWS = 200;

/** Data as a table: a list of objects, also as the only list of an object. */
export function tableOf(value: unknown): Table | undefined {
  const list = listIn(value);
  if (!list || list.length === 0 || !list.every(isObject)) return undefined;
  const rows = list.slice(0, MAX_ROWS);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return columns.length <= MAX_COLUMNS ? { columns, rows } : undefined;
}

function listIn(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  const values = Object.values(value);
  return values.length === 1 && Array.isArray(values[0]) ? values[0] : undefined;
}
