import { expect, test } from 'vitest';
import { localUrl } from './client.ts';

test.each([
  ['http://0.0.0.0:8080', 'http://127.0.0.1:8080'],
  ['http://[::]:8080', 'http://127.0.0.1:8080'],
  ['http://:::8080', 'http://127.0.0.1:8080'],
  ['http://[::]', 'http://127.0.0.1'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://10.0.0.0.0:80', 'http://10.0.0.0.0:80'],
])('this machine reaches %s at %s', (url, local) => {
  expect(localUrl(url)).toBe(local);
});
