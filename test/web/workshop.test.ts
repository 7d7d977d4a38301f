import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connectClient } from '../e2e/mcp-clients.ts';
import { fixture } from '../fixtures/start.ts';
import type { Watched } from './browser.ts';
import { eachBrowser } from './each-browser.ts';
import { openWebStage, type WebStage } from './stage.ts';

let stage: WebStage;
let at: Watched;
let page: Page;

const drawer = () => page.getByRole('dialog');
const field = (name: string) => drawer().getByLabel(name, { exact: true });
/** Where an element ends, once it has a place. */
const bottomOf = async (element: Locator) => {
  const box = await element.boundingBox();
  return box ? box.y + box.height : Infinity;
};
const press = (name: string) => drawer().getByRole('button', { name, exact: true }).click();
const go = async (path: string) => {
  await page.goto(stage.proxy.url + path);
  await page.getByRole('heading', { level: 1 }).waitFor();
};
/** What the tool says that it was called with. */
const received = async (): Promise<unknown> => {
  await drawer().getByRole('radio', { name: 'JSON' }).last().check();
  const shown = await drawer().getByLabel('Result as JSON').innerText();
  return (JSON.parse(shown) as { structuredContent: unknown }).structuredContent;
};

eachBrowser((browser) => {
  beforeAll(async () => {
    stage = await openWebStage({
      // The other one has the same URIs.
      servers: { shop: fixture('workshop.mjs'), other: fixture('workshop.mjs') },
      config: { approvals: { require: ['up:destructive'], wait: '50s' } },
      browser,
    });
    at = await stage.open('/');
    page = at.page;
  });
  afterEach(() => expect(at.troubles.splice(0)).toEqual([]));
  afterAll(() => stage?.dispose());

  test('a tool with a nested schema is called from a form, again, as JSON, and from its record', async () => {
    await go('/tools?tool=shop:order');
    await field('customer.street').fill('Long Street 1');
    await field('customer.kind').selectOption('work');
    await press('Add customer.next');
    await field('customer.next.street').fill('Short Street');
    await press('Add an item to items');
    await press('Add an item to items');
    await field('items[0].name').fill('nail');
    await field('items[1].name').fill('screw');
    await field('items[1].count').fill('3');
    await press('Remove items[0]');
    await field('Variant of delivery').selectOption('Collected');
    await field('delivery.shop').fill('7');
    await press('Add price');
    await field('price').fill('12345678901234567890.10');
    await field('gift').selectOption('true');
    await press('Add labels');
    await field('Name of another field of labels').fill('colour');
    await page.keyboard.press('Enter');
    await field('labels.colour').fill('red');
    await field('note').fill('{"a": [1, null]}');
    await press('Call the tool');
    await drawer().getByRole('heading', { name: 'Result' }).waitFor();
    expect(await drawer().getByText('12345678901234567890.10').count()).toBeGreaterThan(0);
    expect(await received()).toEqual({
      customer: { street: 'Long Street 1', kind: 'work', next: { street: 'Short Street' } },
      items: [{ name: 'screw', count: 3 }],
      delivery: { way: 'collected', shop: 7 },
      price: expect.any(Number),
      gift: true,
      labels: { colour: 'red' },
      note: { a: [1, null] },
    });

    await drawer().getByText('JSON', { exact: true }).first().click();
    const json = drawer().getByLabel('Arguments as JSON');
    expect(await json.inputValue()).toContain('"price": 12345678901234567890.10');
    await json.fill('{"customer": ');
    await drawer().getByRole('alert').filter({ hasText: 'not valid JSON' }).waitFor();
    await json.fill('{"customer": {"street": ""}, "items": [], "delivery": {"way": "post"}}');
    await press('Call again');
    // The proxy checks it as it checks a call of an agent.
    await drawer().getByRole('alert').filter({ hasText: 'street' }).waitFor();

    await go('/activity?filter=tool:shop:order status:success');
    await page.getByRole('row').filter({ hasText: 'shop:order' }).first().click();
    await drawer().getByRole('link', { name: 'Call again…' }).click();
    await expect.poll(() => field('customer.street').inputValue()).toBe('Long Street 1');
    await field('customer.street').fill('Elsewhere');
    await press('Call the tool');
    await drawer().getByRole('heading', { name: 'Result' }).waitFor();
    expect(await received()).toMatchObject({ customer: { street: 'Elsewhere' }, labels: { colour: 'red' } });
  });

  test('a result is shown as what it is: formatted text, tables, images, sound, resources; nothing in it runs', async () => {
    await go('/tools?tool=shop:report');
    await drawer().getByText('It names no arguments.').waitFor();
    expect(await drawer().getByText('Name of another field').isVisible()).toBe(false);
    await press('Call the tool');
    const result = drawer().locator('.markdown');
    await result.getByText('Report').waitFor();
    expect(await result.getByRole('listitem').count()).toBe(2);
    expect(await result.getByText('<b onclick="window.pwned=1">no HTML</b>').count()).toBe(1);
    expect(await result.getByRole('link').allInnerTexts()).toEqual(['(https://example.com/page)']);
    await drawer().getByRole('cell', { name: 'screw' }).waitFor();
    expect(await drawer().getByRole('img', { name: 'Result, image/png' }).count()).toBe(1);
    expect(await drawer().getByLabel('Result, audio/wav').count()).toBe(1);
    await drawer().getByText('embedded stock').waitFor();
    await drawer().getByRole('button', { name: 'Read', exact: true }).click();
    await drawer().getByText('contents of shop://prices').waitFor();
    expect(await page.evaluate('window.pwned')).toBeUndefined();
  });

  test('prompts and resources are tried likewise', async () => {
    await go('/tools');
    await page.getByRole('link', { name: 'Prompts' }).click();
    await page.getByRole('button', { name: 'shop:offer' }).click();
    await field('customer').fill('Ann');
    await press('Get the prompt');
    await drawer().getByText('Write an offer for').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Resources' }).click();
    const ofShop = page
      .getByRole('row')
      .filter({ has: page.getByRole('cell', { name: 'shop', exact: true }) });
    await ofShop.getByRole('button', { name: 'prices' }).click();
    await press('Read it');
    await drawer().getByText('contents of shop://prices').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Templates', { exact: true }).click();
    await ofShop.getByRole('button', { name: 'goods' }).click();
    await field('name').fill('a nail');
    await press('Read it');
    await drawer().getByText('contents of shop://goods/a%20nail').waitFor();
    await page.keyboard.press('Escape');
  });

  test('every setting of a server is edited, tested before it is saved, and undone', async () => {
    await go('/servers?server=shop');
    await drawer().getByText('Settings', { exact: true }).click();
    const command = await field('command').inputValue();
    await field('command').fill('no-such-program-anywhere');
    await press('Test the connection');
    await drawer().getByRole('alert').filter({ hasText: 'The test failed' }).waitFor();
    await field('command').fill(command);
    await press('Add env');
    await field('Name of another field of env').fill('SHOP');
    await page.keyboard.press('Enter');
    await field('env.SHOP').fill('open');
    await field('timeout').fill('9s');
    await press('Test the connection');
    await drawer().getByText('The connection works').waitFor();
    await press('Save');
    const settings = async () =>
      (await stage.proxy.rest.request('serverSettings', { name: 'shop' })).settings;
    await drawer().getByText('shop is changed.').waitFor();
    expect(await settings()).toMatchObject({ env: { SHOP: '***' }, timeout: '9s' });
    await press('Undo');
    await drawer().getByText('Undone.').waitFor();
    expect(await settings()).not.toHaveProperty('timeout');
    expect(await settings()).not.toHaveProperty('env');
  });

  test('a client is connected: a token of its own, its configuration, and the page sees it arrive', async () => {
    await go('/connect');
    await page.getByLabel('Client', { exact: true }).selectOption('Cursor');
    await page.getByText('mcpproxy connect cursor').waitFor();
    await page.getByRole('button', { name: 'Create the token and show the configuration' }).click();
    const token = await page
      .getByText(/^mcpp_[\w-]+$/)
      .first()
      .innerText();
    const entry = await page
      .getByLabel(/mcp\.json$/)
      .first()
      .innerText();
    expect(entry).toContain(`${stage.proxy.url}/mcp`);
    await page.getByText('Waiting for the first request').waitFor();
    const agent = await connectClient('SDK 1.x', { url: stage.proxy.url, key: token });
    await agent.call('retrieve_tools', { query: 'orders' });
    await agent.close();
    await page.getByText('Connected.').waitFor();
  });

  test('on a phone a pending call is in the first screen, and is approved', async () => {
    const phone = await stage.open('/', { width: 390, height: 844 });
    const before = stage.executions().length;
    const held = stage.call('destructive', 'up:destructive', {
      args: { text: 'old' },
      reason: 'from a phone',
    });
    const decide = phone.page.getByRole('button', { name: 'Decide' }).first();
    await decide.waitFor();
    // What stands above is still loading.
    await expect.poll(() => bottomOf(decide), { timeout: 30_000 }).toBeLessThan(844 - 54);
    // On its own page so are the call, who asks and why, and the buttons.
    await phone.page.getByRole('navigation').getByRole('link', { name: 'Approvals' }).click();
    const approve = phone.page.getByRole('button', { name: 'Approve' });
    await phone.page.getByText('This caller has not called this tool').waitFor();
    await expect.poll(() => bottomOf(approve), { timeout: 30_000 }).toBeLessThan(844 - 54);
    await approve.click();
    await held;
    expect(stage.executions()).toHaveLength(before + 1);
    // Every page is one tap away.
    await phone.page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Settings' })
      .click();
    await phone.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    expect(phone.troubles).toEqual([]);
    await phone.context.close();
  });
});
