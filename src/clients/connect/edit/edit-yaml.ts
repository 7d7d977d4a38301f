import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  stringify,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { eolOf, nestedIn } from './edit-json.ts';

type Container = YAMLMap | YAMLSeq;
type Key = string | number;

/** Sets (or with undefined removes) a value of a YAML text. All other lines stay as they are. A number is the position in a list. */
export function setInYaml(text: string, path: readonly Key[], value: unknown): string {
  const root = parseDocument(text).contents;
  const nestedFrom = (depth: number) => nestedIn(path.slice(depth + 1), value);
  if (root === null)
    return value === undefined ? text : withLines(text, text.length, emitted(path[0]!, nestedFrom(0), ''));
  let container = root as Container;
  for (let depth = 0; ; depth++) {
    const key = path[depth]!;
    const place = { text, container, key };
    const child = childOf(container, key);
    const inner = isPair(child) ? child.value : child;
    const isLast = depth === path.length - 1;
    if (child === undefined) return value === undefined ? text : inserted(place, nestedFrom(depth));
    if (!isLast && (isMap(inner) || isSeq(inner))) container = inner;
    else if (isLast && value === undefined) return removed(place, child);
    else return inserted({ ...place, text: removed(place, child) }, nestedFrom(depth), true);
  }
}

interface Place {
  text: string;
  container: Container;
  key: Key;
}

function childOf(container: Container, key: Key): Node | Pair | undefined {
  if (isSeq(container))
    return typeof key === 'number' ? (container.items[key] as Node | undefined) : undefined;
  return container.items.find((pair) => (isScalar(pair.key) ? pair.key.value : pair.key) === key);
}

/** `isStale`: the text has changed since the container was read, so it is read again. */
function inserted(place: Place, value: unknown, isStale = false): string {
  const { text, key } = place;
  const container = isStale ? again(place) : place.container;
  if (container === undefined) return withLines(text, text.length, emitted(key, value, ''));
  const [start, end] = container.range!;
  if (container.flow === true) {
    const json = JSON.stringify(value);
    const item = isSeq(container) ? json : `${JSON.stringify(key)}: ${json}`;
    const body = text.slice(0, end - 1).trimEnd();
    return `${body}${container.items.length > 0 ? ', ' : ''}${item}${text.slice(body.length)}`;
  }
  return withLines(
    text,
    lastOf(text, container),
    emitted(isSeq(container) ? '-' : key, value, indentOf(text, start)),
  );
}

function again({ text, container }: Place): Container | undefined {
  let found: Container | undefined;
  const look = (node: unknown): void => {
    if (!isMap(node) && !isSeq(node)) return;
    if (node.range![0] === container.range![0]) found ??= node;
    for (const item of node.items as unknown[]) look(isPair(item) ? item.value : item);
  };
  look(parseDocument(text).contents);
  return found;
}

function emitted(key: Key, value: unknown, indent: string): string[] {
  const wrapped = key === '-' || typeof key === 'number' ? [value] : { [key]: value };
  return stringify(wrapped, { lineWidth: 0 })
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? line : indent + line));
}

/** The text with lines after the line of a position. */
function withLines(text: string, at: number, lines: readonly string[]): string {
  const eol = eolOf(text);
  const added = lines.join(eol);
  if (text.trim() === '') return `${text}${added}${eol}`;
  const end = text.indexOf('\n', at);
  if (end < 0) return `${text}${text.endsWith('\n') ? '' : eol}${added}${eol}`;
  return `${text.slice(0, end + 1)}${added}${eol}${text.slice(end + 1)}`;
}

/** The last position of a container that is not blank. */
function lastOf(text: string, node: Node): number {
  return text.slice(0, node.range![1]).trimEnd().length;
}

/** The blanks before the first key or dash of a container. */
function indentOf(text: string, start: number): string {
  return ' '.repeat(start - (text.lastIndexOf('\n', start - 1) + 1));
}

function removed({ text, container }: Place, child: Node | Pair): string {
  const [start] = container.range!;
  const value = isPair(child) ? (child.value as Node | null) : child;
  const first = isPair(child) ? (child.key as Node).range![0] : child.range![0];
  if (container.items.length === 1) {
    const rest = text.slice(lastOf(text, container));
    const before = text.slice(0, start).trimEnd();
    return /^(?:[^]*\n)?---$|^$/.test(before)
      ? before + rest
      : `${before} ${isSeq(container) ? '[]' : '{}'}${rest}`;
  }
  if (container.flow === true) {
    const index = (container.items as unknown[]).indexOf(child);
    const items = (container.items as Array<Node | Pair>).map(rangeOfItem);
    const [from, to] = index > 0 ? [items[index - 1]![1], items[index]![1]] : [items[0]![0], items[1]![0]];
    return text.slice(0, from) + text.slice(to);
  }
  const from = text.lastIndexOf('\n', first) + 1;
  const last = isNode(value) ? lastOf(text, value) : first;
  const newline = text.indexOf('\n', Math.max(last, first));
  return text.slice(0, from) + (newline < 0 ? '' : text.slice(newline + 1));
}

function rangeOfItem(item: Node | Pair): [number, number] {
  if (!isPair(item)) return [item.range![0], item.range![1]];
  const key = (item.key as Node).range!;
  return [key[0], isNode(item.value) ? item.value.range![1] : key[1]];
}
