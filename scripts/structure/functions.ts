import { parseSync, visitorKeys } from 'oxc-parser';
import type { SourceFile } from './source-tree.ts';

export interface FunctionSize {
  name: string;
  path: string;
  line: number;
  /** Without the lines of functions inside it. */
  ownLines: number;
  /** Cyclomatic: one plus the branches of its own. */
  complexity: number;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const BRANCHES = new Set([
  'IfStatement',
  'ConditionalExpression',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'CatchClause',
]);

/** Every function of a file, the ones inside others too. */
export function functionsOf({ path, text }: SourceFile): FunctionSize[] {
  const found: FunctionSize[] = [];
  const starts = lineStarts(text);
  const lineAt = (at: number) => starts.findLastIndex((start) => start <= at) + 1;
  const linesOf = (node: Node) => lineAt(node.end) - lineAt(node.start) + 1;

  function walk(node: Node, name: string, owner: FunctionSize | undefined): void {
    let holder = owner;
    if (FUNCTIONS.has(node.type)) {
      const lines = linesOf(node);
      if (owner) owner.ownLines -= lines - 1;
      const named = (node.id as { name?: string } | null)?.name ?? name;
      holder = {
        name: named || '(anonymous)',
        path,
        line: lineAt(node.start),
        ownLines: lines,
        complexity: 1,
      };
      found.push(holder);
    } else if (holder && isBranch(node)) holder.complexity++;
    for (const key of visitorKeys[node.type] ?? []) {
      const name = nameFor(node, key);
      for (const child of [node[key]].flat()) if (isNode(child)) walk(child, name, holder);
    }
  }

  walk(parseSync(path, text).program as unknown as Node, '', undefined);
  return found;
}

function isBranch({ type, test, operator }: Node): boolean {
  if (type === 'SwitchCase') return test !== null;
  if (type === 'AssignmentExpression') return ['&&=', '||=', '??='].includes(operator as string);
  return type === 'LogicalExpression' || BRANCHES.has(type);
}

/** `const read = () => …` and `{ read() {…} }` are named by what holds them. */
function nameFor(node: Node, key: string): string {
  const holder = key === 'init' ? node.id : key === 'value' ? node.key : undefined;
  return (holder as { name?: string } | undefined)?.name ?? '';
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
