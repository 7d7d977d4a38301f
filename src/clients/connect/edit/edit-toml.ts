import { parse, stringify } from 'smol-toml';
import { eolOf, nestedIn } from './edit-json.ts';

/** Sets (or with undefined removes) a table of a TOML text, with the tables below it. All other lines stay as they are. */
export function setInToml(text: string, path: readonly string[], value: unknown): string {
  const eol = eolOf(text);
  const rest = withoutTables(text, path);
  if (value === undefined) return rest;
  const nested = nestedIn(path, value);
  const block = stringify(nested).trim().replaceAll('\n', eol);
  const head = rest === '' || rest.endsWith('\n') ? rest : rest + eol;
  return `${head}${head === '' ? '' : eol}${block}${eol}`;
}

function withoutTables(text: string, path: readonly string[]): string {
  const lines = text.split('\n');
  const kept: string[] = [];
  let block: string[] | undefined;
  const close = () => {
    if (!block) return;
    // Comments and blank lines at the end belong to what follows.
    let end = block.length;
    while (end > 0 && /^\s*(?:#.*)?$/.test(block[end - 1]!)) end--;
    // The blank line that separated the table goes with it.
    if (kept.at(-1)?.trim() === '' && (end < block.length ? block[end]!.trim() === '' : true)) kept.pop();
    kept.push(...block.slice(end));
    block = undefined;
  };
  for (const line of lines) {
    const header = headerOf(line);
    if (header) close();
    if (header && path.every((key, index) => header[index] === key)) block = [line];
    else (block ?? kept).push(line);
  }
  close();
  return kept.join('\n');
}

/** The path of a table, if the line is its header. */
export function headerOf(line: string): string[] | undefined {
  if (!/^\s*\[/.test(line)) return undefined;
  try {
    const path: string[] = [];
    let value: unknown = parse(line.trim());
    while (typeof value === 'object' && value !== null) {
      const [key] = Object.keys(value);
      if (key === undefined) break;
      path.push(key);
      const inner = (value as Record<string, unknown>)[key];
      value = Array.isArray(inner) ? inner[0] : inner;
    }
    return path;
  } catch {
    // A line of a list over several lines, or of a text.
    return undefined;
  }
}
