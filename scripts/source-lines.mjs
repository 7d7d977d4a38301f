// From the source map of a built file what a stack trace needs: where in it a line of our own sources begins.

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A source map of the same positions, in which only a new line of a source counts, and packages are one source without lines. */
export function sourceLines(text, nameOf) {
  const { sources, mappings } = JSON.parse(text);
  const names = sources.map(nameOf);
  const kept = names.filter((name) => name !== undefined);
  const numbers = names.map((name) => (name === undefined ? undefined : kept.indexOf(name)));
  const at = { source: 0, line: 0, column: 0 };
  const written = { source: 0, line: 0 };
  let last = '';
  const lines = mappings.split(';').map((line) => {
    let column = 0;
    let writtenColumn = 0;
    const segments = [];
    for (const segment of line.split(',')) {
      const [columns, source, lineDelta, columnDelta] = decoded(segment);
      if (columns === undefined) continue;
      column += columns;
      if (source === undefined) continue;
      at.source += source;
      at.line += lineDelta;
      at.column += columnDelta;
      const number = numbers[at.source];
      const here = `${number} ${number === undefined ? '' : at.line}`;
      if (here === last) continue;
      last = here;
      segments.push(
        number === undefined
          ? encoded([column - writtenColumn])
          : encoded([column - writtenColumn, number - written.source, at.line - written.line, 0]),
      );
      writtenColumn = column;
      if (number !== undefined) Object.assign(written, { source: number, line: at.line });
    }
    return segments.join(',');
  });
  return JSON.stringify({ version: 3, sources: kept, names: [], mappings: lines.join(';') });
}

/** Base 64 of six bits each, the lowest first: a bit that more follow, five of the number, whose lowest is its sign. */
function decoded(segment) {
  const numbers = [];
  let value = 0;
  let shift = 0;
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value |= (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
    value = shift = 0;
  }
  return numbers;
}

function encoded(numbers) {
  return numbers
    .map((number) => {
      let rest = number < 0 ? (-number << 1) | 1 : number << 1;
      let text = '';
      do {
        const more = rest >>> 5;
        text += DIGITS[(rest & 31) | (more ? 32 : 0)];
        rest = more;
      } while (rest);
      return text;
    })
    .join('');
}
