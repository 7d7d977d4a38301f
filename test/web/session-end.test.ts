import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopClock } from './browser.ts';
import { openWebStage, type WebStage } from './stage.ts';

const WATCH_MS = 5000;
const STEP_MS = 250;

let stage: WebStage;
beforeAll(async () => {
  stage = await openWebStage();
});
afterAll(() => stage?.dispose());

const isLive = (page: Page) => page.getByText('Live', { exact: true }).waitFor();

function countRequests(page: Page): () => number {
  let count = 0;
  page.on('request', () => void count++);
  return () => count;
}

async function showsLogIn(page: Page): Promise<void> {
  await page.getByRole('alert').filter({ hasText: 'Your session has ended' }).waitFor();
  await page.getByLabel('API key').waitFor();
  expect(await page.getByRole('navigation').count()).toBe(0);
}

/** A page whose clock the test moves. */
async function openStopped(path: string) {
  const watched = await stage.open(path);
  await watched.page.clock.install();
  await stopClock(watched.page);
  return watched;
}

/** Lets time pass in steps, with a moment after each for the answers that come. */
async function pass(page: Page, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    await page.clock.runFor(STEP_MS);
    await page.evaluate('fetch("/healthz").then((answer) => answer.text())');
  }
}

/** Ends the session at the proxy; no page of this browser is told. */
async function endSession(context: BrowserContext, page: Page): Promise<void> {
  const csrf = await page.evaluate<string>(`localStorage.getItem('mcpproxy csrf')`);
  const answer = await context.request.delete(`${stage.proxy.url}/web/session`, {
    headers: { 'x-mcpproxy-csrf': csrf, origin: stage.proxy.url },
  });
  expect(answer.ok()).toBe(true);
}

test('a session that ends at the proxy: the page drops its data, shows the log-in and sends nothing more', async () => {
  const { page, context, troubles } = await stage.open('/');
  await isLive(page);
  const sent = countRequests(page);
  await endSession(context, page);
  await showsLogIn(page);
  expect(sent()).toBeLessThan(15);
  const before = sent();
  await page.waitForTimeout(WATCH_MS);
  expect(sent()).toBe(before);
  await page.getByLabel('API key').fill(stage.proxy.key);
  await page.getByRole('button', { name: 'Log in' }).click();
  await isLive(page);
  expect(troubles).toEqual([]);
  await context.close();
});

test('logging out in one tab ends the other tabs too', async () => {
  const { page, context } = await stage.open('/');
  const other = await context.newPage();
  await other.goto(`${stage.proxy.url}/approvals`);
  await isLive(other);
  const sent = countRequests(other);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByLabel('API key').waitFor();
  await showsLogIn(other);
  await other.waitForTimeout(1000);
  expect(sent()).toBeLessThan(15);
  await context.close();
});

test('a proxy that refuses the stream of events is asked again less and less often', async () => {
  const { page, context } = await openStopped('/');
  let refused = 0;
  await page.route('**/api/v1/events', (route) => {
    refused++;
    return route.fulfill({ status: 503 });
  });
  await page.reload();
  await expect.poll(() => pass(page, STEP_MS).then(() => refused)).toBe(1);
  await pass(page, WATCH_MS);
  expect(refused).toBeGreaterThan(1);
  expect(refused).toBeLessThanOrEqual(5);
  await page.unroute('**/api/v1/events');
  await page.clock.resume();
  await isLive(page);
  await context.close();
});
