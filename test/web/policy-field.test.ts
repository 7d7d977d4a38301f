import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWebStage, type WebStage } from './stage.ts';

let stage: WebStage;
beforeAll(async () => {
  stage = await openWebStage();
});
afterAll(() => stage?.dispose());

test('rules that cannot be read are named beside the field, and the buttons work again', async () => {
  const { page, context, troubles } = await stage.open('/policy');
  const rules = page.getByRole('region', { name: 'Rules', exact: true });
  await rules.getByText('As JSON').click();
  const field = rules.getByLabel('Rules (JSON)');
  const use = rules.getByRole('button', { name: 'Use these rules' });
  const enforce = rules.getByRole('button', { name: 'Put in force…' });
  for (let round = 0; round < 2; round++) {
    await field.fill('["read", "destructve"]');
    await use.click();
    await rules.getByRole('alert').filter({ hasText: 'Rule 2: must be "destructive"' }).waitFor();
    await field.fill('["destructive"');
    await use.click();
    await rules.getByRole('alert').filter({ hasText: 'Invalid JSON' }).waitFor();
  }
  // A field of the form can be wrong too.
  await rules.getByRole('button', { name: 'Another rule' }).click();
  await rules.getByLabel('Tool of rule 1').fill('a\u0007');
  await enforce.click();
  await rules
    .getByRole('alert')
    .filter({ hasText: 'Rule 1: match.tool: must not contain control' })
    .waitFor();
  await field.fill('["destructive"]');
  await use.click();
  await enforce.click();
  await rules.getByRole('button', { name: 'Confirm: put in force' }).click();
  await page.getByText('The rules are in force.').waitFor();
  await rules.getByRole('alert').waitFor({ state: 'detached' });
  const inForce = async () => (await stage.proxy.rest.request('getConfig', {})).settings.approvals;
  await expect.poll(inForce).toMatchObject({ require: ['destructive'] });
  expect(troubles).toEqual([]);
  await context.close();
});
