import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { openBrowser, openPage } from './browser.ts';
import { eachBrowser } from './each-browser.ts';

eachBrowser((found) => {
  let browser: Browser;
  let proxy: RunningProxy;
  beforeAll(async () => {
    [browser, proxy] = await Promise.all([openBrowser(found), startProxy()]);
  });
  afterAll(async () => {
    await browser?.close();
    await proxy?.dispose();
  });

  test('a link logs in once and leaves the address, and none is written where nobody reads along', async () => {
    const { url: link } = await proxy.rest.request('createLoginLink', {});
    expect(proxy.stderr()).toContain('mcpproxy open');
    expect(proxy.stderr()).not.toContain('#login=');
    const { page, context, troubles } = await openPage(browser, proxy.url);
    await page.goto(link);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${proxy.url}/`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(troubles).toEqual([]);
    await context.close();

    const other = await openPage(browser, proxy.url);
    await other.page.goto(link);
    await other.page.getByRole('alert').filter({ hasText: 'already used' }).waitFor();
    await other.context.close();
  });

  test('the key logs in, a wrong one says what to do, and logging out ends it', async () => {
    const { page, context } = await openPage(browser, proxy.url);
    await page.goto(`${proxy.url}/activity`);
    await page.getByLabel('API key').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').filter({ hasText: 'data directory' }).waitFor();
    await page.getByLabel('API key').fill(proxy.key);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API key').waitFor();
    await page.reload();
    await page.getByLabel('API key').waitFor();
    await context.close();
  });
});
