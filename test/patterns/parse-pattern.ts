/** A pattern taken apart. Leaves keep their text: whether a character fits is asked of the built-in engine, one character at a time. */
export type Node =
  | { kind: 'leaf'; source: string }
  | { kind: 'edge'; source: string }
  | { kind: 'look'; ahead: boolean; wanted: boolean; body: Node }
  | { kind: 'again'; group: string }
  | { kind: 'all'; parts: Node[] }
  | { kind: 'any'; ways: Node[] }
  | { kind: 'group'; name: string; body: Node }
  | { kind: 'repeat'; body: Node; min: number; max: number; lazy: boolean };

const QUANTIFIER = /^(?:([*+?])|\{(\d+)(,(\d*))?\})(\?)?/;
const ESCAPE = /^\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|c[A-Za-z]|[^])/;
const GROUP = /^\((?:\?(?:(:)|(<?[=!])|<([^>=!]+)>))?/;

export function parsePattern(source: string): Node {
  let at = 0;
  let groups = 0;
  const rest = () => source.slice(at);

  function choice(): Node {
    const ways = [sequence()];
    while (source[at] === '|') {
      at++;
      ways.push(sequence());
    }
    return ways.length === 1 ? ways[0]! : { kind: 'any', ways };
  }

  function sequence(): Node {
    const parts: Node[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(quantified(atom()));
    return { kind: 'all', parts };
  }

  function quantified(body: Node): Node {
    const found = QUANTIFIER.exec(rest());
    if (!found) return body;
    at += found[0].length;
    const [, mark, low, comma, high, lazy] = found;
    const min = mark ? (mark === '+' ? 1 : 0) : Number(low);
    const most = mark === '?' ? 1 : comma === undefined && !mark ? min : high ? Number(high) : Infinity;
    return { kind: 'repeat', body, min, max: most, lazy: lazy !== undefined };
  }

  function atom(): Node {
    if (source[at] === '(') return group();
    if (source[at] === '^' || source[at] === '$') return { kind: 'edge', source: source[at++]! };
    if (source[at] === '[') return leaf(classEnd() - at);
    if (source[at] !== '\\') return leaf(source.codePointAt(at)! > 0xffff ? 2 : 1);
    if (source[at + 1] === 'b' || source[at + 1] === 'B') return { kind: 'edge', source: taken(2) };
    const named = /^\\k<([^>]+)>/.exec(rest()) ?? /^\\([1-9])/.exec(rest());
    if (named) {
      taken(named[0].length);
      return { kind: 'again', group: named[1]! };
    }
    return leaf(ESCAPE.exec(rest())![0].length);
  }

  function group(): Node {
    const [open, plain, look, name] = GROUP.exec(rest())!;
    at += open.length;
    const number = plain === undefined && look === undefined ? ++groups : 0;
    const body = choice();
    at++;
    if (look !== undefined)
      return { kind: 'look', ahead: look.length === 1, wanted: look.endsWith('='), body };
    return number === 0 ? body : { kind: 'group', name: name ?? String(number), body };
  }

  function classEnd(): number {
    let end = at + 1;
    while (source[end] !== ']') end += source[end] === '\\' ? 2 : 1;
    return end + 1;
  }

  function taken(length: number): string {
    at += length;
    return source.slice(at - length, at);
  }

  function leaf(length: number): Node {
    return { kind: 'leaf', source: taken(length) };
  }

  return choice();
}

/** All leaves, in the order in which they stand. */
export function leavesOf(node: Node): string[] {
  switch (node.kind) {
    case 'leaf':
      return [node.source];
    case 'all':
      return node.parts.flatMap(leavesOf);
    case 'any':
      return node.ways.flatMap(leavesOf);
    case 'look':
    case 'group':
    case 'repeat':
      return leavesOf(node.body);
    case 'edge':
    case 'again':
    default:
      return [];
  }
}

/** The ways that the pattern offers at its choices. */
export function waysOf(node: Node): Node[] {
  switch (node.kind) {
    case 'any':
      return node.ways.flatMap((way) => [way, ...waysOf(way)]);
    case 'all':
      return node.parts.flatMap(waysOf);
    case 'look':
    case 'group':
    case 'repeat':
      return waysOf(node.body);
    case 'leaf':
    case 'edge':
    case 'again':
    default:
      return [];
  }
}
