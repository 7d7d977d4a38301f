/**
 * The weights as a file: the features that tell most, each with a small whole number for some of the classes. A feature is the gap to
 * the one before it (Rice coded), a bit for each class, and for each class that has a weight its sign and level.
 */
export interface Entry {
  feature: number;
  /** One a class, each a level of LEVELS with a sign, or nought. */
  weights: readonly number[];
}

/** What a weight may be. Far apart where they are large: there a little more or less decides nothing. */
export const LEVELS: readonly number[] = [3, 7, 12, 18, 26, 37, 55, 90];
const LEVEL_BITS = 3;
const RICE_BITS = 5;
const COUNT_BITS = 20;

export function encode(entries: readonly Entry[]): Uint8Array {
  const bits: number[] = [];
  const put = (value: number, width: number) => {
    for (let bit = width - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  put(entries.length, COUNT_BITS);
  let before = -1;
  for (const { feature, weights } of entries) {
    const gap = feature - before - 1;
    for (let i = gap >> RICE_BITS; i > 0; i--) bits.push(1);
    bits.push(0);
    put(gap & ((1 << RICE_BITS) - 1), RICE_BITS);
    for (const weight of weights) bits.push(weight === 0 ? 0 : 1);
    for (const weight of weights)
      if (weight !== 0) {
        bits.push(weight < 0 ? 1 : 0);
        put(LEVELS.indexOf(Math.abs(weight)), LEVEL_BITS);
      }
    before = feature;
  }
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((bit, i) => (bytes[i >> 3]! |= bit << (7 - (i & 7))));
  return bytes;
}

/** Reads what `encode` wrote; anything else is refused. */
export function decode(bytes: Uint8Array, classes: number): Entry[] {
  let at = 0;
  const take = (width: number) => {
    let value = 0;
    for (let i = 0; i < width; i++, at++) {
      if (at >> 3 >= bytes.length) throw new Error('not the weights of the intent model: wrong length');
      value = (value << 1) | ((bytes[at >> 3]! >> (7 - (at & 7))) & 1);
    }
    return value;
  };
  const count = take(COUNT_BITS);
  const entries: Entry[] = [];
  let before = -1;
  while (entries.length < count) {
    let gap = 0;
    while (take(1) === 1) gap += 1 << RICE_BITS;
    const feature = before + 1 + gap + take(RICE_BITS);
    const used = Array.from({ length: classes }, () => take(1));
    const weights = used.map((bit) => (bit === 0 ? 0 : (take(1) === 1 ? -1 : 1) * LEVELS[take(LEVEL_BITS)]!));
    entries.push({ feature, weights });
    before = feature;
  }
  if (Math.ceil(at / 8) !== bytes.length)
    throw new Error('not the weights of the intent model: wrong length');
  return entries;
}
