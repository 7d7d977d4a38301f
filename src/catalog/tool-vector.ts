import type { IndexedTool } from './document-weights.ts';
import { knownRows, quantised, type TextVector } from './text-vector.ts';
import { words } from './tokenize.ts';
import { toolText, type Field } from './tool-text.ts';
import type { WordVectors } from './word-vectors.ts';

/** What a tool is about stands in its name and its first sentence; server names are mostly brands, and footnotes blur the direction. */
const FIELDS = ['name', 'summary'] as const satisfies Field[];

/** Name and first sentence count alike, whatever their lengths. */
export function toolVector(tool: IndexedTool, table: WordVectors): TextVector | undefined {
  const text = toolText(tool.server, tool.definition);
  const sum = new Float64Array(table.dimensions);
  for (const field of FIELDS) {
    const rows = knownRows(words(text[field]), table);
    for (const row of rows) table.add(row, 1 / Math.sqrt(rows.length), sum);
  }
  return quantised(sum);
}
