import {
  findNodeAtLocation,
  parse,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import type { z } from 'zod';
import { Config, UNKNOWN_KEY } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import { textExceedsDepth } from '../lib/json-limits.ts';
import { visibleLine } from '../lib/visible-text.ts';
import type { Overrides } from './settings.ts';
import { nearestKey } from './nearest-key.ts';
import { isObject } from '../lib/json-object.ts';

const MAX_PROBLEMS = 10;
const SYNTAX = { allowTrailingComma: true };

/** Text with comments → configuration, or CONFIG_INVALID with every problem by file, line, column and key. */
export function parseConfig(text: string, file: string, overrides: Overrides = {}): Config {
  const problems = syntaxProblems(text);
  if (problems.length > 0) throw invalid(file, problems);
  const value: unknown = text.trim() === '' ? {} : parse(text, [], SYNTAX);
  const parsed = Config.safeParse(isObject(value) ? { ...value, ...overrides } : value);
  if (parsed.success) return parsed.data;
  const tree = parseTree(text, [], SYNTAX);
  throw invalid(
    file,
    parsed.error.issues.flatMap((issue) => schemaProblems(text, tree, issue)),
  );
}

function syntaxProblems(text: string): string[] {
  if (textExceedsDepth(text)) return ['the file is nested too deeply'];
  const errors: ParseError[] = [];
  parse(text, errors, SYNTAX);
  if (errors.length === 0) return forbiddenKeys(text, parseTree(text, [], SYNTAX));
  return errors.map(({ error, offset }) => `${place(text, offset)}: ${sentence(printParseErrorCode(error))}`);
}

function schemaProblems(text: string, tree: Node | undefined, issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(text, tree, [...issue.path, key]));
  if (issue.message === UNKNOWN_KEY) return [unknownKey(text, tree, issue.path)];
  return [`${placeOf(text, tree, issue.path)}: ${pathText(issue.path)}: ${issue.message}`];
}

function unknownKey(text: string, tree: Node | undefined, path: PropertyKey[]): string {
  const near = nearestKey(String(path.at(-1)), path.slice(0, -1));
  return `${placeOf(text, tree, path)}: ${pathText(path)}: ${UNKNOWN_KEY}${near ? `; did you mean "${near}"?` : ''}`;
}

/** The parser would make such a key the prototype of its object, where nobody sees it. */
function forbiddenKeys(text: string, node: Node | undefined): string[] {
  if (node?.type === 'property' && node.children?.[0]?.value === '__proto__')
    return [`${place(text, node.offset)}: the key __proto__ is not allowed`];
  return (node?.children ?? []).flatMap((child) => forbiddenKeys(text, child));
}

/** The place of the value, or of the nearest enclosing one that is in the file. */
function placeOf(text: string, tree: Node | undefined, path: readonly PropertyKey[]): string {
  const keys = path.filter((key) => typeof key !== 'symbol');
  for (let length = keys.length; length > 0; length--) {
    const node = tree && findNodeAtLocation(tree, keys.slice(0, length));
    if (node) return place(text, node.parent?.type === 'property' ? node.parent.offset : node.offset);
  }
  return place(text, 0);
}

function place(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `${before.length}:${before.at(-1)!.length + 1}`;
}

function pathText(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'the file' : visibleLine(path.map(String).join('.'));
}

function sentence(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

function invalid(file: string, problems: string[]): ProxyError {
  const shown = problems.slice(0, MAX_PROBLEMS).map((problem) => `${file}:${problem}`);
  if (problems.length > MAX_PROBLEMS) shown.push(`… and ${problems.length - MAX_PROBLEMS} more`);
  return new ProxyError('CONFIG_INVALID', shown.join('\n'), { file, problems: shown });
}
