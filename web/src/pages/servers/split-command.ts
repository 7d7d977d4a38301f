/** Splits a command line into words: quotes keep spaces, a backslash keeps the next character. No shell is involved. */
export function splitCommand(line: string): string[] {
  return (line.match(WORD) ?? []).map((word) => word.replace(PART, unquoted));
}

/** A part is text in single quotes, text in double quotes, an escaped character, or a plain one; an open quote reaches to the end. */
const PART = /'([^']*)(?:'|$)|"((?:\\[^]|[^"\\])*\\?)(?:"|$)|\\([^])/g;
const WORD = /(?:'[^']*(?:'|$)|"(?:\\[^]|[^"\\])*\\?(?:"|$)|\\[^]|[^\s'"])+/g;

function unquoted(...match: Array<string | undefined>): string {
  const [, single, double, escaped] = match;
  return single ?? double?.replace(/\\([^])/g, '$1') ?? escaped ?? '';
}

/** Lines of `NAME=value`, as in an env file. */
export function parsePairs(text: string, separator: '=' | ':'): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const at = line.indexOf(separator);
    if (line.trim() === '') continue;
    if (at < 1) throw new Error(`"${line.trim()}" must have the form NAME${separator}value`);
    pairs[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return pairs;
}
