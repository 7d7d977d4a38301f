/** Parts of a text in Markdown. There is no HTML among them: what looks like it is text. */
export type MarkdownBlock =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph' | 'quote'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'list'; isOrdered: boolean; items: string[] }
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'line' };

export type Inline =
  | { kind: 'text' | 'code' | 'strong' | 'emphasis'; text: string }
  | { kind: 'link'; text: string; to: string };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^(#{1,6}) +(.*)$/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)]) +(.*)$/;
const ORDERED = /^ {0,3}\d/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,}) *$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const TABLE_RULE = /^[ |:-]+$/;

/** Whether a text uses enough of Markdown to be shown as such. */
export const looksLikeMarkdown = (text: string): boolean =>
  text
    .split('\n', 200)
    .some(
      (line, index, lines) =>
        HEADING.test(line) || FENCE.test(line) || (ITEM.test(line) && ITEM.test(lines[index + 1] ?? '')),
    ) || /\*\*[^*\n]{1,200}\*\*|\]\(https:/.test(text.slice(0, 20_000));

/** Reads the common parts of Markdown, line by line. Everything else stays text. */
export function readMarkdown(text: string): MarkdownBlock[] {
  const lines = text.split(/\r?\n/);
  const blocks: MarkdownBlock[] = [];
  let at = 0;
  while (at < lines.length) {
    const read = blockAt(lines, at);
    if (read.block) blocks.push(read.block);
    at = read.next;
  }
  return blocks;
}

interface Read {
  block?: MarkdownBlock;
  next: number;
}

function blockAt(lines: readonly string[], at: number): Read {
  const line = lines[at]!;
  if (line.trim() === '') return { next: at + 1 };
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return codeAt(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading)
    return { block: { kind: 'heading', level: heading[1]!.length, text: heading[2]! }, next: at + 1 };
  if (RULE.test(line)) return { block: { kind: 'line' }, next: at + 1 };
  if (ITEM.test(line)) return listAt(lines, at);
  if (QUOTE.test(line)) {
    const quoted = takeWhile(lines, at, (each) => QUOTE.test(each));
    const texts = quoted.map((each) => QUOTE.exec(each)![1]!);
    return { block: { kind: 'quote', text: texts.join('\n') }, next: at + quoted.length };
  }
  if (line.includes('|') && isTableRule(lines[at + 1])) return tableAt(lines, at);
  const paragraph = [line, ...takeWhile(lines, at + 1, (each) => !startsBlock(each))];
  return { block: { kind: 'paragraph', text: paragraph.join('\n') }, next: at + paragraph.length };
}

const isTableRule = (line = ''): boolean => line.includes('-') && TABLE_RULE.test(line);

const startsBlock = (line: string): boolean =>
  line.trim() === '' || [FENCE, HEADING, RULE, ITEM, QUOTE].some((start) => start.test(line));

function takeWhile(lines: readonly string[], at: number, wanted: (line: string) => boolean): string[] {
  let end = at;
  while (end < lines.length && wanted(lines[end]!)) end++;
  return lines.slice(at, end);
}

/** A block of code that is never closed reaches to the end. */
function codeAt(lines: readonly string[], at: number, fence: string): Read {
  const inside = takeWhile(lines, at + 1, (line) => !line.trimStart().startsWith(fence));
  return { block: { kind: 'code', text: inside.join('\n') }, next: at + inside.length + 2 };
}

/** Lines that are indented belong to the item before them. */
function listAt(lines: readonly string[], at: number): Read {
  const all = takeWhile(lines, at, (line) => ITEM.test(line) || /^\s+\S/.test(line));
  const items: string[] = [];
  for (const line of all) {
    const item = ITEM.exec(line)?.[1];
    if (item !== undefined) items.push(item);
    else items[items.length - 1] += `\n${line.trim()}`;
  }
  return { block: { kind: 'list', isOrdered: ORDERED.test(lines[at]!), items }, next: at + all.length };
}

function tableAt(lines: readonly string[], at: number): Read {
  const rows = takeWhile(lines, at + 2, (line) => line.includes('|') && line.trim() !== '');
  return {
    block: { kind: 'table', head: cellsOf(lines[at]!), rows: rows.map(cellsOf) },
    next: at + 2 + rows.length,
  };
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .map((cell) => cell.trim());

/** Within a line: code, links, strong and emphasised text. The lengths are bounded, so that no text keeps the page busy. */
const INLINE =
  /`([^`\n]{1,500})`|!?\[([^\][\n]{0,300})\]\(([^()\s]{1,1000})\)|\*\*([^*\n]{1,500})\*\*|__([^_\n]{1,500})__|\*([^*\s][^*\n]{0,500})\*/g;

export function readInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) });
    parts.push(inlineOf(match));
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) });
  return parts;
}

function inlineOf([, code, label, to, strong, underlined, emphasis]: readonly (
  | string
  | undefined
)[]): Inline {
  if (code !== undefined) return { kind: 'code', text: code };
  if (to !== undefined) return { kind: 'link', text: label || to, to };
  const text = strong ?? underlined;
  return text === undefined ? { kind: 'emphasis', text: emphasis ?? '' } : { kind: 'strong', text };
}
