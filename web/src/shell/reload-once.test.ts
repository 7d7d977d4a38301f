import { expect, test } from 'vitest';
import { hasLoaded, mayReload } from './reload-once.ts';

function store() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

test('a tab reloads once for code that is missing', () => {
  const storage = store();
  expect(mayReload('a#/tools', storage)).toBe(true);
  expect(mayReload('a#/tools', storage)).toBe(false);
  expect(mayReload('b#/tools', storage)).toBe(true);
  // Two proxies of different versions behind one address do not send the tab to and fro.
  expect(mayReload('a#/tools', storage)).toBe(false);
  expect(mayReload('b#/tools', storage)).toBe(false);
});

test('once the code has arrived, it may reload for it again, and for nothing else', () => {
  const storage = store();
  mayReload('a#/tools', storage);
  mayReload('a#/servers', storage);
  hasLoaded('a#/tools', storage);
  expect(mayReload('a#/servers', storage)).toBe(false);
  expect(mayReload('a#/tools', storage)).toBe(true);
  expect(mayReload('a#/tools', storage)).toBe(false);
});

test('however much is missing, it ends', () => {
  const storage = store();
  const reloads = Array.from({ length: 50 }, (_, i) => mayReload(`${i}#/tools`, storage));
  expect(reloads.filter(Boolean)).toHaveLength(10);
});

test('without a memory there is no reload', () => {
  const forgetful = { getItem: () => null, setItem: () => undefined };
  const closed = () => {
    throw new Error('SecurityError');
  };
  expect(mayReload('a#/tools', forgetful)).toBe(false);
  expect(mayReload('a#/tools', { getItem: () => null, setItem: closed })).toBe(false);
  expect(mayReload('a#/tools', { getItem: closed, setItem: closed })).toBe(false);
  expect(() => hasLoaded('a#/tools', { getItem: closed, setItem: closed })).not.toThrow();
});
