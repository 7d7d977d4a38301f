import { createScanner, findNodeAtLocation, parseTree, type JSONPath, type Node } from 'jsonc-parser';

/** Sets (or with undefined removes) a value of a JSON text. Everything else stays as it is, with comments and commas. */
export function setInJson(text: string, path: JSONPath, value: unknown): string {
  const source = text.trim() === '' ? `{}${eolOf(text)}` : text;
  const root = parseTree(source, [], { allowTrailingComma: true })!;
  const found = findNodeAtLocation(root, path);
  if (found) return value === undefined ? removed(source, found) : replaced(source, found, value);
  if (value === undefined) return source;
  // The deepest container that exists gets the rest of the path as its value.
  let depth = path.length - 1;
  while (depth > 0 && !isContainer(findNodeAtLocation(root, path.slice(0, depth)))) depth--;
  const nested = nestedIn(path.slice(depth + 1), value);
  return inserted(source, findNodeAtLocation(root, path.slice(0, depth)) ?? root, {
    key: path[depth]!,
    value: nested,
  });
}

/** The text of a value, with its comments. */
export function textInJson(text: string, path: JSONPath): string | undefined {
  const found = findNodeAtLocation(parseTree(text, [], { allowTrailingComma: true })!, path);
  return found && text.slice(found.offset, found.offset + found.length);
}

/** The same value in another form. */
export function withTextInJson(text: string, path: JSONPath, value: string): string {
  const found = findNodeAtLocation(parseTree(text, [], { allowTrailingComma: true })!, path);
  return found ? text.slice(0, found.offset) + value + text.slice(found.offset + found.length) : text;
}

/** The value with the containers of a path around it. */
export function nestedIn(path: ReadonlyArray<string | number>, value: unknown): unknown {
  return path.reduceRight<unknown>(
    (inner, key) => (typeof key === 'number' ? [inner] : { [key]: inner }),
    value,
  );
}

const isContainer = (node: Node | undefined) => node?.type === 'object' || node?.type === 'array';

function replaced(text: string, { offset, length }: Node, value: unknown): string {
  const before = text.slice(offset, offset + length);
  const isInline = !before.includes('\n') && /[{[]\s*\S/.test(before);
  const next = isInline ? JSON.stringify(value) : pretty(value, text, indentAt(text, offset));
  return text.slice(0, offset) + next + text.slice(offset + length);
}

function inserted(
  text: string,
  node: Node,
  { key, value }: { key: string | number; value: unknown },
): string {
  const label = node.type === 'object' ? `${JSON.stringify(key)}: ` : '';
  const last = node.children?.at(-1);
  const end = node.offset + node.length - 1;
  const inner = text.slice(node.offset + 1, end);
  if (last && !inner.includes('\n')) {
    const at = last.offset + last.length;
    return `${text.slice(0, at)}, ${label}${JSON.stringify(value)}${text.slice(at)}`;
  }
  const eol = eolOf(text);
  const outer = indentAt(text, node.offset);
  const indent = last ? indentAt(text, last.offset) : outer + unitOf(text);
  const comma = last ? commaAfter(text, last) : undefined;
  const line = `${eol}${indent}${label}${pretty(value, text, indent)}${comma === undefined ? '' : ','}`;
  // Comments after the last value stay before the new one.
  const body = inner.trimEnd();
  const head = text.slice(0, node.offset + 1);
  const tail = inner.slice(body.length);
  const close = tail.includes('\n') ? tail : `${eol}${outer}`;
  const rest = close + text.slice(end);
  if (!last || comma !== undefined) return head + body + line + rest;
  const cut = last.offset + last.length - node.offset - 1;
  return `${head}${body.slice(0, cut)},${body.slice(cut)}${line}${rest}`;
}

function removed(text: string, found: Node): string {
  const node = found.parent?.type === 'property' ? found.parent : found;
  const siblings = node.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(node) - 1];
  const comma = commaAfter(text, node) ?? (previous && commaAfter(text, previous));
  const [from, to] = wholeLine(text, node.offset, endOf(text, node, comma));
  const without = (next: string, start: number, end: number) => next.slice(0, start) + next.slice(end);
  let result = text;
  // A comment may be between the value and its comma, so the comma is removed on its own: the later part first.
  if (comma !== undefined && comma >= to) result = without(result, comma, comma + 1);
  result = without(result, from, to);
  if (comma !== undefined && comma < from) result = without(result, comma, comma + 1);
  return siblings.length === 1 ? collapsed(result, node.parent!) : result;
}

/** The end of a value, with a comma that follows directly. */
function endOf(text: string, { offset, length }: Node, comma: number | undefined): number {
  const end = offset + length;
  return comma !== undefined && comma >= end && /^\s*$/.test(text.slice(end, comma)) ? comma + 1 : end;
}

/** With the line break before it, if nothing else is on its lines; otherwise with the blanks after it. */
function wholeLine(text: string, from: number, to: number): [from: number, to: number] {
  const lineStart = text.lastIndexOf('\n', from - 1);
  const lineEnd = /^[ \t]*(?=\r?\n|$)/.exec(text.slice(to));
  if (lineStart >= 0 && lineEnd && /^[ \t]*$/.test(text.slice(lineStart + 1, from)))
    return [text[lineStart - 1] === '\r' ? lineStart - 1 : lineStart, to + lineEnd[0].length];
  const blanks = /^[ \t]*/.exec(text.slice(to))![0].length;
  if (blanks > 0) return [from, to + blanks];
  let start = from;
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start--;
  return [start, to];
}

/** A container without anything left is written as {} or []. */
function collapsed(text: string, { offset }: Node): string {
  const end = text.indexOf(text[offset] === '{' ? '}' : ']', offset);
  return /^\s*$/.test(text.slice(offset + 1, end)) ? text.slice(0, offset + 1) + text.slice(end) : text;
}

/** The position of the comma after a value. */
function commaAfter(text: string, { offset, length }: Node): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset + length);
  scanner.scan();
  return text[scanner.getTokenOffset()] === ',' ? scanner.getTokenOffset() : undefined;
}

function pretty(value: unknown, text: string, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', `${eolOf(text)}${indent}`);
}

export function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** The indentation that the file uses. */
function unitOf(text: string): string {
  return /^(?:\t| {1,8})(?=["[{/])/m.exec(text)?.[0] ?? '  ';
}

/** The blanks at the start of the line of a position. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))![0];
}
