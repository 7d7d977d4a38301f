import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { HIDDEN_PAYLOADS } from '../fixtures/hidden-payloads.ts';
import { openWebStage, type WebStage } from './stage.ts';

let stage: WebStage;
let page: Page;
let troubles: string[];
const ids: string[] = [];

const hold = async (args: Record<string, unknown>) => {
  const error = await stage.call('destructive', 'up:destructive', { args }).catch((cause: unknown) => cause);
  return (error as { details: { approval_id: string } }).details.approval_id;
};

beforeAll(async () => {
  const approvals = { require: ['destructive'], wait: '0s', ttl: '30m', max_pending_per_caller: 1000 };
  stage = await openWebStage({ config: { approvals } });
  for (const { args } of HIDDEN_PAYLOADS) ids.push(await hold(args));
  ({ page, troubles } = await stage.open('/approvals'));
});
afterAll(() => stage?.dispose());

const card = (id: string) => page.locator(`[data-approval="${id}"]`);

test('what masks hide elsewhere is on the page, whole and marked; what is too long is shown on demand', async () => {
  for (const [index, { what, hidden }] of HIDDEN_PAYLOADS.entries()) {
    const each = card(ids[index]!);
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
    expect(await call.textContent(), what).toContain(JSON.stringify(hidden).slice(1, -1));
    if (what !== 'end of a long text') {
      const marks = await each.locator('mark.masked').allTextContents();
      expect(marks.join('\n'), what).toContain(JSON.stringify(hidden).slice(1, -1));
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
  const [id] = ids;
  await card(id!).getByRole('button', { name: 'Approve' }).click();
  await card(id!).waitFor({ state: 'detached' });
  const [{ args }] = [HIDDEN_PAYLOADS[0]!];
  await stage.call('destructive', 'up:destructive', { args });
  expect(stage.executions()).toEqual([{ tool: 'destructive', args }]);
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
