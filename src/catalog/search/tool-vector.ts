import type { FieldWords } from './document-weights.ts';
import { knownRows, quantised, type TextVector } from './text-vector.ts';
import type { Field } from './tool-text.ts';
import type { WordVectors } from './word-vectors.ts';

/** What a tool is about stands in its name and its first sentence; the rest helps. Server names are mostly brands. */
const FIELDS = [
  ['name', 1],
  ['summary', 1],
  ['description', 0.8],
  ['parameters', 0.4],
] as const satisfies Array<[Field, number]>;

/** Each field counts as such, whatever its length. */
export function toolVector(text: FieldWords, table: WordVectors): TextVector | undefined {
  const sum = new Float64Array(table.dimensions);
  for (const [field, weight] of FIELDS) {
    const rows = knownRows(text[field], table);
    for (const row of rows) table.add(row, weight / Math.sqrt(rows.length), sum);
  }
  return quantised(sum);
}
