import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { ownAddress } from '../fixtures/own-address.ts';
import { findings } from './barriers.ts';
import { eachBrowser } from './each-browser.ts';
import { openWebStage, type WebStage } from './stage.ts';

/** What can only be said with an answer of the proxy in hand. */
const CLAIMS =
  /No refused calls|No calls are waiting|No pending approvals|No activity yet|No records match|No matching tools|No servers added|No tasks|No log lines|in the last hour|No calls\b|is intact|No servers are left|being written|No server fails|No tools to review|No tool (looks|that looks)|No calls in|\d records?/;
const VISITED = ['Activity', 'Approvals', 'Tools', 'Servers', 'Assistant', 'Overview'];

const go = async (page: Page, title: string) => {
  await page.getByRole('navigation').getByRole('link', { name: title }).click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
};
const intent = async (page: Page, value: string) => {
  await page.getByRole('combobox', { name: 'Filter' }).fill(`op:${value}`);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`filter=op%3A${value}`));
};
const lost = (page: Page) => page.getByRole('alert').filter({ hasText: 'Connection to the proxy lost' });

eachBrowser((browser) => {
  let stage: WebStage;
  let restarted: RunningProxy | undefined;
  beforeAll(async () => {
    stage = await openWebStage({ browser, listen: `${ownAddress()}:0` });
  });
  afterAll(async () => {
    await restarted?.stop();
    await stage?.dispose();
  });

  test('a page that a slow proxy does not deliver in time is loaded later, also where the connection was never lost', async () => {
    const { page, context } = await stage.open('/');
    await page.getByText('Live', { exact: true }).waitFor();
    const slow = [/\/healthz$/, /\/assets\/settings-page/];
    for (const url of slow) await page.route(url, (route) => route.abort());
    await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click();
    await page.getByText('because the proxy does not answer').waitFor();
    expect(await lost(page).count()).toBe(0);
    for (const url of slow) await page.unroute(url);
    await page.getByRole('heading', { level: 1, name: 'Settings', exact: true }).waitFor();
    await context.close();
  });

  test('while the proxy is unavailable the page claims nothing; when it is back the page resumes automatically', async () => {
    const { page, context } = await stage.open('/');
    await page.getByText('Live', { exact: true }).waitFor();
    await go(page, 'Activity');
    await intent(page, 'destructive');
    await page.getByText('No records match these filters').waitFor();
    await go(page, 'Approvals');
    await page.getByText('No pending approvals').waitFor();
    await go(page, 'Tools');
    await page.getByRole('button', { name: 'up:read_only', exact: true }).waitFor();
    await go(page, 'Servers');
    await page.getByRole('main').getByText('evil', { exact: true }).waitFor();
    await go(page, 'Assistant');
    await page.getByText('No tasks.').waitFor();
    await go(page, 'Overview');
    await page.getByText('No refused calls').waitFor();
    await page.getByText('No calls are waiting for approval').waitFor();

    await stage.proxy.stop();
    await lost(page).waitFor();
    expect(await page.innerText('main')).not.toMatch(CLAIMS);
    // What was loaded before stays, under one banner.
    await page.getByRole('main').getByText('up', { exact: true }).waitFor();
    expect(await lost(page).innerText()).toMatch(/lost at \d\d:\d\d.*What you see is old/s);
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await findings(page)).toEqual([]);

    for (const title of VISITED) {
      await go(page, title);
      await lost(page).waitFor();
      expect([title, await page.innerText('main')]).toEqual([title, expect.not.stringMatching(CLAIMS)]);
    }
    await go(page, 'Activity');
    await intent(page, 'write');
    await page.getByText('Unavailable while the connection').first().waitFor();
    expect(await page.innerText('main')).not.toMatch(CLAIMS);

    // Logging out did not happen either.
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('alert').filter({ hasText: 'The proxy does not answer' }).waitFor();

    // A page that was never opened cannot be loaded; that takes nothing else away.
    await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click();
    await page.getByText('because the proxy does not answer').waitFor();
    await lost(page).waitFor();

    restarted = await startProxy({
      home: stage.proxy.home,
      args: ['--listen', new URL(stage.proxy.url).host],
    });
    await page.getByRole('heading', { level: 1, name: 'Settings', exact: true }).waitFor();
    await lost(page).waitFor({ state: 'detached' });
    await page.getByText('Live', { exact: true }).waitFor();
    for (const title of VISITED) await go(page, title);
    await page.getByText('No refused calls').waitFor();
    await go(page, 'Activity');
    await intent(page, 'destructive');
    await page.getByText('No records match these filters').waitFor();
    await context.close();
  });
});
