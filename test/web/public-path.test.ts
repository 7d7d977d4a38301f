import { afterAll, beforeAll, expect, test } from 'vitest';
import { eachBrowser } from './each-browser.ts';
import { openPage } from './browser.ts';
import { openWebStage, type WebStage } from './stage.ts';

eachBrowser((browser) => {
  let stage: WebStage;
  beforeAll(async () => {
    stage = await openWebStage({ browser, config: { public_url: 'https://mcp.example.com/below' } });
  });
  afterAll(async () => {
    await stage?.dispose();
  });

  test('the web UI works below a path of a reverse proxy', async () => {
    const place = `${stage.proxy.url}/below`;
    const { page, context, troubles } = await openPage(stage.browser, stage.proxy.url);
    await page.goto(place);
    await page.getByLabel('API key').fill(stage.proxy.key);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(page.url()).toBe(`${place}/`);
    await page.getByRole('navigation').getByRole('link', { name: 'Tools' }).click();
    await page.getByRole('button', { name: 'up:read_only', exact: true }).waitFor();
    expect(page.url()).toBe(`${place}/tools`);
    await page.reload();
    await page.getByRole('button', { name: 'up:read_only', exact: true }).waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });
});
