import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../fixtures/start.ts';
import { openWebStage, type WebStage } from './stage.ts';

let stage: WebStage;
beforeAll(async () => {
  stage = await openWebStage();
});
afterAll(() => stage?.dispose());

test('an import that succeeds in part says what was added and offers only the rest; broken text offers nothing', async () => {
  const { page, context, troubles } = await stage.open('/servers');
  await page.getByRole('button', { name: 'Add a server' }).click();
  await page.getByRole('dialog').getByText('Import from a client').click();
  const field = page.getByLabel('Or paste its content');
  const add = page.getByRole('button', { name: /^Add \d+ server/ });
  const one = fixture('annotated.mjs');
  await field.fill(JSON.stringify({ mcpServers: { first: one, up: one, last: one } }));
  await add.click();
  await page.getByRole('alert').filter({ hasText: 'up: ' }).waitFor();
  await page.getByText('Added: first, last').waitFor();
  await page.getByRole('button', { name: 'Add 1 server' }).waitFor();
  await field.fill('{"mcpServers": ');
  await page.getByRole('alert').filter({ hasText: 'Invalid JSON' }).waitFor();
  expect(await add.count()).toBe(0);
  expect(await page.getByRole('alert').count()).toBe(1);
  expect(troubles).toEqual([]);
  await context.close();
});
