import { describe, expect, inject, test } from 'vitest';
import { NO_BROWSER } from './browser.ts';

/** Runs a suite in each browser of this machine; `path` is its program. */
export function eachBrowser(suite: (path: string) => void): void {
  const browsers = inject('browsers');
  test('there is a browser', () => expect(browsers, NO_BROWSER).not.toEqual([]));
  for (const { name, path } of browsers) describe(`in ${name}`, () => suite(path));
}
