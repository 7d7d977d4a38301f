import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectClient } from '../e2e/mcp-clients.ts';
import { fixture } from '../fixtures/start.ts';
import { allFindings } from './barriers.ts';
import { openWebStage, type WebStage } from './stage.ts';

let stage: WebStage;
const pages = [
  '/',
  '/activity',
  '/approvals',
  '/tools',
  '/servers',
  '/assistant',
  '/settings',
  '/audit',
  '/agent?name=operator',
  '/review',
  '/policy',
  '/prompts',
  '/resources',
  '/connect?client=cursor',
];
beforeAll(async () => {
  stage = await openWebStage({ servers: { shop: fixture('workshop.mjs') } });
  await stage.call('read', 'up:read_only', { args: { text: 'a' }, reason: 'to look' });
  await stage.call('write', 'up:not_read_only', { args: { text: 'b' }, reason: 'to change' });
  await stage.call('read', 'up:destructive').catch(() => {});
  const agent = await connectClient('SDK 1.x', stage.proxy);
  const intent = { operation_type: 'read' };
  await agent.call('call_tool_read', { name: 'up:read_only', args: { text: 'traced' }, intent });
  await agent.call('call_tool_read', { name: 'up:destructive', args: {}, intent });
  await agent.close();
  const { records } = await stage.proxy.rest.request('listActivity', { q: 'traced' });
  pages.push(`/session?id=${records[0]!.session_id}`);
});
afterAll(() => stage?.dispose());

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  test('no page has a barrier', async () => {
    for (const width of theme === 'light' ? [1280, 800, 390] : [1280]) {
      const { page, context } = await stage.open('/', { theme, width });
      const found: unknown[] = [];
      for (const path of pages) {
        await page.goto(stage.proxy.url + path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForTimeout(300);
        found.push(...(await allFindings(page)).map((each) => [path, width, each]));
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        if (Number(overflow) > 0) found.push([path, width, `${Number(overflow)} px too wide`]);
      }
      expect(found).toEqual([]);
      await context.close();
    }
  });

  test('neither have the drawers', async () => {
    const { page, context } = await stage.open('/activity', { theme });
    await page.getByRole('row').filter({ hasText: 'up:read_only' }).first().click();
    await page.getByRole('dialog').getByText('Arguments').waitFor();
    expect(await allFindings(page)).toEqual([]);
    await page.goto(`${stage.proxy.url}/tools?server=up`);
    await page.getByRole('button', { name: 'up:read_only', exact: true }).click();
    await page.getByRole('dialog').getByText('Run it').waitFor();
    expect(await allFindings(page)).toEqual([]);
    await page.goto(`${stage.proxy.url}/tools?tool=shop:order`);
    await page.getByRole('dialog').getByRole('button', { name: 'Add an item to items' }).click();
    expect(await allFindings(page)).toEqual([]);
    await page.goto(`${stage.proxy.url}/tools?tool=shop:report`);
    await page.getByRole('button', { name: 'Call the tool' }).click();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    expect(await allFindings(page)).toEqual([]);
    await page.goto(`${stage.proxy.url}/servers?server=shop`);
    await page.getByRole('dialog').getByText('Settings', { exact: true }).click();
    await page.getByRole('textbox', { name: 'command' }).waitFor();
    expect(await allFindings(page)).toEqual([]);
    await page.goto(`${stage.proxy.url}/servers`);
    await page.getByRole('button', { name: 'Add a server' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await allFindings(page)).toEqual([]);
    await context.close();
  });
});

test('the keyboard alone opens a record and comes back', async () => {
  const { page, context } = await stage.open('/activity');
  const rows = page.getByRole('row');
  await rows.nth(1).waitFor();
  await rows.nth(1).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.evaluate('document.activeElement.getAttribute("aria-rowindex")')).toBe('3');
  await context.close();
});
