import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { poll } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import type { Watched } from './browser.ts';
import { eachBrowser } from './each-browser.ts';
import { openWebStage, type WebStage } from './stage.ts';

let stage: WebStage;
let at: Watched;
let page: Page;

const go = async (title: string) => {
  await page.getByRole('navigation').getByRole('link', { name: title }).click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
};
const drawer = () => page.getByRole('dialog');

eachBrowser((browser) => {
  beforeAll(async () => {
    stage = await openWebStage({
      config: { approvals: { require: ['up:destructive', 'up:writer_destructive'], wait: '50s' } },
      browser,
    });
    at = await stage.open('/');
    page = at.page;
  });
  // A page that fails in a newer browser does so in the console first.
  afterEach(() => expect(at.troubles.splice(0)).toEqual([]));
  afterAll(() => stage?.dispose());

  test('adds a server by its command line, and one from the file of a client', async () => {
    await go('Servers');
    const { command = '', args = [] } = fixture('annotated.mjs');
    await page.getByRole('button', { name: 'Add a server' }).click();
    await drawer().getByLabel('Name', { exact: true }).fill('byhand');
    await drawer()
      .getByLabel('Command line')
      .fill([command, ...args].map((word) => `"${word}"`).join(' '));
    await drawer().getByRole('button', { name: 'Add', exact: true }).click();
    const card = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'byhand' }) });
    await card.getByText('ready').waitFor();

    await page.getByRole('button', { name: 'Add a server' }).click();
    await drawer().getByText('Import from a client').click();
    const file = `{ // as VS Code writes it\n "servers": {"imported": ${JSON.stringify({ command, args: [...args, '--name', 'other'], disabled: false })}, "odd": 7} }`;
    await drawer().getByLabel('Or paste its content').fill(file);
    await drawer().getByText('Cannot be used:').waitFor();
    await drawer().getByRole('button', { name: 'Add 1 server' }).click();
    await page.getByRole('button', { name: 'imported' }).waitFor();
  });

  test('a server that cannot start says what to do', async () => {
    await page.getByRole('button', { name: 'Add a server' }).click();
    await drawer().getByLabel('Name', { exact: true }).fill('missing');
    await drawer().getByLabel('Command line').fill('no-such-program-anywhere --flag');
    await drawer().getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'missing' }).click();
    await drawer().getByText('Install the program').waitFor();
    await drawer().getByRole('button', { name: 'Remove…' }).click();
    await drawer().getByRole('button', { name: 'Remove permanently' }).click();
    await page.getByRole('button', { name: 'missing' }).waitFor({ state: 'detached' });
  });

  test('searches as an agent does, and tries a tool', async () => {
    await go('Tools');
    await page.getByRole('searchbox').fill('add a task');
    await page.getByRole('button', { name: 'Search' }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'tasks:add_task' })
      .getByText('call_tool_write')
      .waitFor();
    await page.getByRole('button', { name: 'tasks:add_task', exact: true }).first().click();
    await drawer().getByLabel('description').fill('water the plants');
    await drawer().getByRole('button', { name: 'Call the tool' }).click();
    await drawer().getByText('Result', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('is refused where an agent would be', async () => {
    await page.goto(`${stage.proxy.url}/tools?server=up&operation=destructive`);
    await page.getByRole('button', { name: 'up:switchable', exact: true }).click();
    await drawer().getByLabel('Call with').selectOption('call_tool_read');
    await drawer().getByRole('button', { name: 'Call the tool' }).click();
    await drawer().getByRole('alert').filter({ hasText: 'marked destructive by server' }).waitFor();
    expect(stage.executions()).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('sets a verdict, and call_with follows', async () => {
    await page.goto(`${stage.proxy.url}/tools?server=up&unannotated=true`);
    await page.getByRole('button', { name: 'up:delete_everything', exact: true }).click();
    await drawer().getByText('call_tool_write').first().waitFor();
    await drawer().getByRole('button', { name: 'destructive', exact: true }).click();
    await drawer().locator('code', { hasText: 'call_tool_destructive' }).first().waitFor();
    const { call_with } = await stage.proxy.rest.request('getTool', { name: 'up:delete_everything' });
    expect(call_with).toBe('call_tool_destructive');
    await page.keyboard.press('Escape');
  });

  test('filters by intent, and sees a call appear while it looks', async () => {
    await go('Activity');
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('op:destructive');
    await page.keyboard.press('Enter');
    await page.waitForURL(/filter=op%3Adestructive/);
    await filter.fill('op:read tool:up:get_things');
    await page.keyboard.press('Enter');
    await page.waitForURL(/filter=op%3Aread/);
    await page.getByText('No records match these filters').waitFor();
    const rows = page.getByRole('row').filter({ hasText: 'up:get_things' });
    expect(await rows.count()).toBe(0);
    await stage.call('read', 'up:get_things', { args: { text: 'live' }, reason: 'while somebody looks' });
    await rows.first().waitFor();
    await filter.fill('somebody');
    await page.keyboard.press('Enter');
    await page.waitForURL(/filter=somebody/);
    await page.getByText('1 record', { exact: true }).waitFor();
    await page.reload();
    await rows.first().waitFor();
  });

  test('approves a pending call and sees what it did; denies another with a reason', async () => {
    const before = stage.executions().length;
    const held = stage.call('destructive', 'up:destructive', {
      args: { text: 'gone' },
      reason: 'cleaning up',
    });
    await go('Approvals');
    const card = page.getByRole('article').filter({ hasText: 'up:destructive' });
    await card.getByText('cleaning up').waitFor();
    await card.getByText('"gone"').waitFor();
    expect(stage.executions()).toHaveLength(before);
    await card.getByRole('button', { name: 'Approve' }).click();
    await held;
    expect(stage.executions()).toHaveLength(before + 1);
    expect(stage.executions().at(-1)).toMatchObject({ tool: 'destructive', args: { text: 'gone' } });

    const other = stage
      .call('destructive', 'up:writer_destructive', { args: { text: 'no' } })
      .catch((error: Error) => error.message);
    const second = page.getByRole('article').filter({ hasText: 'up:writer_destructive' });
    await second.getByLabel('Reason (sent to the agent)').fill('not on a Monday');
    await second.getByRole('button', { name: 'Deny', exact: true }).click();
    expect(await other).toContain('not on a Monday');
    expect(stage.executions()).toHaveLength(before + 1);
    await page.getByRole('row').filter({ hasText: 'not on a Monday' }).getByText('denied').waitFor();

    await page.goto(`${stage.proxy.url}/activity?tool=up:destructive&status=success`);
    await page.getByRole('row').nth(1).click();
    await drawer().getByText('by operator, web').waitFor();
    await drawer()
      .getByText(/at entry/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
  });

  test('chats, and a delete waits for the yes', async () => {
    await go('Assistant');
    const say = async (text: string, answer: RegExp) => {
      await page.getByLabel('Message').fill(text);
      await page.keyboard.press('Enter');
      await page.getByRole('log').getByText(answer).last().waitFor();
      // While an answer is awaited, nothing else is sent.
      await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    };
    await say('add buy stamps', /added “buy stamps”/);
    await say('add write to Ann', /added “write to Ann”/);
    const tasks = page.getByRole('region', { name: 'Tasks' });
    await tasks.getByText('write to Ann').waitFor();
    // The order in which the assistant counts them.
    expect((await tasks.getByRole('listitem').allTextContents()).slice(-2)).toEqual([
      'buy stamps',
      'write to Ann',
    ]);
    await say('delete buy stamps', /Shall I delete “buy stamps”/);
    await say('yes', /deleted/i);
    await tasks.getByText('buy stamps').waitFor({ state: 'detached' });
  });

  test('makes a token, checks the log and changes a setting', async () => {
    await go('Settings');
    await page.getByLabel('Name', { exact: true }).fill('my-agent');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText(/^mcpp_/).waitFor();
    await page.getByRole('row').filter({ hasText: 'my-agent' }).waitFor();
    await page.getByRole('button', { name: 'Verify the log' }).click();
    await page.getByText('The log is intact').waitFor();
    await page.getByLabel(/^limit/).fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved and active.').waitFor();
    await poll('the setting in force', stage.proxy.stderr, async () => {
      const { settings } = await stage.proxy.rest.request('getConfig', {});
      return (settings.tools as { limit: number }).limit === 5 || undefined;
    });
  });
});
