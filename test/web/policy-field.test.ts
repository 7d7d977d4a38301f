import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWebStage, type WebStage } from './stage.ts';

let stage: WebStage;
beforeAll(async () => {
  stage = await openWebStage();
});
afterAll(() => stage?.dispose());

test('rules that cannot be read are named beside the field, and the buttons work again', async () => {
  const { page, context, troubles } = await stage.open('/settings');
  const rules = page.locator('section').filter({ hasText: 'Approval rules' });
  const field = rules.getByLabel('Rules (JSON)');
  const enforce = rules.getByRole('button', { name: 'Apply' });
  const trial = rules.getByRole('button', { name: 'Test against last week' });
  for (const button of [enforce, trial]) {
    await field.fill('["read", "destructve"]');
    await button.click();
    await rules.getByRole('alert').filter({ hasText: 'Rule 2: must be "destructive"' }).waitFor();
    await field.fill('["destructive"');
    await button.click();
    await rules.getByRole('alert').filter({ hasText: 'Invalid JSON' }).waitFor();
  }
  await field.fill('["destructive"]');
  await enforce.click();
  await rules.getByRole('alert').waitFor({ state: 'detached' });
  const inForce = async () => (await stage.proxy.rest.request('getConfig', {})).settings.approvals;
  await expect.poll(inForce).toMatchObject({ require: ['destructive'] });
  expect(troubles).toEqual([]);
  await context.close();
});
