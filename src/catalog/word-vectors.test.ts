import { describe, expect, test } from 'vitest';
import { quantised, type TextVector } from './text-vector.ts';
import { tokenize } from './tokenize.ts';
import { parseWordVectors, shippedWordVectors } from './word-vectors.ts';

function packed(rows: Record<string, { scale: number; values: number[] }>): Uint8Array {
  const terms = Object.keys(rows);
  const dimensions = Object.values(rows)[0]!.values.length;
  const text = new TextEncoder().encode(terms.join('\n'));
  const bytes = new Uint8Array(16 + text.length + terms.length * (4 + dimensions));
  const view = new DataView(bytes.buffer);
  [0x3156574d, terms.length, dimensions, text.length].forEach((value, i) =>
    view.setUint32(4 * i, value, true),
  );
  bytes.set(text, 16);
  terms.forEach((term, row) => {
    view.setFloat32(16 + text.length + 4 * row, rows[term]!.scale, true);
    const start = 16 + text.length + 4 * terms.length + row * dimensions;
    rows[term]!.values.forEach((value, i) => view.setInt8(start + i, value));
  });
  return bytes;
}

function cosine(a: TextVector, b: TextVector): number {
  return (
    a.values.reduce((sum, value, i) => sum + value * b.values[i]!, 0) * a.inverseLength * b.inverseLength
  );
}

describe('table of word vectors', () => {
  const bytes = packed({ cat: { scale: 0.5, values: [2, -4] }, naïve: { scale: 1, values: [3, 4] } });

  test('is read as it was written', () => {
    const table = parseWordVectors(bytes);
    expect(table.dimensions).toBe(2);
    expect(table.row('dog')).toBeUndefined();
    const sum = new Float64Array(2);
    table.add(table.row('cat')!, 2, sum);
    expect([...sum]).toEqual([2, -4]);
    expect(table.length(table.row('naïve')!)).toBe(5);
  });

  test('is read the same from the middle of a larger buffer', () => {
    const larger = new Uint8Array(bytes.length + 7);
    larger.set(bytes, 3);
    const table = parseWordVectors(larger.subarray(3, 3 + bytes.length));
    expect(table.length(table.row('naïve')!)).toBe(5);
  });

  test('another file, or half a table, is refused', () => {
    expect(() => parseWordVectors(new Uint8Array(3))).toThrow('not a table');
    expect(() => parseWordVectors(new Uint8Array(64))).toThrow('not a table');
    expect(() => parseWordVectors(bytes.subarray(0, bytes.length - 1))).toThrow('cut short');
  });

  test('knows no word that any tool may call itself', () => {
    expect(shippedWordVectors().row('tool')).toBeUndefined();
  });

  test.each([
    ['photo', 'picture', 'invoice'],
    ['car', 'vehicle', 'poem'],
    ['delete', 'remove', 'weather'],
    ['email', 'inbox', 'volcano'],
    ['repository', 'github', 'recipe'],
  ])('the shipped one finds %s nearer to %s than to %s', (word, near, far) => {
    const vector = (text: string) => {
      const table = shippedWordVectors();
      const sum = new Float64Array(table.dimensions);
      for (const term of tokenize(text)) table.add(table.row(term)!, 1, sum);
      return quantised(sum)!;
    };
    expect(cosine(vector(word), vector(near))).toBeGreaterThan(cosine(vector(word), vector(far)) + 0.1);
  });
});
