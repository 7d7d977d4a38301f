import { expect, test } from 'vitest';
import { digestOf, hasValidChecksum, looksLikeSecret, newSecret } from './secret.ts';

test('a prefix, 256 bits and a checksum, in letters and digits', () => {
  const secrets = Array.from({ length: 500 }, newSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^mcpp_[0-9A-Za-z]{49}$/);
    expect(looksLikeSecret(secret) && hasValidChecksum(secret)).toBe(true);
  }
  expect(new Set(secrets).size).toBe(secrets.length);
  expect(new Set(secrets.map(digestOf)).size).toBe(secrets.length);
  // Every place takes many values, but for the first of the body and of the checksum: those hold what is left of their bits.
  for (let place = 6; place < 54; place++)
    if (place !== 48) expect(new Set(secrets.map((secret) => secret[place])).size).toBeGreaterThan(40);
});

test('the checksum finds every change of one character, and every cut', () => {
  const secret = newSecret();
  for (let place = 5; place < secret.length; place++) {
    const other = secret[place] === 'x' ? 'y' : 'x';
    expect(hasValidChecksum(secret.slice(0, place) + other + secret.slice(place + 1))).toBe(false);
    expect(hasValidChecksum(secret.slice(0, place))).toBe(false);
  }
  expect(hasValidChecksum(`${secret}x`)).toBe(false);
  expect(hasValidChecksum(`${secret}\n`)).toBe(false);
  expect(hasValidChecksum('')).toBe(false);
});

test('the digest reveals nothing of the secret', () => {
  const secret = newSecret();
  expect(digestOf(secret)).toMatch(/^[0-9a-f]{64}$/);
  expect(digestOf(secret)).not.toContain(secret.slice(5, 15));
});
