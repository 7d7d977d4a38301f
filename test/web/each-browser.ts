import { describe, expect, inject, test } from 'vitest';
import type { FoundBrowser } from '../fixtures/browsers.ts';
import { NO_BROWSER } from './browser.ts';

/** Runs a suite in each browser of this machine. */
export function eachBrowser(suite: (browser: FoundBrowser) => void): void {
  const browsers = inject('browsers');
  test('there is a browser', () => expect(browsers, NO_BROWSER).not.toEqual([]));
  for (const browser of browsers) describe(`in ${browser.name}`, () => suite(browser));
}
