import { afterAll, beforeAll, expect, test } from 'vitest';
import { around, CANARY, safeEntries, type Entry } from '../fixtures/client-entries.ts';
import { fixturePath } from '../fixtures/start.ts';
import type { Watched } from './browser.ts';
import { openWebStage, type WebStage } from './stage.ts';

// Client files with a secret in every place, copied into the configuration and pasted into the import: no page shows one.

let stage: WebStage;
let entries: Entry[];
let watched: Watched;

beforeAll(async () => {
  entries = await safeEntries();
  const named = entries.map(({ name, ...entry }, index) => [`${index} ${name}`, entry]);
  const telling = {
    command: 'node',
    args: [fixturePath('telling.mjs'), '--api-key', `${CANARY}-telling-0123456789`],
    env: { TOKEN: `${CANARY}-env-0123456789` },
  };
  const mcpServers = { ...Object.fromEntries(named), telling };
  stage = await openWebStage({ config: { mcpServers } });
  watched = await stage.open('/servers');
});
afterAll(async () => {
  await watched?.context.close();
  await stage?.dispose();
});

/** What is on the page now: its markup, and the values of its fields. */
async function shown(): Promise<string> {
  const { page } = watched;
  const fields = await page
    .locator('input, select')
    .evaluateAll((all) => all.map((field) => (field as { value?: string }).value ?? ''));
  return [await page.content(), await page.locator('body').innerText(), ...fields].join('\n');
}

test('the page Servers, the details of a server and its output', async () => {
  const { page } = watched;
  await page.getByRole('button', { name: 'telling', exact: true }).click();
  await page.getByRole('dialog').getByText('bad argument ***').first().waitFor();
  const text = await shown();
  expect(text).toContain('mcp/google-maps');
  expect(around(text)).toBe('');
  await page.keyboard.press('Escape');
});

test('the import of all entries, before and after they are added', async () => {
  const { page } = watched;
  await page.getByRole('button', { name: 'Add a server' }).click();
  await page.getByRole('dialog').getByText('Import from a client').click();
  const mcpServers = entries.map((entry, index) => ({
    ...entry,
    enabled: false,
    name: `new ${index} ${entry.name}`,
    args: entry.args && [...entry.args, `--number=${index}`],
  }));
  await page.getByLabel('Or paste its content').fill(JSON.stringify({ mcpServers }));
  const add = page.getByRole('button', { name: /^Add \d+ servers/ });
  await add.waitFor();
  expect(around(await shown())).toBe('');
  await add.click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(around(await shown())).toBe('');
});

test('the page Activity, with the records of the configuration and of the import', async () => {
  const { page } = watched;
  const { records } = await stage.proxy.rest.request('listActivity', { limit: 10 });
  const wanted = records.filter(({ type }) => type === 'config' || type === 'config_change');
  expect(wanted.map(({ metadata }) => metadata.action)).toContain('import_servers');
  await page.goto(`${stage.proxy.url}/activity`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(around(await shown())).toBe('');
  for (const { id } of wanted) {
    await page.goto(`${stage.proxy.url}/activity?record=${id}`);
    await page.getByRole('dialog').getByText('Request', { exact: false }).first().waitFor();
    expect(around(await shown())).toBe('');
  }
  for (const path of ['/', '/audit', '/settings']) {
    await page.goto(stage.proxy.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(around(await shown())).toBe('');
  }
});
