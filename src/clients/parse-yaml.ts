import { isNode, LineCounter, parseDocument } from 'yaml';
import { parseErrorAt, type ParsedDocument, type Unreadable } from './parsed-document.ts';

/** References to anchors: more could make a small text very large. */
const MAX_ALIASES = 100;

export function parseYaml(text: string): ParsedDocument | Unreadable {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, merge: true });
  const [error] = document.errors;
  if (error) {
    const { line, col } = counter.linePos(error.pos[0]);
    return { problem: parseErrorAt(line, col, 'invalid YAML') };
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    const lineOf = (path: ReadonlyArray<string | number>) => {
      const node = document.getIn(path, true);
      const range = isNode(node) ? node.range : undefined;
      return range ? counter.linePos(range[0]).line : undefined;
    };
    return { value, lineOf };
  } catch {
    return { problem: 'invalid YAML: too many references to anchors' };
  }
}
