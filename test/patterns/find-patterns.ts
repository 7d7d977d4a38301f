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
  const templates: number[] = [];
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const two = text.slice(i, i + 2);
    const one = text[i]!;
    if (two === '//') i = endOf(text, '\n', i);
    else if (two === '/*') i = endOf(text, '*/', i) + 1;
    else if (one === "'" || one === '"') i = stringEnd(text, i);
    else if (one === '`' || (one === '}' && templates.at(-1) === depth)) {
      if (one === '}') templates.pop();
      i = templateEnd(text, i);
      if (text[i] === '{') templates.push(depth);
    } else if (one === '{') depth++;
    else if (one === '}') depth--;
    else if (one === '/' && BEFORE.test(text.slice(Math.max(0, i - 40), i))) {
      const end = patternEnd(text, i);
      const flags = /^[dgimsuvy]*/.exec(text.slice(end + 1, end + 9))![0];
      found.push({ file, line: text.slice(0, i).split('\n').length, source: text.slice(i + 1, end), flags });
      i = end + flags.length;
    }
  }
  return found;
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
