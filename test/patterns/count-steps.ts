import { parsePattern, type Node } from './parse-pattern.ts';

export class TooManySteps extends Error {}

type Next = (at: number) => boolean;
type Match = (at: number, next: Next) => boolean;

/**
 * How many characters a backtracking engine looks at when it searches a text from end to end, as for a replacement. Counted by an engine
 * of our own: unlike time, the number is the same on every machine. The built-in engine is sometimes cleverer, never worse.
 */
export function countSteps(
  { source, flags }: { source: string; flags: string },
  text: string,
  limit: number,
): number {
  const units = flags.includes('u') ? Array.from(text) : text.split('');
  const groups = new Map<string, string>();
  const fits = tester(flags);
  let steps = 0;
  const step = () => {
    if (++steps > limit) throw new TooManySteps(`more than ${limit} steps`);
  };
  const one = (leaf: string, at: number) => {
    step();
    return at < units.length && fits(leaf, units[at]!);
  };

  function compile(node: Node): Match {
    switch (node.kind) {
      case 'leaf':
        return (at, next) => one(node.source, at) && next(at + 1);
      case 'edge':
        return (at, next) => isEdge(node.source, at) && next(at);
      case 'all':
        return inRow(node.parts.map(compile));
      case 'any': {
        const ways = node.ways.map(compile);
        return (at, next) => ways.some((way) => way(at, next));
      }
      case 'group': {
        const body = compile(node.body);
        return (at, next) =>
          body(at, (end) => {
            groups.set(node.name, units.slice(at, end).join(''));
            return next(end);
          });
      }
      case 'again':
        return (at, next) => {
          const said = groups.get(node.group) ?? '';
          for (let i = 0; i < said.length; i++) {
            step();
            if (units[at + i] !== said[i]) return false;
          }
          return next(at + said.length);
        };
      case 'look': {
        const body = compile(node.body);
        const back = node.ahead ? [0] : lengthsOf(node.body);
        return (at, next) => {
          const found = back.some(
            (length) => at >= length && body(at - length, (end) => node.ahead || end === at),
          );
          return found === node.wanted && next(at);
        };
      }
      case 'repeat':
      default:
        return repeated(node);
    }
  }

  function isEdge(edge: string, at: number): boolean {
    step();
    const many = flags.includes('m');
    if (edge === '^') return at === 0 || (many && units[at - 1] === '\n');
    if (edge === '$') return at === units.length || (many && units[at] === '\n');
    const [before, after] = [units[at - 1] ?? '', units[at] ?? ''].map((unit) => /\w/.test(unit));
    return (before !== after) === (edge === '\\b');
  }

  function repeated({ body, min, max, lazy }: Extract<Node, { kind: 'repeat' }>): Match {
    // One character again and again needs no recursion, which would be too deep for a long text.
    if (body.kind === 'leaf') {
      return (at, next) => {
        if (lazy) {
          for (let count = 0; count <= max; count++) {
            if (count >= min && next(at + count)) return true;
            if (!one(body.source, at + count)) return false;
          }
          return false;
        }
        let count = 0;
        while (count < max && one(body.source, at + count)) count++;
        for (; count >= min; count--) if (next(at + count)) return true;
        return false;
      };
    }
    const once = compile(body);
    const from =
      (count: number): Match =>
      (at, next) => {
        const more = () =>
          count < max && once(at, (end) => (end > at || count < min) && from(count + 1)(end, next));
        if (count < min) return more();
        return lazy ? next(at) || more() : more() || next(at);
      };
    return from(0);
  }

  const match = compile(parsePattern(source));
  const sticky = flags.includes('y');
  for (let at = 0; at <= units.length;) {
    let end = -1;
    step();
    match(at, (to) => {
      end = to;
      return true;
    });
    if (end < 0 && sticky) break;
    at = Math.max(at + 1, end);
  }
  return steps;
}

function inRow(parts: Match[]): Match {
  return (at, next) => {
    const from = (index: number, place: number): boolean =>
      index === parts.length ? next(place) : parts[index]!(place, (end) => from(index + 1, end));
    return from(0, at);
  };
}

/** What stands behind the place must have one of a few lengths. */
function lengthsOf(node: Node): number[] {
  switch (node.kind) {
    case 'leaf':
      return [1];
    case 'edge':
    case 'look':
      return [0];
    case 'all':
      return node.parts.reduce(
        (sums, part) => sums.flatMap((sum) => lengthsOf(part).map((one) => sum + one)),
        [0],
      );
    case 'any':
      return [...new Set(node.ways.flatMap(lengthsOf))];
    case 'group':
      return lengthsOf(node.body);
    case 'repeat':
    case 'again':
    default:
      throw new Error('looking back over any length is not counted');
  }
}

/** Whether a character fits a leaf, remembered. */
export function tester(flags: string): (leaf: string, unit: string) => boolean {
  const known = new Map<string, boolean>();
  const own = flags.replace(/[dgmy]/g, '');
  return (leaf, unit) => {
    const key = `${leaf}\u0000${unit}`;
    let answer = known.get(key);
    if (answer === undefined) known.set(key, (answer = new RegExp(`^(?:${leaf})$`, own).test(unit)));
    return answer;
  };
}
