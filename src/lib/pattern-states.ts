/** One step of a pattern: a character that must match, a place that must be right, a fork, or the end. */
export type State =
  | { kind: 'character'; matches: (character: string) => boolean; next: number }
  | { kind: 'place'; holds: (before: string, after: string) => boolean; next: number }
  | { kind: 'fork'; next: number; other: number }
  | { kind: 'end' };

type Node =
  | { is: 'character'; matches: (character: string) => boolean }
  | { is: 'place'; holds: (before: string, after: string) => boolean }
  | { is: 'row'; nodes: Node[] }
  | { is: 'choice'; nodes: Node[] }
  | { is: 'repeat'; node: Node; min: number; max: number };

/** Thrown for what a walk through states cannot do: looking around, referring back, or being very large. */
export class UnsupportedPattern extends Error {}

const MAX_STATES = 2000;
const MAX_LENGTH = 1000;
const MAX_NESTING = 50;

/** A pattern as states that can be walked through once per character. The caller has made sure that it is a valid pattern. */
export function patternStates(source: string): { states: State[]; start: number } {
  if (source.length > MAX_LENGTH)
    throw new UnsupportedPattern(`the pattern is longer than ${MAX_LENGTH} characters`);
  const states: State[] = [{ kind: 'end' }];
  const start = append(states, new Parser(source).whole(), 0);
  return { states, start };
}

/** Built from the back: what follows a node exists before the node. Gives the entry. */
function append(states: State[], node: Node, next: number): number {
  if (states.length > MAX_STATES) throw new UnsupportedPattern('the pattern is too large');
  switch (node.is) {
    case 'character':
      return states.push({ kind: 'character', matches: node.matches, next }) - 1;
    case 'place':
      return states.push({ kind: 'place', holds: node.holds, next }) - 1;
    case 'row':
      return node.nodes.reduceRight((after, each) => append(states, each, after), next);
    case 'choice':
      return node.nodes
        .map((each) => append(states, each, next))
        .reduceRight((other, entry) => states.push({ kind: 'fork', next: entry, other }) - 1);
    case 'repeat':
    default:
      return appendRepeat(states, node, next);
  }
}

function appendRepeat(
  states: State[],
  { node, min, max }: Extract<Node, { is: 'repeat' }>,
  next: number,
): number {
  let entry = next;
  if (max === Infinity) {
    const fork = { kind: 'fork' as const, next: 0, other: next };
    entry = states.push(fork) - 1;
    fork.next = append(states, node, entry);
  } else {
    for (let i = min; i < max; i++) {
      const body = append(states, node, entry);
      entry = states.push({ kind: 'fork', next: body, other: next }) - 1;
    }
  }
  for (let i = 0; i < min; i++) entry = append(states, node, entry);
  return entry;
}

const isWord = (character: string) => /^\w$/.test(character);
const PLACES: Record<string, (before: string, after: string) => boolean> = {
  '^': (before) => before === '',
  $: (_, after) => after === '',
  '\\b': (before, after) => isWord(before) !== isWord(after),
  '\\B': (before, after) => isWord(before) === isWord(after),
};
/** A class or an escape, left to the built-in engine one character at a time. */
const ESCAPE =
  /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|c[A-Za-z]|[^1-9kuxpPc])/y;
const CLASS = /\[(?:\\.|[^\]\\])*\]/suy;
const COUNT = /\{(\d+)(?:(,)(\d*))?\}/y;

class Parser {
  readonly #source: string;
  #at = 0;
  #nesting = 0;

  constructor(source: string) {
    this.#source = source;
  }

  whole(): Node {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new UnsupportedPattern('the pattern has an unmatched bracket');
    return node;
  }

  #choice(): Node {
    if (++this.#nesting > MAX_NESTING) throw new UnsupportedPattern('the pattern is nested too deeply');
    const nodes = [this.#row()];
    while (this.#take('|')) nodes.push(this.#row());
    this.#nesting--;
    return nodes.length === 1 ? nodes[0]! : { is: 'choice', nodes };
  }

  #row(): Node {
    const nodes: Node[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at]!))
      nodes.push(this.#repeated(this.#atom()));
    return { is: 'row', nodes };
  }

  #repeated(node: Node): Node {
    const [min, max] = this.#count();
    if (min === 1 && max === 1) return node;
    this.#take('?'); // Lazy or greedy: the same texts match.
    return { is: 'repeat', node, min, max };
  }

  #count(): [number, number] {
    if (this.#take('*')) return [0, Infinity];
    if (this.#take('+')) return [1, Infinity];
    if (this.#take('?')) return [0, 1];
    const found = this.#match(COUNT);
    if (!found) return [1, 1];
    const min = Number(found[1]);
    return [min, found[2] === undefined ? min : found[3] ? Number(found[3]) : Infinity];
  }

  #atom(): Node {
    if (this.#take('(')) return this.#group();
    for (const [text, holds] of Object.entries(PLACES)) if (this.#take(text)) return { is: 'place', holds };
    if (this.#take('.'))
      return { is: 'character', matches: (character) => !/^[\n\r\u2028\u2029]$/.test(character) };
    const builtIn = this.#match(CLASS) ?? this.#match(ESCAPE);
    if (builtIn) return { is: 'character', matches: oneCharacter(builtIn[0]) };
    const literal = String.fromCodePoint(this.#source.codePointAt(this.#at)!);
    if (/[\\*+?[]/.test(literal)) throw new UnsupportedPattern('the pattern refers back or is malformed');
    this.#at += literal.length;
    return { is: 'character', matches: (character) => character === literal };
  }

  #group(): Node {
    if (this.#take('?') && !this.#take(':') && !this.#match(/<[\p{L}_$][\p{L}\p{N}_$]*>/uy))
      throw new UnsupportedPattern('the pattern looks around');
    const node = this.#choice();
    if (!this.#take(')')) throw new UnsupportedPattern('the pattern has an unmatched bracket');
    return node;
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found) this.#at += found[0].length;
    return found ?? undefined;
  }
}

function oneCharacter(source: string): (character: string) => boolean {
  const expression = nativePattern(`^${source}$`);
  if (!expression) throw new UnsupportedPattern('the pattern has a class of its own kind');
  return (character) => expression.test(character);
}

/** As JSON Schema reads patterns: with Unicode where the pattern allows it. */
export function nativePattern(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      continue;
    }
  }
  return undefined;
}
