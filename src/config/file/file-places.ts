import { findNodeAtLocation, parseTree, type JSONPath, type Node } from 'jsonc-parser';

/** Says where in a file something stands, as "line:column". */
export interface FilePlaces {
  readonly tree: Node | undefined;
  /** The place of the value, or of the nearest enclosing one that is in the file. */
  of(path: readonly PropertyKey[]): string;
  at(offset: number): string;
}

/** Lines and members are looked up in tables: a file may have thousands of servers, each with something to say about it. */
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
