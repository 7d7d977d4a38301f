import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { HIDDEN_PAYLOADS, type HiddenPayload } from '../fixtures/hidden-payloads.ts';
import { openWebStage, type WebStage } from './stage.ts';

let stage: WebStage;
let page: Page;
let troubles: string[];

interface Held {
  what: string;
  args: Record<string, unknown>;
  hidden: string[];
  id: string;
}
const calls: Held[] = [];

const hold = async (args: Record<string, unknown>) => {
  const error = await stage.call('destructive', 'up:destructive', { args }).catch((cause: unknown) => cause);
  return (error as { details: { approval_id: string } }).details.approval_id;
};

/** Texts of a few lines together in one call: the inbox shows 200 calls, and each card takes its time. */
const TOGETHER = 40;
const isShort = ({ args }: HiddenPayload) =>
  Object.keys(args).length === 1 && typeof args.text === 'string' && args.text.length < 1000;

function payloadCalls(): Array<Omit<Held, 'id'>> {
  const short = HIDDEN_PAYLOADS.filter(isShort);
  const groups = Array.from({ length: Math.ceil(short.length / TOGETHER) }, (_, index) =>
    short.slice(index * TOGETHER, (index + 1) * TOGETHER),
  );
  return [
    ...groups.map((group) => ({
      what: group.map(({ what }) => what).join(', '),
      args: Object.fromEntries(group.map(({ args }, index) => [`text ${index}`, args.text])),
      hidden: group.map(({ hidden }) => hidden),
    })),
    ...HIDDEN_PAYLOADS.filter((each) => !isShort(each)).map((each) => ({ ...each, hidden: [each.hidden] })),
  ];
}

beforeAll(async () => {
  const approvals = { require: ['destructive'], wait: '0s', ttl: '30m', max_pending_per_caller: 1000 };
  stage = await openWebStage({ config: { approvals } });
  for (const call of payloadCalls()) calls.push({ ...call, id: await hold(call.args) });
  ({ page, troubles } = await stage.open('/approvals'));
});
afterAll(() => stage?.dispose());

const card = (id: string) => page.locator(`[data-approval="${id}"]`);

test('what masks hide elsewhere is on the page, whole and marked; what is too long is shown on demand', async () => {
  for (const { what, hidden, id } of calls) {
    const each = card(id);
    const approve = each.getByRole('button', { name: 'Approve' });
    await approve.waitFor();
    const showAll = each.getByRole('button', { name: 'Show the full call' });
    if ((await showAll.count()) > 0) {
      expect(await approve.isDisabled(), what).toBe(true);
      expect(await each.innerText(), what).toContain('Show the full call before you approve it.');
      await showAll.click();
    }
    await expect.poll(() => approve.isEnabled(), { message: what }).toBe(true);
    const call = each.locator('.call pre');
    const shown = await call.textContent();
    const marks = (await each.locator('mark.masked').allTextContents()).join('\n');
    for (const command of hidden.map((text) => JSON.stringify(text).slice(1, -1))) {
      expect(shown, what).toContain(command);
      if (what !== 'end of a long text') expect(marks, what).toContain(command);
    }
  }
  expect(troubles).toEqual([]);
});

test('no part of a call of many lines is out of sight in a box that scrolls', async () => {
  const paths = Array.from({ length: 100 }, (_, index) => `/tmp/cache/${index}`);
  const call = card(await hold({ paths: [...paths, '/home/me/everything'] })).locator('.call pre');
  await call.waitFor();
  const { box, content } = await call.evaluate((element) => ({
    box: element.clientHeight,
    content: element.scrollHeight,
  }));
  expect(box).toBeGreaterThanOrEqual(content);
});

test('what was seen and approved runs as it was shown', async () => {
  const { id, args } = calls[0]!;
  await card(id).getByRole('button', { name: 'Approve', exact: true }).click();
  await card(id).waitFor({ state: 'detached' });
  await stage.call('destructive', 'up:destructive', { args });
  expect(stage.executions()).toEqual([{ tool: 'destructive', args }]);
});

test('where more calls are pending than one page of the list holds, the inbox says so', async () => {
  const pending = (url: URL) => url.pathname === '/api/v1/approvals' && url.search.includes('pending');
  await page.route(pending, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), next_cursor: 'more' } });
  });
  await page.reload();
  await page.getByText(/^Only the newest \d+ pending calls are shown/).waitFor();
  await page
    .getByRole('navigation')
    .getByText(/^\d+\+/)
    .waitFor();
  await page.unroute(pending);
});

test('characters that nobody sees are shown by their numbers', async () => {
  const unseen = '\u{1d173}\u2800\u180b\ufff0\u{e0fff}';
  const shown = '\\u{1d173}\\u{2800}\\u{180b}\\u{fff0}\\u{e0fff}';
  const each = card(await hold({ [`k${unseen}`]: 1, path: `ls ${unseen}; rm -rf /` }));
  await each.getByRole('button', { name: 'Approve' }).waitFor();
  const call = await each.locator('.call pre').textContent();
  expect(call).toContain(`"k${shown}"`);
  expect(call).toContain(`ls ${shown}; rm -rf /`);
  expect(await each.textContent()).not.toMatch(/[\u180b\u{1d173}\u2800\ufff0\u{e0fff}]/u);
});
