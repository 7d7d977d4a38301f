import type { FieldWords } from './document-weights.ts';
import type { Word } from './tokenize.ts';
import type { Field } from './tool-text.ts';
import type { WordVectors } from './word-vectors.ts';

/** A direction in integers (−127…127) and the inverse of its length: comparing two is exact, so it is the same on every machine. */
export interface TextVector {
  values: Int8Array;
  inverseLength: number;
}

/** The rows of the known terms of a text; a compound by itself if known, else by its parts. */
export function knownRows(words: Iterable<Word>, table: WordVectors): number[] {
  const rows: number[] = [];
  for (const { parts, whole } of words) {
    const row = whole === undefined ? undefined : table.row(whole);
    if (row !== undefined) rows.push(row);
    else
      for (const part of parts) {
        const row = table.row(part);
        if (row !== undefined) rows.push(row);
      }
  }
  return rows;
}

/** Undefined without a direction: no known word, or words that cancel out. */
export function quantised(sum: Float64Array): TextVector | undefined {
  let largest = 0;
  for (const value of sum) largest = Math.max(largest, Math.abs(value));
  if (largest < 1e-9) return undefined;
  const values = Int8Array.from(sum, (value) => Math.round((127 * value) / largest));
  let squares = 0;
  for (const value of values) squares += value * value;
  return { values, inverseLength: 1 / Math.sqrt(squares) };
}

/** What a tool is about stands in its name and its first sentence; the rest helps. Server names are mostly brands. */
const FIELDS = [
  ['name', 1],
  ['summary', 1],
  ['description', 0.8],
  ['parameters', 0.4],
] as const satisfies Array<[Field, number]>;

/** Fields are weighted independently of their length. */
export function toolVector(text: FieldWords, table: WordVectors): TextVector | undefined {
  const sum = new Float64Array(table.dimensions);
  for (const [field, weight] of FIELDS) {
    const rows = knownRows(text[field], table);
    for (const row of rows) table.add(row, weight / Math.sqrt(rows.length), sum);
  }
  return quantised(sum);
}
