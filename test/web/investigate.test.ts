import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectClient } from '../e2e/mcp-clients.ts';
import { findings } from './barriers.ts';
import type { Watched } from './browser.ts';
import { eachBrowser } from './each-browser.ts';
import { openWebStage, type WebStage } from './stage.ts';

const rows = (page: Page) => page.getByRole('grid', { name: 'Records' }).getByRole('row');
const bar = (page: Page) => page.getByRole('combobox', { name: 'Filter' });
const facet = (page: Page, value: string | RegExp) =>
  page.getByRole('group', { name: 'Values of the records' }).getByRole('button', { name: value });
const total = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();

eachBrowser((browser) => {
  let stage: WebStage;
  let at: Watched;
  let page: Page;
  beforeAll(async () => {
    stage = await openWebStage({ browser });
    for (let i = 0; i < 3; i++) await stage.call('read', 'up:read_only', { args: { text: `r${i}` } });
    await stage.call('write', 'up:not_read_only', { args: { text: 'w' }, reason: 'to change' });
    for (let i = 0; i < 4; i++) await stage.call('read', 'up:destructive').catch(() => {});
    at = await stage.open('/activity');
    page = at.page;
  });
  afterAll(async () => {
    await at?.context.close();
    await stage?.dispose();
  });

  test('the query bar completes fields and values, and says what it cannot read', async () => {
    await bar(page).fill('sta');
    await page.getByRole('option', { name: 'status:' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'status:refused' }).click();
    await page.waitForURL(/filter=status%3Arefused/);
    await total(page, '4 records');
    await bar(page).fill('stauts:refused');
    await page.getByRole('alert').filter({ hasText: 'Unknown field "stauts"' }).waitFor();
    await total(page, '4 records');
    await bar(page).fill('status:refused,success tool:up:read_only,up:destructive');
    await page.keyboard.press('Enter');
    await total(page, '7 records');
    expect(await findings(page)).toEqual([]);
  });

  test('a click wants a value, another adds one, "not" excludes one, and Back takes it back', async () => {
    await bar(page).fill('type:tool_call');
    await page.keyboard.press('Enter');
    await total(page, '8 records');
    await facet(page, /^refused 4/).click();
    await total(page, '4 records');
    await facet(page, /^success 4/).click();
    await total(page, '8 records');
    await facet(page, 'Exclude up:read_only').click();
    await total(page, '5 records');
    await page.goBack();
    await total(page, '8 records');
    await page.goBack();
    await total(page, '4 records');
  });

  test('the histogram is of what is listed, and the keyboard chooses a range of it', async () => {
    await bar(page).fill('type:tool_call status:refused');
    await page.keyboard.press('Enter');
    await total(page, '4 records');
    const chart = page.getByRole('slider', { name: /^4 records over time/ });
    await chart.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+ArrowLeft');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/ to .*: /);
    await page.keyboard.press('Enter');
    await page.waitForURL(/since%3A.*until%3A/);
  });

  test('equal refusals are one group with a count', async () => {
    await bar(page).fill('type:tool_call');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Group failures' }).click();
    const group = page.getByRole('row').filter({ hasText: 'SERVER_MISMATCH' });
    await group.getByText('4', { exact: true }).waitFor();
    expect(await findings(page)).toEqual([]);
    await group.getByRole('button', { name: 'SERVER_MISMATCH' }).click();
    await page.waitForURL(/code%3ASERVER_MISMATCH/);
    await page.getByRole('button', { name: 'Group failures' }).click();
    await total(page, '4 records');
  });

  test('a record has an address; j and k step, Back closes it; new records wait in a pill', async () => {
    await bar(page).fill('type:tool_call');
    await page.keyboard.press('Enter');
    await total(page, '8 records');
    await rows(page).nth(1).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('SERVER_MISMATCH').first().waitFor();
    const first = page.url();
    await page.keyboard.press('j');
    await page.waitForURL((url) => url.href !== first);
    await page.keyboard.press('k');
    await page.waitForURL(first);
    await dialog.getByText('SERVER_MISMATCH').first().waitFor();
    await page.reload();
    await dialog.getByText('SERVER_MISMATCH').first().waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await stage.call('read', 'up:get_things', { args: { text: 'live' } });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await rows(page).filter({ hasText: 'up:get_things' }).count()).toBe(0);
    await page.getByRole('button', { name: '1 new' }).click();
    await rows(page).filter({ hasText: 'up:get_things' }).waitFor();
  });

  test('a session is a trace, and an agent has a page', async () => {
    const agent = await connectClient('SDK 1.x', stage.proxy);
    const intent = { operation_type: 'read' };
    await agent.call('call_tool_read', { name: 'up:read_only', args: { text: 'traced' }, intent });
    await agent.call('call_tool_read', { name: 'up:destructive', args: {}, intent }).catch(() => {});
    await agent.close();
    const { records } = await stage.proxy.rest.request('listActivity', { q: 'traced' });
    await page.goto(`${stage.proxy.url}/session?id=${records[0]!.session_id}`);
    const trace = page.getByRole('listbox', { name: 'Calls of the session' });
    await trace.getByRole('option').filter({ hasText: 'up:read_only' }).click();
    const chosen = page.getByRole('complementary', { name: 'Chosen call' });
    await chosen.getByText('"traced"').first().waitFor();
    await page.keyboard.press('j');
    await chosen.getByText('refused').first().waitFor();
    expect(await findings(page)).toEqual([]);
    await page
      .getByRole('main')
      .getByRole('link')
      .filter({ hasText: /operator|token/ })
      .click();
    await page.getByRole('heading', { name: 'What it may do' }).waitFor();
    await page.getByRole('heading', { name: 'Unusual today' }).waitFor();
    expect(await findings(page)).toEqual([]);
    expect(at.troubles).toEqual([]);
  });

  test('the palette goes to a tool, Back leaves it, and "?" shows the shortcuts', async () => {
    await page.goto(`${stage.proxy.url}/`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await palette.getByRole('combobox').fill('up:read_only');
    await palette.getByRole('option', { name: /^up:read_only tool/ }).waitFor();
    expect(await findings(page)).toEqual([]);
    const compressed = page.waitForResponse((response) => response.url().includes('/api/v1/tools?'));
    await palette.getByRole('option', { name: /^up:read_only tool/ }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'up:read_only' }).waitFor();
    expect(await (await compressed).headerValue('content-encoding')).toBe('gzip');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Shortcuts' });
    await help.getByText('next and previous record').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    expect(at.troubles).toEqual([]);
  });
});
