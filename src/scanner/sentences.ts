const ENDS = /[.!?;。！？；](?:["'`)*\]»”’_]{0,3})$/;
const CJK_END = /(?<=[。！？；])/;
const BULLET = /^(?:[-*•#>]|\d{1,2}[.)])/;
const NAME_ALONE = /^[^\s]{12,}$/;

/**
 * Cuts a text into sentences. A line's end is one too, unless the next line goes on in lower case, as texts that are wrapped do. A name
 * that is made of many words is read as the words. Each sentence comes as its pieces: what stands between spaces.
 */
export function* sentencesOf(text: string): Generator<string[]> {
  let pieces: string[] = [];
  const lines = (NAME_ALONE.test(text) ? wordsOfName(text) : text).split('\n');
  for (let at = 0; at < lines.length; at++) {
    for (const piece of piecesOf(lines[at]!)) {
      pieces.push(piece);
      if (!ENDS.test(piece) && pieces.length < LONGEST) continue;
      yield pieces;
      pieces = [];
    }
    if (pieces.length === 0 || goesOn(lines[at + 1])) continue;
    yield pieces;
    pieces = [];
  }
  if (pieces.length > 0) yield pieces;
}

/** What has no end is cut. */
const LONGEST = 80;

function piecesOf(line: string): string[] {
  const pieces = line.split(/\s/).filter(Boolean);
  return CJK.test(line) ? pieces.flatMap((piece) => piece.split(CJK_END)) : pieces;
}

const CJK = /[\u3000-\u303f\uff00-\uffef]/;

function goesOn(next: string | undefined): boolean {
  const start = next?.trimStart();
  return !!start && !BULLET.test(start) && /^[\p{Ll}"'`(]/u.test(start);
}

function wordsOfName(name: string): string {
  if (/[:/]{2}/.test(name) || name.includes('@')) return name;
  return name.replace(/_+/g, ' ').replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
}
