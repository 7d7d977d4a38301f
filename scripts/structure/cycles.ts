import type { SourceFile } from './source-tree.ts';

/** Groups of files that import each other in a circle (strongly connected components, by Tarjan's algorithm). */
export function findCycles(files: readonly SourceFile[], { types }: { types: boolean }): string[][] {
  const known = new Map(files.map((file) => [file.path, file]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const cycles: string[][] = [];

  function visit(path: string): void {
    order.set(path, order.size);
    lowest.set(path, order.get(path)!);
    stack.push(path);
    onStack.add(path);
    for (const { to, isTypeOnly } of known.get(path)!.imports) {
      if (!known.has(to) || (isTypeOnly && !types)) continue;
      if (!order.has(to)) visit(to);
      else if (!onStack.has(to)) continue;
      lowest.set(path, Math.min(lowest.get(path)!, lowest.get(to)!));
    }
    if (lowest.get(path) === order.get(path)) takeGroup(path);
  }

  function takeGroup(path: string): void {
    const group = stack.splice(stack.indexOf(path));
    for (const member of group) onStack.delete(member);
    if (group.length > 1) cycles.push(group.sort());
  }

  for (const path of known.keys()) if (!order.has(path)) visit(path);
  return cycles;
}
