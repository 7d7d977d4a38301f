import { describe, expect, test } from 'vitest';
import { quantised, type TextVector } from './text-vector.ts';
import { tokenize } from './tokenize.ts';
import { parseWordVectors, shippedWordVectors } from './word-vectors.ts';

type Rows = Record<string, { scale: number; values: number[]; near?: [row: number, alike: number] }>;

function packed(rows: Rows): Uint8Array {
  const terms = Object.keys(rows);
  const dimensions = Object.values(rows)[0]!.values.length;
  const text = new TextEncoder().encode(terms.join('\n'));
  const bytes = new Uint8Array(20 + text.length + terms.length * (4 + dimensions + 3));
  const view = new DataView(bytes.buffer);
  [0x3256574d, terms.length, dimensions, text.length, 1].forEach((value, i) =>
    view.setUint32(4 * i, value, true),
  );
  bytes.set(text, 20);
  const nearAt = 20 + text.length + terms.length * (4 + dimensions);
  terms.forEach((term, row) => {
    const { scale, values, near = [0, 0] } = rows[term]!;
    view.setFloat32(20 + text.length + 4 * row, scale, true);
    const start = 20 + text.length + 4 * terms.length + row * dimensions;
    values.forEach((value, i) => view.setInt8(start + i, value));
    view.setUint16(nearAt + 2 * row, near[0], true);
    view.setUint8(nearAt + 2 * terms.length + row, near[1]);
  });
  return bytes;
}

function cosine(a: TextVector, b: TextVector): number {
  return (
    a.values.reduce((sum, value, i) => sum + value * b.values[i]!, 0) * a.inverseLength * b.inverseLength
  );
}

describe('table of word vectors', () => {
  const bytes = packed({
    cat: { scale: 0.5, values: [2, -4], near: [1, 51] },
    naïve: { scale: 1, values: [3, 4], near: [2, 255] },
    tool: { scale: 1, values: [1, 1] },
  });

  test('is read as it was written', () => {
    const table = parseWordVectors(bytes);
    expect(table.dimensions).toBe(2);
    expect(table.row('dog')).toBeUndefined();
    const sum = new Float64Array(2);
    table.add(table.row('cat')!, 2, sum);
    expect([...sum]).toEqual([2, -4]);
    expect(table.length(table.row('naïve')!)).toBe(5);
    expect(table.near(table.row('cat')!)).toEqual([{ term: 'naïve', alike: 0.2 }]);
    expect(table.near(table.row('naïve')!), 'a word that says nothing').toEqual([]);
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
    expect(() => parseWordVectors(bytes.subarray(0, bytes.length - 1))).toThrow('truncated');
  });

  test('knows no word that any tool may call itself', () => {
    expect(shippedWordVectors().row('tool')).toBeUndefined();
  });

  test.each([
    ['photo', 'pictur'],
    ['weather', 'climat'],
    ['meet', 'appoint'],
  ])('the shipped one has for %s also %s', (word, near) => {
    const table = shippedWordVectors();
    const found = table.near(table.row(word)!);
    expect(found.map(({ term }) => term)).toContain(near);
    expect(found.map(({ alike }) => alike)).toEqual(found.map(({ alike }) => alike).sort((a, b) => b - a));
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
