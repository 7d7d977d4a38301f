import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import chromiumPackage from '@sparticuz/chromium';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

/**
 * A real Chromium, unpacked from an npm package, so that nothing is downloaded by a test tool. MCPPROXY_CHROMIUM names another one. Its
 * safety switches stay on, except for the sandbox, which root and many containers cannot have.
 */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export async function openBrowser(): Promise<Browser> {
  const problems: string[] = [];
  for (const find of [configured, packaged, installed]) {
    try {
      const executablePath = await find();
      if (executablePath !== undefined) return await chromium.launch({ executablePath, args: ARGS });
    } catch (error) {
      problems.push(error instanceof Error ? error.message.split('\n')[0]! : String(error));
    }
  }
  throw new Error(
    `No browser can be started here, so the web UI cannot be tested (${problems.join('; ') || 'none was found'}). ` +
      'Install Chromium and name it in MCPPROXY_CHROMIUM, or set MCPPROXY_SKIP_BROWSER=1 to leave these tests out.',
  );
}

const configured = async () => process.env.MCPPROXY_CHROMIUM;
const packaged = () => chromiumPackage.executablePath();

/** One that the machine has already, in the places where it usually is. */
async function installed(): Promise<string | undefined> {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/Applications/Google Chrome.app/Contents/MacOS',
  ];
  return folders
    .flatMap((folder) => [...names, 'Google Chrome'].map((name) => join(folder, name)))
    .find((path) => existsSync(path));
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
  context.setDefaultTimeout(30_000);
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
