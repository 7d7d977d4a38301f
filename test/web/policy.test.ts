import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findings } from './barriers.ts';
import type { Watched } from './browser.ts';
import { eachBrowser } from './each-browser.ts';
import { openWebStage, type WebStage } from './stage.ts';

const rules = (page: Page) => page.getByRole('region', { name: 'Rules', exact: true });
const effect = (page: Page) => page.getByRole('region', { name: 'Effect' });

eachBrowser((browser) => {
  let stage: WebStage;
  let at: Watched;
  let page: Page;
  const inForce = async () => {
    const { approvals } = (await stage.proxy.rest.request('getConfig', {})).settings;
    return (approvals as { require?: unknown }).require;
  };
  beforeAll(async () => {
    stage = await openWebStage({ browser });
    for (let i = 0; i < 4; i++) await stage.call('read', 'up:read_only');
    for (let i = 0; i < 3; i++) await stage.call('destructive', 'up:destructive');
    for (let i = 0; i < 2; i++) await stage.call('write', 'up:not_read_only');
    at = await stage.open('/policy');
    page = at.page;
  });
  afterAll(async () => {
    await at?.context.close();
    await stage?.dispose();
  });

  test('a policy is built in plain rules, replayed, put in force after a confirmation, and undone', async () => {
    await effect(page).getByText('0 calls held here').waitFor();
    await rules(page).getByRole('button', { name: 'Ask before deletions' }).click();
    await effect(page).getByText('3 calls held here').waitFor();
    await rules(page).getByRole('button', { name: 'Another rule' }).click();
    const second = rules(page).getByRole('listitem', { name: 'Rule 2' });
    await second
      .getByRole('textbox', { name: 'Tool of rule 2' })
      .or(second.getByLabel('Tool of rule 2'))
      .fill('not_*');
    await second.getByLabel('Action of rule 2').selectOption('Refuse');
    await effect(page).getByText('2 refused', { exact: true }).waitFor();
    await second.getByText('2 calls', { exact: true }).waitFor();
    await rules(page)
      .getByRole('listitem', { name: 'Rule 1' })
      .getByText('3 calls', { exact: true })
      .waitFor();
    await effect(page).getByRole('img', { name: '3 calls held and 2 refused, over time' }).waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await inForce()).toEqual([]);

    await rules(page).getByRole('button', { name: 'Put in force…' }).click();
    await rules(page)
      .getByRole('alert')
      .getByText('3 calls held, 2 refused. With the rules in force: 0 calls held, 0 refused.')
      .waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await inForce()).toEqual([]);
    await rules(page).getByRole('button', { name: 'Confirm: put in force' }).click();
    await page.getByText('The rules are in force.').waitFor();
    expect(await inForce()).toEqual(['destructive', { match: { tool: 'not_*' }, action: 'refuse' }]);
    await expect(stage.call('write', 'up:not_read_only')).rejects.toMatchObject({ code: 'POLICY_REFUSED' });

    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    expect(await inForce()).toEqual([]);
    await rules(page).getByRole('heading', { name: 'No rules' }).waitFor();
    await stage.call('write', 'up:not_read_only');
  });

  test('rules are removed and put in another order; what was not put in force is discarded', async () => {
    await rules(page).getByRole('button', { name: 'Ask before deletions' }).click();
    await rules(page).getByRole('button', { name: 'Ask before every change' }).click();
    await rules(page).getByRole('button', { name: 'Move rule 2 up' }).click();
    const first = rules(page).getByRole('listitem', { name: 'Rule 1' });
    expect(await first.getByLabel('Calls of rule 1').inputValue()).toBe('change');
    await rules(page).getByRole('button', { name: 'Remove rule 1' }).click();
    expect(await first.getByLabel('Calls of rule 1').inputValue()).toBe('destructive');
    await rules(page).getByRole('button', { name: 'Discard changes' }).click();
    await rules(page).getByRole('heading', { name: 'No rules' }).waitFor();
    expect(await inForce()).toEqual([]);
  });

  test('an undo changes nothing when the rules were changed meanwhile', async () => {
    await rules(page).getByRole('button', { name: 'Ask before every change' }).click();
    await rules(page).getByRole('button', { name: 'Put in force…' }).click();
    await rules(page).getByRole('button', { name: 'Confirm: put in force' }).click();
    await page.getByText('The rules are in force.').waitFor();
    await stage.proxy.rest.request('updateConfig', { body: { approvals: { require: ['read'] } } });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Not undone: the rules were changed meanwhile.').waitFor();
    expect(await inForce()).toEqual(['read']);
    expect(at.troubles).toEqual([]);
  });
});
