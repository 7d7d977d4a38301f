/** A command line as somebody types it, in words; quotes keep spaces, a backslash keeps the next character. No shell ever sees it. */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const letter = line[i]!;
    if (letter === '\\' && quote !== "'" && i + 1 < line.length) word = (word ?? '') + line[++i]!;
    else if (quote !== undefined) {
      if (letter === quote) quote = undefined;
      else word = (word ?? '') + letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= '';
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + letter;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** Lines of `NAME=value`, as in an env file. */
export function parsePairs(text: string, separator: '=' | ':'): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const at = line.indexOf(separator);
    if (line.trim() === '') continue;
    if (at < 1) throw new Error(`"${line.trim()}" is not of the form NAME${separator}value`);
    pairs[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return pairs;
}
