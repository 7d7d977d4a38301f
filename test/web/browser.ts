import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { findBrowsers, type FoundBrowser } from '../fixtures/browsers.ts';
import { launchFirefox, TYPING } from './firefox.ts';

/** The safety switches of the browser stay on, except for the sandbox, which root and many containers cannot have. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export const NO_BROWSER =
  'No browser can be started here, so the web UI cannot be tested. Install Chromium and name it in MCPPROXY_CHROMIUM, or set MCPPROXY_SKIP_BROWSER=1 to leave these tests out.';

/** The given browser, or else the first one that this machine has. */
export async function openBrowser(given?: FoundBrowser): Promise<Browser> {
  const browser = given ?? (await findBrowsers()).found[0];
  if (browser === undefined) throw new Error(NO_BROWSER);
  if (browser.engine === 'firefox') return launchFirefox(browser.path);
  return chromium.launch({ executablePath: browser.path, args: ARGS });
}

export interface Watched {
  context: BrowserContext;
  page: Page;
  /** What must not happen: errors of scripts, breaches of the content policy, requests to other origins. */
  troubles: string[];
}

export interface View {
  theme?: 'light' | 'dark';
  width?: number;
  height?: number;
}

/** A page that writes down whatever a user would not want to happen. */
export async function openPage(browser: Browser, origin: string, view: View = {}): Promise<Watched> {
  const { theme = 'light', width = 1280, height = 800 } = view;
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height } });
  // Only against what hangs: on a busy machine a page may take ten times as long.
  context.setDefaultTimeout(120_000);
  if (browser.browserType().name() === 'firefox') await context.addInitScript(TYPING);
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(`script error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text()))
      troubles.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(blob|data):/.test(url)) troubles.push(`request to ${url}`);
  });
  return { context, page, troubles };
}

/** From here on only the test moves the clock of the page, so that a slow machine cannot be late. */
export async function stopClock(page: Page): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await page.clock.pauseAt(await page.evaluate<number>('Date.now() + 500'));
    } catch (error) {
      // On a busy machine that moment can have passed.
      if (tries === 100 || !String(error).includes('to the past')) throw error;
    }
  }
}
