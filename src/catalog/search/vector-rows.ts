import type { TextVector } from './text-vector.ts';

/** The vectors of all tools by slot, and their dot products with one query. */
export interface VectorRows {
  set(slot: number, vector: TextVector | undefined): void;
  /** The cosine with each slot's vector, 0 for an empty slot. Valid until the next call. */
  cosines(query: TextVector, slots: number): Float64Array;
}

/**
 * One function, `dots(query, rows, count, dimensions, out)`: the dot products of `dimensions` int16 at `query` with `count` rows of as
 * many int8 at `rows`, as int32 at `out`, 16 values at a time. Its source is scripts/word-vectors/dots.wat. JavaScript has no SIMD
 * instructions and takes ten to twenty times as long, too long at 100,000 tools.
 */
const DOTS =
  'AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFAwEAAQcRAgZtZW1vcnkCAARkb3RzAAAKqgEBpwECA38CeyAEIAJBAnRqIQUCQANAIAQgBU8NAf0MAAAAAAAAAAAAAAAAAAAA' +
  'ACEIIAAhByABIANqIQYDQCAB/QAEACEJIAggCf2HASAH/QAEAP26ASAJ/YgBIAf9AAQQ/boB/a4B/a4BIQggB0EgaiEHIAFBEGohASABIAZJDQALIAQgCP0bACAI/RsB' +
  'aiAI/RsCIAj9GwNqajYCACAEQQRqIQQMAAsLCw==';
const PAGE = 65_536;

interface Dots {
  memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  dots: (...args: [query: number, rows: number, count: number, dimensions: number, out: number]) => void;
}

/** Memory layout: the query, then an int8 row per slot, then an int32 per slot. It grows by doubling and never moves a row. */
export function createVectorRows(dimensions: number): VectorRows {
  if (dimensions % 16 !== 0) throw new Error('vectors come in multiples of 16 dimensions');
  const rowsAt = 2 * dimensions;
  const { memory, dots } = instantiate();
  let capacity = 0;
  let inverse = new Float64Array(0);
  let found = new Float64Array(0);

  function reserve(slots: number): void {
    if (slots <= capacity) return;
    capacity = Math.max(1024, 2 * slots);
    const bytes = rowsAt + capacity * (dimensions + 4);
    memory.grow(Math.max(0, Math.ceil((bytes - memory.buffer.byteLength) / PAGE)));
    const kept = inverse;
    inverse = new Float64Array(capacity);
    inverse.set(kept);
    found = new Float64Array(capacity);
  }

  return {
    set(slot, vector) {
      reserve(slot + 1);
      inverse[slot] = vector?.inverseLength ?? 0;
      const row = new Int8Array(memory.buffer, rowsAt + slot * dimensions, dimensions);
      if (vector) row.set(vector.values);
      else row.fill(0);
    },
    cosines(query, slots) {
      reserve(slots);
      const outAt = rowsAt + capacity * dimensions;
      new Int16Array(memory.buffer, 0, dimensions).set(query.values);
      dots(0, rowsAt, slots, dimensions, outAt);
      const products = new Int32Array(memory.buffer, outAt, slots);
      for (let slot = 0; slot < slots; slot++)
        found[slot] = products[slot]! * inverse[slot]! * query.inverseLength;
      return found;
    },
  };
}

/** Only the part that is used; complete types come with the browser libraries only. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

function instantiate(): Dots {
  const module = new WebAssembly.Module(Buffer.from(DOTS, 'base64'));
  return new WebAssembly.Instance(module).exports as Dots;
}
