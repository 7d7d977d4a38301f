import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../fixtures/start.ts';
import { openWebStage, type WebStage } from './stage.ts';

let stage: WebStage;
beforeAll(async () => {
  stage = await openWebStage();
});
afterAll(() => stage?.dispose());

test('an import shows each entry, takes corrections, and adds what can be used; broken text offers nothing', async () => {
  const { page, context, troubles } = await stage.open('/servers');
  await page.getByRole('button', { name: 'Add a server' }).click();
  await page.getByRole('dialog').getByText('Import from a client').click();
  const field = page.getByLabel('Or paste its content');
  const add = page.getByRole('button', { name: /^Add \d+ server/ });
  const row = (name: string) =>
    page
      .getByRole('dialog')
      .getByRole('listitem')
      .filter({ has: page.locator('strong', { hasText: name }) });
  const { command, args = [] } = fixture('annotated.mjs');
  const inputs = [{ id: 'key', description: 'Key of asking', password: true }];
  const servers = {
    first: { command, args: [...args, '--first'], env: { API_KEY: 'CANARY-web-0123456789' } },
    broken: { args: [] },
    asking: { command, args: [...args, '--asking'], env: { API_KEY: '${input:key}' } },
    proxy: { command: 'mcpproxy', args: ['stdio'] },
  };
  await field.fill(JSON.stringify({ inputs, servers }));

  await row('proxy').getByText('mcpproxy itself').waitFor();
  await row('broken').getByText('Cannot be used: line 1: needs either "command" or "url"').waitFor();
  await page.getByRole('button', { name: 'Add 1 server' }).waitFor();
  await row('broken').getByLabel('Another name').fill('mended');
  await row('broken').getByLabel('Another command line or URL').fill('http://127.0.0.1:9/mcp');
  await row('asking').getByLabel('Key of asking').fill('CANARY-typed-0123456789');
  expect(await page.getByRole('dialog').innerText()).not.toContain('CANARY');
  await page.getByRole('button', { name: 'Add 3 servers' }).click();
  for (const name of ['first', 'mended', 'asking'])
    await page.getByRole('button', { name, exact: true }).waitFor();

  await page.getByRole('button', { name: 'Add a server' }).click();
  await page.getByRole('dialog').getByText('Import from a client').click();
  await field.fill(JSON.stringify({ servers: { first: servers.first } }));
  await row('first').getByText('already in the configuration').waitFor();
  expect(await add.isDisabled()).toBe(true);
  await field.fill('{"mcpServers": ');
  await page.getByRole('alert').filter({ hasText: 'invalid JSON' }).waitFor();
  expect(await add.count()).toBe(0);
  expect(await page.getByRole('alert').count()).toBe(1);
  expect(await page.content()).not.toContain('CANARY');
  expect(troubles.filter((trouble) => !trouble.includes('400'))).toEqual([]);
  await context.close();
});
