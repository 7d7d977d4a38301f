import { findNodeAtLocation, parseTree, type JSONPath, type Node } from 'jsonc-parser';

/** Positions in a file, as "line:column". */
export interface FilePlaces {
  readonly tree: Node | undefined;
  /** The position of the value, or of the nearest enclosing value in the file. */
  of(path: readonly PropertyKey[]): string;
  at(offset: number): string;
}

/** Uses tables for lines and members: a file may have thousands of servers, each with warnings. */
export function filePlaces(text: string): FilePlaces {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const lines = lineStarts(text);
  const members = new Map<Node, Map<string, Node>>();

  function at(offset: number): string {
    let [low, high] = [0, lines.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (lines[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return `${low + 1}:${offset - lines[low]! + 1}`;
  }

  function membersOf(node: Node): Map<string, Node> {
    const known = members.get(node);
    if (known) return known;
    const found = new Map<string, Node>();
    for (const { children } of node.children ?? [])
      if (children?.[1]) found.set(children[0]!.value as string, children[1]);
    members.set(node, found);
    return found;
  }

  function find(path: JSONPath): Node | undefined {
    let node = tree;
    for (const step of path) {
      if (!node) return undefined;
      node = node.type === 'object' ? membersOf(node).get(String(step)) : findNodeAtLocation(node, [step]);
    }
    return node;
  }

  return {
    tree,
    at,
    of(path) {
      const steps = path.filter((step) => typeof step !== 'symbol');
      for (let length = steps.length; length > 0; length--) {
        const node = find(steps.slice(0, length));
        if (node) return at(node.parent?.type === 'property' ? node.parent.offset : node.offset);
      }
      return at(0);
    },
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The value of a syntax tree. Unlike the parser's own values, it keeps a key __proto__ as an ordinary key. */
export function valueOf(node: Node | undefined): unknown {
  if (node?.type === 'array') return (node.children ?? []).map(valueOf);
  if (node?.type !== 'object') return node?.value as unknown;
  const members = (node.children ?? []).filter(({ children }) => children?.[1]);
  return Object.fromEntries(
    members.map(({ children }) => [children![0]!.value as string, valueOf(children![1])]),
  );
}
