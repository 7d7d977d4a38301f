// Text from upstreams, clients and agents may carry escape sequences, bidi overrides or invisible characters. Whatever goes to a
// terminal, a page or a log line passes here first, so that such characters are shown instead of obeyed.

/**
 * Controls, formats, halves of characters, private and unassigned characters, what Unicode lets a program ignore, and four whose glyph is
 * empty. Not: line breaks, tabs, and marks of Arabic and Syriac that are drawn. One variation selector chooses the form of the ideograph,
 * emoji or keycap before it; any other says something that nobody sees.
 */
const HIDDEN =
  /[\u{16fe4}\u{1d159}\u2800\ufffc\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}](?<![\ufe00-\ufe0f\u{e0100}-\u{e01ef}\n\t\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])|[\ufe00-\ufe0d\u{e0100}-\u{e01ef}](?<!\p{Script=Han}.)|[\ufe0e\ufe0f](?<!\p{Emoji}.)|[\ufe0e\ufe0f](?<=[#*0-9].)(?!\u20e3)/gu;
/** Most texts have nothing else, and need no closer look. */
const NOT_PLAIN = /[^\n\t -~]/;

export function hasHidden(text: string): boolean {
  return NOT_PLAIN.test(text) && text.search(HIDDEN) >= 0;
}

export function replaceHidden(text: string, show: (character: string) => string): string {
  return NOT_PLAIN.test(text) ? text.replace(HIDDEN, show) : text;
}

function show(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** Keeps line breaks and tabs; makes every other control or invisible character visible. */
export function visibleText(text: string): string {
  return replaceHidden(text, show);
}

/** The same on one line: line breaks and tabs are shown too. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/[\n\t]/g, (character) => (character === '\n' ? '\\n' : '\\t'));
}

/** A number with its noun in the right form: "1 tool", "1,200 tools". */
export function counted(n: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(n)} ${n === 1 ? noun : plural}`;
}

/** "1,234,567". `toLocaleString` does the same, but its first use costs 20 ms of a short command. */
export function grouped(n: number): string {
  const [whole = '', ...rest] = String(n).split('.');
  const digits = whole.replace('-', '');
  if (digits.length < 4 || /\D/.test(digits)) return String(n);
  const first = digits.length % 3;
  const groups = [digits.slice(0, first), ...(digits.slice(first).match(/\d{3}/g) ?? [])].filter(Boolean);
  return [(n < 0 ? '-' : '') + groups.join(','), ...rest].join('.');
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'you do not have the right to read it',
  EPERM: 'you do not have the right to read it',
};

/** Why a file cannot be read, in words. */
export function fileProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code !== undefined && REASONS[code]) || message;
}
