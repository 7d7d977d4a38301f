import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startProxy } from '../test/e2e/start-proxy.ts';
import { openBrowser, openPage } from '../test/web/browser.ts';
import { filledFile } from './activity-fill.ts';

/**
 * The activity page over a long log, in a real browser: how long until there is something to see, and whether it stays smooth.
 *
 *   npm run bench:web [-- RECORDS]     default: 1000000
 */
const records = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = 7;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const show = (name: string, values: number[]) =>
  process.stdout.write(
    `${name.padEnd(46)} median ${Math.round(middle(values))} ms, worst ${Math.round(Math.max(...values))} ms\n`,
  );

const rows = (page: Page) => page.getByRole('row').nth(3);

/** Scrolls through thousands of rows and gives the longest time between two frames. */
async function scroll(page: Page): Promise<number> {
  await page.evaluate(`
    window.gaps = [];
    let last = performance.now();
    const frame = (now) => { window.gaps.push(now - last); last = now; window.more && requestAnimationFrame(frame); };
    window.more = true; requestAnimationFrame(frame);
  `);
  for (let i = 0; i < 60; i++) {
    await page.mouse.wheel(0, 2500);
    await page.waitForTimeout(30);
  }
  return Number(await page.evaluate('window.more = false; Math.max(...window.gaps)'));
}

const home = mkdtempSync(join(tmpdir(), 'mcpproxy-bench-web-'));
mkdirSync(join(home, '.mcpproxy'), { mode: 0o700 });
writeFileSync(join(home, 'mcp_config.json'), JSON.stringify({ activity: { retention_days: 36_500 } }), {
  mode: 0o600,
});
const source = await filledFile(records);
copyFileSync(source, join(home, '.mcpproxy', 'mcpproxy.db'));
const proxy = await startProxy({ home });
const browser = await openBrowser();
try {
  const { page } = await openPage(browser, proxy.url, { width: 1280, height: 900 });
  await page.goto((await proxy.rest.request('createLoginLink', {})).url);
  await page.getByRole('navigation').waitFor();
  const [first, opened, filtered, worded, gaps] = [[], [], [], [], []] as number[][];
  for (let round = 0; round < ROUNDS; round++) {
    first!.push(
      await timed(() => page.goto(proxy.url).then(() => page.getByText('Calls per minute').waitFor())),
    );
    opened!.push(await timed(() => page.goto(`${proxy.url}/activity`).then(() => rows(page).waitFor())));
    filtered!.push(
      await timed(async () => {
        await page.getByRole('combobox', { name: 'Filter' }).fill('op:destructive');
        await page.keyboard.press('Enter');
        await page.waitForFunction(`!document.querySelector('.records .badge-read')`);
        await rows(page).waitFor();
      }),
    );
    gaps!.push(await scroll(page));
    worded!.push(
      await timed(async () => {
        await page.goto(`${proxy.url}/activity?q=budget&status=success`);
        await rows(page).waitFor();
      }),
    );
  }
  process.stdout.write(`${records.toLocaleString('en')} records, ${ROUNDS} rounds\n`);
  show('first page usable (overview)', first!);
  show('activity: opened, rows in view', opened!);
  show('activity: filtered by intent', filtered!);
  show('activity: a word and a status, by link', worded!);
  show('longest time without a frame while scrolling', gaps!);
} finally {
  await browser.close();
  await proxy.dispose();
  rmSync(home, { recursive: true, force: true });
}
