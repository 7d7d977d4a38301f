const ENDS = /[.!?;。！？；](?:["'`)*\]»”’_]{0,3})$/;
const CJK_END = /(?<=[。！？；])/;
const BULLET = /^(?:[-*•#>]|\d{1,2}[.)])/;
const NAME_ALONE = /^[^\s]{12,}$/;

/**
 * Splits a text into sentences, each as its pieces between spaces. The end of a line ends a sentence too, unless the next line starts in
 * lower case, as in wrapped text. A name made of many words is read as these words.
 */
export function* sentencesOf(text: string): Generator<string[]> {
  let pieces: string[] = [];
  const lines = (NAME_ALONE.test(text) ? wordsOfName(text) : text).split('\n');
  for (let at = 0; at < lines.length; at++) {
    for (const piece of piecesOf(lines[at]!)) {
      pieces.push(piece);
      if (!ENDS.test(piece) && pieces.length < MAX_PIECES) continue;
      yield pieces;
      pieces = [];
    }
    if (pieces.length === 0 || continuesSentence(lines[at + 1])) continue;
    yield pieces;
    pieces = [];
  }
  if (pieces.length > 0) yield pieces;
}

/** Longer sentences are cut. */
const MAX_PIECES = 80;

function piecesOf(line: string): string[] {
  const pieces = line.split(/\s/).filter(Boolean);
  return CJK.test(line) ? pieces.flatMap((piece) => piece.split(CJK_END)) : pieces;
}

const CJK = /[\u3000-\u303f\uff00-\uffef]/;

function continuesSentence(next: string | undefined): boolean {
  const start = next?.trimStart();
  return !!start && !BULLET.test(start) && /^[\p{Ll}"'`(]/u.test(start);
}

function wordsOfName(name: string): string {
  if (/[:/]{2}/.test(name) || name.includes('@')) return name;
  return name.replace(/_+/g, ' ').replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
}
