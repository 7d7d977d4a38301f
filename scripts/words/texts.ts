import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Comment, parseSync, Visitor } from 'oxc-parser';
import { readTree } from '../structure/source-tree.ts';

export interface Text {
  file: string;
  line: number;
  kind: 'sentence' | 'message' | 'comment' | 'title';
  text: string;
}

const PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];
const PAGE_FOLDERS = ['docs', 'examples'];
/** The tests and benchmarks, beside the source tree. */
const TEST_FOLDERS = ['src', 'web', 'test', 'bench'];
/** Phrases that users type or that tools are described by: data, not our sentences. */
const DATA =
  /^src\/(assistant\/(data|language|grammar|model)|scanner|catalog\/(search|verdict))\/|^scripts\//;

/** Everything that a reader of the docs, the messages or the source meets, line by line. */
export function readTexts(root: string): Text[] {
  const pages = [...PAGES, ...PAGE_FOLDERS.flatMap((folder) => pagesBelow(root, folder))];
  return [
    ...pages.flatMap((page) => sentencesOf(page, readFileSync(join(root, page), 'utf8'))),
    ...readTree(root).flatMap(({ path, text }) => textsOf(path, text)),
    ...testsBelow(root).flatMap((path) => commentsAndTitles(path, readFileSync(join(root, path), 'utf8'))),
  ];
}

function pagesBelow(root: string, folder: string): string[] {
  return filesBelow(root, folder).filter((path) => path.endsWith('.md'));
}

function testsBelow(root: string): string[] {
  return TEST_FOLDERS.flatMap((folder) => filesBelow(root, folder)).filter((path) =>
    /^(test|bench)\/.*\.tsx?$|\.test\.tsx?$/.test(path),
  );
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

/** The lines of a page without its code blocks. */
function sentencesOf(file: string, page: string): Text[] {
  let inCode = false;
  return page.split('\n').flatMap((line, index): Text[] => {
    if (/^\s*```/.test(line)) {
      inCode = !inCode;
      return [];
    }
    const text = line.replaceAll(/`[^`]*`/g, '``');
    return inCode || text.trim() === '' ? [] : [{ file, line: index + 1, kind: 'sentence', text }];
  });
}

/** Comments, and the strings with a space in them: those are read by a person. */
function textsOf(file: string, source: string): Text[] {
  const { program, comments } = parseSync(file, source);
  const found = comments.map((comment) => commentText(file, source, comment));
  const add = (start: number, text: string) => {
    if (/\S \S/.test(text)) found.push({ file, line: lineAt(source, start), kind: 'message', text });
  };
  if (!DATA.test(file))
    new Visitor({
      Literal: (node) => {
        if (typeof node.value === 'string') add(node.start, node.value);
      },
      TemplateElement: (node) => add(node.start, node.value.cooked ?? ''),
      JSXText: (node) => add(node.start, node.value),
    }).visit(program);
  return found;
}

/** Other strings of a test are its data. */
function commentsAndTitles(file: string, source: string): Text[] {
  const { program, comments } = parseSync(file, source);
  const found = comments.map((comment) => commentText(file, source, comment));
  new Visitor({
    CallExpression: ({ callee, arguments: [title] }) => {
      const name = /^(test|it|describe)\b/.exec(source.slice(callee.start, callee.end));
      if (name && title?.type === 'Literal' && typeof title.value === 'string')
        found.push({ file, line: lineAt(source, title.start), kind: 'title', text: title.value });
    },
  }).visit(program);
  return found;
}

function commentText(file: string, source: string, { start, value }: Comment): Text {
  return { file, line: lineAt(source, start), kind: 'comment', text: value };
}

function lineAt(source: string, offset: number): number {
  let line = 1;
  for (let at = source.indexOf('\n'); at !== -1 && at < offset; at = source.indexOf('\n', at + 1)) line++;
  return line;
}
