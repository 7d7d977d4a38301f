import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createStateSeal, SEAL_KEY_BYTES } from './state-seal.ts';

let now = 1_000_000;
const key = randomBytes(SEAL_KEY_BYTES);
const seal = createStateSeal(key, { now: () => now });
const value = { round: 2, text: 'süß', list: [null, 1.5] };

test('opens to what it was, for what it was bound to, also in another process with the same key', () => {
  const sealed = seal.seal(value, 'ann');
  expect(seal.open(sealed, 'ann')).toEqual({ value });
  expect(createStateSeal(key, { now: () => now }).open(sealed, 'ann')).toEqual({ value });
  expect(sealed).toMatch(/^mcpproxy\.[\w-]+$/);
  expect(Buffer.from(sealed.slice(9), 'base64url').includes('round')).toBe(false);
  expect(seal.seal(value, 'ann')).not.toBe(sealed);
});

test('not for anything else, not with another key, not after a day', () => {
  const sealed = seal.seal(value, 'ann');
  expect(seal.open(sealed, 'bob')).toBeUndefined();
  expect(createStateSeal(randomBytes(SEAL_KEY_BYTES)).open(sealed, 'ann')).toBeUndefined();
  now += 86_400_001;
  expect(seal.open(sealed, 'ann')).toBeUndefined();
});

test('not after any change of a character, nor cut, nor anything that is no state of ours', () => {
  const sealed = seal.seal('x', 'ann');
  for (let place = 9; place < sealed.length - 1; place++) {
    const other = sealed[place] === 'A' ? 'B' : 'A';
    expect(seal.open(sealed.slice(0, place) + other + sealed.slice(place + 1), 'ann')).toBeUndefined();
    expect(seal.open(sealed.slice(0, place), 'ann')).toBeUndefined();
  }
  for (const end of ['=', '!', '.', ' ', '\n']) expect(seal.open(sealed + end, 'ann')).toBeUndefined();
  for (const nothing of [undefined, null, 1, {}, '', 'mcpproxy.', 'opaque', '{"a":1}'])
    expect(seal.open(nothing, 'ann')).toBeUndefined();
});
