import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Watched } from './browser.ts';
import { eachBrowser } from './each-browser.ts';
import { openWebStage, type WebStage } from './stage.ts';

const TOOLS_CODE = '**/assets/tools-page-*.js';
/** Stands in for the code of a page, and fails as long as it is told to. The reason has a character that turns text around. */
const FAILING_CODE = `export default function () {
  if (window.works) return 'it works';
  throw new Error('made to fail \\u202e');
}`;

const go = (page: Page, title: string) =>
  page.getByRole('navigation').getByRole('link', { name: title }).click();
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const failure = (page: Page, what: string) =>
  page.getByRole('alert').filter({ has: page.getByRole('heading', { name: `${what} failed` }) });

/** How often the document was loaded from now on. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on('load', () => void loads++);
  return () => loads;
}

eachBrowser((browser) => {
  let stage: WebStage;
  let at: Watched;
  beforeAll(async () => {
    stage = await openWebStage({ browser });
  });
  afterEach(() => at?.context.close());
  afterAll(() => stage?.dispose());

  const open = async (path: string) => {
    at = await stage.open(path);
    return at.page;
  };

  test('an answer that comes after its page was left does not lead back to it', async () => {
    await stage.proxy.rest.request('addServer', {
      body: { name: 'brief', config: { command: 'no-such-program-anywhere' } },
    });
    const page = await open('/servers?server=brief');
    await page.getByRole('button', { name: 'Remove…' }).click();
    let answer = () => {};
    const left = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/v1/status', async (route) => {
      await left;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Remove permanently' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await go(page, 'Tools');
    await heading(page, 'Tools');
    const answered = page.waitForResponse('**/api/v1/status');
    answer();
    await (await answered).finished();
    // The page goes on after the answer within a few frames.
    await page.evaluate(
      'new Promise((done) => { let n = 30; const next = () => n-- ? requestAnimationFrame(next) : done(); next(); })',
    );
    expect(new URL(page.url()).pathname).toBe('/tools');
  });

  test('a page that fails says why and leaves the rest usable', async () => {
    const page = await open('/');
    await page.route(TOOLS_CODE, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: FAILING_CODE }),
    );
    const loads = countLoads(page);
    await go(page, 'Tools');
    const shown = failure(page, 'The page “Tools”');
    await shown.getByText('made to fail \\u{202e}').waitFor();
    await go(page, 'Servers');
    await heading(page, 'Servers');
    await go(page, 'Tools');
    await shown.waitFor();
    await shown.getByRole('button', { name: 'Try again' }).click();
    await shown.waitFor();
    await page.evaluate('window.works = true');
    await shown.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('it works').waitFor();
    expect(loads()).toBe(0);

    await page.evaluate('window.works = false');
    await go(page, 'Servers');
    await go(page, 'Tools');
    await page.unroute(TOOLS_CODE);
    await shown.getByRole('button', { name: 'Reload' }).click();
    await heading(page, 'Tools');
  });

  test('a fault outside of the pages says why too, and can be tried again', async () => {
    const page = await open('/');
    const pending = (url: URL) => url.pathname === '/api/v1/approvals';
    await page.route(pending, (route) => route.fulfill({ json: {} }));
    await page.reload();
    const shown = failure(page, 'The web UI');
    await shown.getByText(/undefined/).waitFor();
    await page.unroute(pending);
    await shown.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Overview');
    await page.getByRole('navigation').waitFor();
  });

  test('code that is gone after an upgrade: the page reloads itself, once', async () => {
    const page = await open('/');
    await page.route(TOOLS_CODE, (route) => route.fulfill({ status: 404 }), { times: 1 });
    const loads = countLoads(page);
    await go(page, 'Tools');
    await heading(page, 'Tools');
    expect(loads()).toBe(1);
  });

  test('code that is still gone after that: it says so and never reloads again', async () => {
    const page = await open('/');
    await page.route(TOOLS_CODE, (route) => route.fulfill({ status: 404 }));
    const loads = countLoads(page);
    await go(page, 'Tools');
    const shown = failure(page, 'The page “Tools”');
    await shown.getByText('could not be loaded, even after a reload').waitFor();
    expect(loads()).toBe(1);
    await go(page, 'Servers');
    await heading(page, 'Servers');
    await go(page, 'Tools');
    await shown.waitFor();
    expect(loads()).toBe(1);

    await page.unroute(TOOLS_CODE);
    await shown.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Tools');
  });
});
