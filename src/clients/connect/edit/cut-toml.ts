import { eolOf } from './edit-json.ts';
import { headerOf } from './edit-toml.ts';

/** Lines of a TOML text that were taken out. */
export interface CutText {
  text: string;
  /** The table that followed; null: the end of the text. */
  before: string[] | null;
}

interface Segment {
  header: string[] | null;
  lines: string[];
}

/** A table with the comment directly above it, up to the next one. The first segment is what comes before all tables. */
function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = [{ header: null, lines: [] }];
  for (const line of text.split('\n')) {
    const header = headerOf(line);
    const { lines } = segments.at(-1)!;
    if (!header) {
      lines.push(line);
      continue;
    }
    let lead = lines.length;
    while (lead > 0 && /^\s*#/.test(lines[lead - 1]!)) lead--;
    segments.push({ header, lines: [...lines.splice(lead), line] });
  }
  return segments;
}

const isBelow = (header: readonly string[] | null, path: readonly string[]): boolean =>
  header !== null && path.every((key, index) => header[index] === key);

const textOf = (segments: readonly Segment[]): string => segments.flatMap(({ lines }) => lines).join('\n');

/** Takes a table and those below it out, with their comments. */
export function cutFromToml(text: string, path: readonly string[]): { rest: string; cuts: CutText[] } {
  const segments = segmentsOf(text);
  const cuts: CutText[] = [];
  segments.forEach(({ header, lines }, index) => {
    if (!isBelow(header, path)) return;
    const next = segments.slice(index + 1).find((each) => !isBelow(each.header, path));
    cuts.push({ text: lines.join('\n'), before: next?.header ?? null });
  });
  const rest = textOf(segments.filter(({ header }) => !isBelow(header, path)));
  return { rest: rest === '' || rest.endsWith('\n') ? rest : rest + eolOf(text), cuts };
}

/** Puts the lines back: before the table that followed them, or at the end. */
export function putInToml(text: string, cuts: readonly CutText[]): string {
  const segments = segmentsOf(text);
  const atEnd: string[] = [];
  for (const { text: cut, before } of cuts) {
    const at = segments.findIndex(
      ({ header }) => header !== null && before !== null && header.join('\0') === before.join('\0'),
    );
    if (at < 0) atEnd.push(cut.trimEnd());
    else segments.splice(at, 0, { header: null, lines: cut.split('\n') });
  }
  const rest = textOf(segments);
  if (atEnd.length === 0) return rest;
  const eol = eolOf(text);
  const head = rest.trim() === '' ? '' : rest.trimEnd() + eol + eol;
  return `${head}${atEnd.join(eol + eol)}${eol}`;
}
