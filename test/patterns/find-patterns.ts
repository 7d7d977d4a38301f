import { readFileSync } from 'node:fs';

export interface Found {
  file: string;
  line: number;
  source: string;
  flags: string;
}

/** A slash after one of these begins a pattern; after a value it divides. */
const BEFORE =
  /(?:^|[=(,:[!&|?{};+*~<>%-]|\b(?:return|typeof|case|in|of|do|else|await|yield|void|throw|new))\s*$/;

/** Every pattern that is written out in a file. Strings, templates and comments are passed over; code within templates is not. */
export function patternsIn(file: string): Found[] {
  const text = readFileSync(file, 'utf8');
  const found: Found[] = [];
  const braces = { templates: [] as number[], depth: 0 };
  for (let i = 0; i < text.length; i++) {
    const skipped = skippedTo(text, i) ?? templateTo(text, i, braces);
    if (skipped !== undefined) {
      i = skipped;
    } else if (text[i] === '{') braces.depth++;
    else if (text[i] === '}') braces.depth--;
    else if (text[i] === '/' && BEFORE.test(text.slice(Math.max(0, i - 40), i))) {
      const end = patternEnd(text, i);
      const flags = /^[dgimsuvy]*/.exec(text.slice(end + 1, end + 9))![0];
      found.push({ file, line: text.slice(0, i).split('\n').length, source: text.slice(i + 1, end), flags });
      i = end + flags.length;
    }
  }
  return found;
}

/** The last character of a comment or a string that begins here. */
function skippedTo(text: string, i: number): number | undefined {
  const two = text.slice(i, i + 2);
  if (two === '//') return endOf(text, '\n', i);
  if (two === '/*') return endOf(text, '*/', i) + 1;
  return text[i] === "'" || text[i] === '"' ? stringEnd(text, i) : undefined;
}

interface Braces {
  /** The depths at which code within a template began. */
  templates: number[];
  depth: number;
}

/** The end of the text of a template that begins here, or goes on after code. */
function templateTo(text: string, i: number, { templates, depth }: Braces): number | undefined {
  const goesOn = text[i] === '}' && templates.at(-1) === depth;
  if (text[i] !== '`' && !goesOn) return undefined;
  if (goesOn) templates.pop();
  const end = templateEnd(text, i);
  if (text[end] === '{') templates.push(depth);
  return end;
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from + 1);
  return at < 0 ? text.length : at;
}

function stringEnd(text: string, from: number): number {
  let i = from + 1;
  while (i < text.length && text[i] !== text[from]) i += text[i] === '\\' ? 2 : 1;
  return i;
}

/** The closing backtick, or the brace that begins code. */
function templateEnd(text: string, from: number): number {
  let i = from + 1;
  while (i < text.length && text[i] !== '`') {
    if (text[i] === '$' && text[i + 1] === '{') return i + 1;
    i += text[i] === '\\' ? 2 : 1;
  }
  return i;
}

function patternEnd(text: string, from: number): number {
  let inClass = false;
  let i = from + 1;
  for (; i < text.length && (text[i] !== '/' || inClass); i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '[') inClass = true;
    else if (text[i] === ']') inClass = false;
  }
  return i;
}
