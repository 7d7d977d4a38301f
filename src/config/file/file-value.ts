import type { Node } from 'jsonc-parser';

/** The value of a tree. Unlike in the values of the parser, a key __proto__ is a key like any other, and objects are ordinary ones. */
export function valueOf(node: Node | undefined): unknown {
  if (node?.type === 'array') return (node.children ?? []).map(valueOf);
  if (node?.type !== 'object') return node?.value as unknown;
  const members = (node.children ?? []).filter(({ children }) => children?.[1]);
  return Object.fromEntries(
    members.map(({ children }) => [children![0]!.value as string, valueOf(children![1])]),
  );
}
