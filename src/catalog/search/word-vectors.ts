import { readFileSync } from 'node:fs';
import { tokenize } from './tokenize.ts';

/** A table of words with a vector each: words of similar meaning have similar directions. Rows are int8, each with its own scale. */
export interface WordVectors {
  readonly dimensions: number;
  /** The row of a term of the tokenizer. */
  row(term: string): number | undefined;
  /** Words with little meaning have short vectors. */
  length(row: number): number;
  /** Adds a row times a weight to a sum. */
  add(row: number, weight: number, sum: Float64Array): void;
  /** The most similar terms of the whole table, best first. */
  near(row: number): Near[];
}

export interface Near {
  term: string;
  /** The cosine, 0..1. */
  alike: number;
}

/** Words that any tool may use for itself. In a catalog of tools they mean nothing, but would make all tools similar. */
const SELF_WORDS = new Set(tokenize('tool plugin mcp api function'));

const MAGIC = 0x3256574d;
const HEADER_BYTES = 20;

/**
 * Layout, little-endian: magic "MWV2", rows, dimensions, bytes of text, similar rows per row; the terms, one per line; a float32 scale per
 * row; the rows; for each row the similar rows as uint16, then their similarity in 255ths.
 */
export function parseWordVectors(bytes: Uint8Array): WordVectors {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = (index: number) => view.getUint32(4 * index, true);
  if (bytes.length < HEADER_BYTES || header(0) !== MAGIC) throw new Error('not a table of word vectors');
  const [count, dimensions, textBytes, nearest] = [header(1), header(2), header(3), header(4)];
  const scalesAt = HEADER_BYTES + textBytes;
  const valuesAt = scalesAt + 4 * count;
  const nearAt = valuesAt + count * dimensions;
  const alikeAt = nearAt + 2 * count * nearest;
  if (bytes.length !== alikeAt + count * nearest) throw new Error('a truncated table of word vectors');

  const terms = new TextDecoder().decode(bytes.subarray(HEADER_BYTES, scalesAt)).split('\n');
  const rows = new Map(terms.map((term, row) => [term, row]));
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
    near(row) {
      const found: Near[] = [];
      for (let at = row * nearest; at < (row + 1) * nearest; at++) {
        const term = terms[view.getUint16(nearAt + 2 * at, true)]!;
        if (rows.has(term)) found.push({ term, alike: view.getUint8(alikeAt + at) / 255 });
      }
      return found;
    },
  };
}

let shipped: WordVectors | undefined;

/** The table that comes with the program. Read when the first tool is indexed, because most commands need none. */
export function shippedWordVectors(): WordVectors {
  shipped ??= parseWordVectors(readFileSync(new URL('./data/words.bin', import.meta.url)));
  return shipped;
}
