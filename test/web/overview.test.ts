import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExecutionLog, type ExecutionLog } from '../fixtures/execution-log.ts';
import { fixture } from '../fixtures/start.ts';
import { findings } from './barriers.ts';
import type { Watched } from './browser.ts';
import { eachBrowser } from './each-browser.ts';
import { openWebStage, type WebStage } from './stage.ts';

const queue = (page: Page) => page.getByRole('region', { name: 'Needs attention' });
const row = (page: Page, text: string) => queue(page).getByRole('listitem').filter({ hasText: text });
/** What a person loads before the first page can be used. */
const MOST_FIRST_KB = 250;

eachBrowser((browser) => {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-overview-'));
  const file = join(dir, 'tools.json');
  let log: ExecutionLog;
  let stage: WebStage;
  let at: Watched;
  let page: Page;
  beforeAll(async () => {
    log = openExecutionLog();
    stage = await openWebStage({
      browser,
      config: {
        approvals: { require: ['up:writer_destructive'], wait: '10m' },
        mcpServers: { up: log.server(), late: fixture('changeable.mjs', file) },
      },
    });
    for (let i = 0; i < 5; i++) await stage.call('write', 'up:delete_everything');
    for (let i = 0; i < 3; i++) await stage.call('read', 'up:read_only');
    for (let i = 0; i < 2; i++) await stage.call('read', 'up:destructive').catch(() => {});
    at = await stage.open('/');
    page = at.page;
  });
  afterAll(async () => {
    await at?.context.close();
    await stage?.dispose();
    log?.remove();
    rmSync(dir, { recursive: true, force: true });
  });

  test('a server that fails is repaired and restarted in place', async () => {
    await row(page, 'late').getByText('failed', { exact: true }).waitFor();
    writeFileSync(file, JSON.stringify({ tools: [] }));
    await row(page, 'late').getByRole('button', { name: 'Restart' }).click();
    await row(page, 'late').waitFor({ state: 'detached' });
    await queue(page).getByText('No server fails or needs a log-in.').waitFor();
  });

  test('a pending call is decided in place, with the whole call in view', async () => {
    await queue(page).getByText('No calls are waiting for approval.').waitFor();
    const made = stage.call('destructive', 'up:writer_destructive', { args: { text: 'old drafts' } });
    const pending = row(page, 'up:writer_destructive');
    await pending.getByRole('button', { name: 'Decide' }).click();
    await pending.getByText('old drafts').waitFor();
    await page.getByText('These buttons just appeared or moved').waitFor({ state: 'hidden' });
    await pending.getByRole('button', { name: 'Approve', exact: true }).click();
    await made;
    await pending.waitFor({ state: 'detached' });
    await queue(page).getByText('No calls are waiting for approval.').waitFor();
  });

  test('refusals for one reason are one row; seen, they come back when it happens again, or when that is undone', async () => {
    const refused = row(page, 'SERVER_MISMATCH');
    await refused.getByText('2 times').waitFor();
    await refused.getByRole('button', { name: 'Seen' }).click();
    await refused.waitFor({ state: 'detached' });
    await page.reload();
    await queue(page).getByText('The activity log is being written.').waitFor();
    await row(page, 'look destructive').waitFor();
    expect(await refused.count()).toBe(0);
    await stage.call('read', 'up:destructive').catch(() => {});
    await refused.getByText('3 times').waitFor();
    await refused.getByRole('button', { name: 'Seen' }).click();
    await refused.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await refused.getByText('3 times').waitFor();
    await refused.getByRole('link', { name: 'Show' }).click();
    await page.getByRole('grid', { name: 'Records' }).getByText('up:destructive').first().waitFor();
    await page.goBack();
  });

  test('the flow shows who called what and what was stopped, and leads to the records', async () => {
    // It is read again once a minute.
    await page.reload();
    const flow = page.getByRole('region', { name: 'Flow of calls', exact: true });
    await flow.getByRole('link', { name: 'destructive: 3 calls, 3 stopped', exact: true }).waitFor();
    await flow.getByRole('link', { name: 'delete_everything: 5 calls', exact: true }).waitFor();
    await flow.getByText('As a table').click();
    const cells = flow.getByRole('row').filter({ hasText: 'up:destructive' }).getByRole('cell');
    expect((await cells.allInnerTexts()).slice(-2)).toEqual(['3', '3']);
    expect(await findings(page)).toEqual([]);
    await flow.getByRole('link', { name: 'delete_everything: 5 calls', exact: true }).click();
    await page.getByText('5 records', { exact: true }).first().waitFor();
    await page.goBack();
  });

  test('a delete without a hint that is used a lot is the first thing that the risk map says; its verdict is set in place, and undone', async () => {
    const risk = page.getByRole('region', { name: 'Risk of tools' });
    await risk.getByText(/looks? destructive/).waitFor();
    await risk.getByRole('link', { name: 'up:delete_everything', exact: true }).waitFor();
    await risk
      .getByRole('link', { name: 'up:delete_everything: 5 calls, looks destructive, no hints', exact: true })
      .waitFor();
    const silent = row(page, 'without a hint');
    await silent.getByRole('button', { name: 'Decide' }).click();
    const verdict = async () =>
      (await stage.proxy.rest.request('getTool', { name: 'up:delete_everything' })).book.decision?.operation;
    await silent
      .getByRole('listitem')
      .filter({ hasText: 'up:delete_everything' })
      .getByRole('button', { name: 'Count as destructive' })
      .click();
    await page.getByText('up:delete_everything counts as destructive now.').waitFor();
    expect(await verdict()).toBe('destructive');
    await risk
      .getByRole('link', {
        name: 'up:delete_everything: 5 calls, looks destructive, set by you',
        exact: true,
      })
      .waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').last().waitFor();
    expect(await verdict()).toBeUndefined();
    expect(await findings(page)).toEqual([]);
  });

  test('four figures count what the log has', async () => {
    const figures = page.getByRole('list', { name: 'The last 24 hours' });
    await figures.getByRole('link', { name: /^Stopped\s*3\s/ }).waitFor();
    await figures.getByRole('link', { name: /^Stopped/ }).click();
    await page.getByText('3 records', { exact: true }).first().waitFor();
    await page.goBack();
  });

  test('the first page loads little code', async () => {
    const first = await stage.open('/');
    const sizes = new Map<string, number>();
    first.page.on('response', (response) => {
      if (!new URL(response.url()).pathname.endsWith('.js')) return;
      void response.body().then((body) => sizes.set(response.url(), gzipSync(body).length));
    });
    await first.page.reload();
    await first.page
      .getByRole('region', { name: 'Risk of tools' })
      .getByText(/looks? destructive/)
      .waitFor();
    expect(sizes.size).toBeGreaterThan(3);
    const kb = [...sizes.values()].reduce((sum, size) => sum + size, 0) / 1024;
    expect(kb).toBeLessThan(MOST_FIRST_KB);
    await first.context.close();
    expect([...first.troubles, ...at.troubles]).toEqual([]);
  });
});
