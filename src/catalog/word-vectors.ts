import { readFileSync } from 'node:fs';
import { tokenize } from './tokenize.ts';

/** A table of words with a vector each: words of like meaning point the same way. Rows are int8 with a scale of their own. */
export interface WordVectors {
  readonly dimensions: number;
  /** A term as the tokenizer gives it. */
  row(term: string): number | undefined;
  /** Words that say little on their own have short vectors. */
  length(row: number): number;
  /** Adds a row times a weight to a sum. */
  add(row: number, weight: number, sum: Float64Array): void;
}

/** What any tool may call itself. In a catalogue of tools such a word points nowhere, yet would pull every "… tool" together. */
const SELF_WORDS = new Set(tokenize('tool plugin mcp api function'));

const MAGIC = 0x3156574d;
const HEADER_BYTES = 16;

/** Layout, little-endian: magic "MWV1", rows, dimensions, bytes of text; the terms, one a line; a float32 scale a row; the rows. */
export function parseWordVectors(bytes: Uint8Array): WordVectors {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = (index: number) => view.getUint32(4 * index, true);
  if (bytes.length < HEADER_BYTES || header(0) !== MAGIC) throw new Error('not a table of word vectors');
  const [count, dimensions, textBytes] = [header(1), header(2), header(3)];
  const scalesAt = HEADER_BYTES + textBytes;
  const valuesAt = scalesAt + 4 * count;
  if (bytes.length !== valuesAt + count * dimensions) throw new Error('a table of word vectors cut short');

  const rows = new Map<string, number>();
  for (const term of new TextDecoder().decode(bytes.subarray(HEADER_BYTES, scalesAt)).split('\n'))
    rows.set(term, rows.size);
  for (const word of SELF_WORDS) rows.delete(word);
  const scaleOf = (row: number) => view.getFloat32(scalesAt + 4 * row, true);
  const values = new Int8Array(bytes.buffer, bytes.byteOffset + valuesAt, count * dimensions);
  return {
    dimensions,
    length(row) {
      let squares = 0;
      for (let i = row * dimensions; i < (row + 1) * dimensions; i++) squares += values[i]! * values[i]!;
      return scaleOf(row) * Math.sqrt(squares);
    },
    row: (term) => rows.get(term),
    add(row, weight, sum) {
      const factor = weight * scaleOf(row);
      const start = row * dimensions;
      for (let i = 0; i < dimensions; i++) sum[i] = sum[i]! + factor * values[start + i]!;
    },
  };
}

let shipped: WordVectors | undefined;

/** The table that comes with the program. Read when a tool is first indexed, not when a command merely starts. */
export function shippedWordVectors(): WordVectors {
  shipped ??= parseWordVectors(readFileSync(new URL('./data/words.bin', import.meta.url)));
  return shipped;
}
