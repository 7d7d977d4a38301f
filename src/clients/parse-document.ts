import { checkJson } from '../config/index.ts';
import { textExceedsDepth } from '../json/index.ts';
import { parseErrorAt, type ParsedDocument, type Unreadable } from './parsed-document.ts';

export type Syntax = 'json' | 'toml' | 'yaml';

/** Reads a text as JSON with comments, TOML or YAML. Parsers of the rarer two are loaded where they are used. */
export async function parseDocument(text: string, syntax?: Syntax): Promise<ParsedDocument | Unreadable> {
  const chosen = syntax ?? syntaxOf(text);
  if (chosen === 'json') return parseJson(text);
  if (textExceedsDepth(text)) return { problem: 'it is nested too deeply' };
  return chosen === 'toml' ? parseToml(text) : (await import('./parse-yaml.ts')).parseYaml(text);
}

const TOML_LINE = /^\s{0,20}(?:\[{1,2}[^\][\n]{1,300}\]{1,2}\s*(?:#.*)?$|[\w."-]{1,200}\s{0,20}=)/m;

function syntaxOf(text: string): Syntax {
  const start = text.replace(/^\uFEFF?\s+/, '').slice(0, 2);
  // The braces around a fragment are easily left out.
  if (/^(?:[{"]|\[[\s{"]|\/[/*])/.test(start)) return 'json';
  return TOML_LINE.test(text) ? 'toml' : 'yaml';
}

function parseJson(text: string): ParsedDocument | Unreadable {
  const isFragment = /^\s*"/.test(text);
  const read = checkJson(isFragment ? `{${text.replace(/,\s*$/, '')}}` : text.replace(/^\uFEFF/, ' '));
  if ('problem' in read) return read;
  return { value: read.value, lineOf: (path) => Number(read.places.of(path).split(':')[0]) };
}

async function parseToml(text: string): Promise<ParsedDocument | Unreadable> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    const value: unknown = parse(text);
    const lines = text.split('\n');
    return { value, lineOf: (path) => tomlLine(lines, path) };
  } catch (error) {
    if (error instanceof TomlError)
      return { problem: parseErrorAt(error.line, error.column, 'invalid TOML') };
    return { problem: 'invalid TOML' };
  }
}

/** The header of the table that the path names. */
function tomlLine(lines: readonly string[], path: ReadonlyArray<string | number>): number | undefined {
  const [table, name] = path;
  const headers = [name, JSON.stringify(name), `'${String(name)}'`].map(
    (each) => `[${table}.${String(each)}`,
  );
  const index = lines.findIndex((line) => headers.some((header) => isHeader(line.trim(), header)));
  return index < 0 ? undefined : index + 1;
}

const isHeader = (line: string, header: string) =>
  line.startsWith(`${header}]`) || line.startsWith(`${header}.`);
