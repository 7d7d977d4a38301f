import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from 'vitest';
import { stopClock, type Watched } from './browser.ts';
import { openWebStage, type WebStage } from './stage.ts';

let stage: WebStage;
let at: Watched;
let page: Page;

const hold = async (marker: string) => {
  const error = await stage
    .call('destructive', 'up:destructive', { args: { marker } })
    .catch((cause: unknown) => cause);
  return (error as { details: { approval_id: string } }).details.approval_id;
};
const approve = (id: string) =>
  page.locator(`[data-approval="${id}"]`).getByRole('button', { name: 'Approve' });
const isArmed = (id: string) => expect.poll(() => approve(id).isEnabled()).toBe(true);
const statuses = async (ids: string[]) => {
  const all = await Promise.all(ids.map((id) => stage.proxy.rest.request('getApproval', { id })));
  return all.map(({ status }) => status);
};
async function pointAt(id: string): Promise<void> {
  await approve(id).scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await approve(id).boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
}
const click = async () => {
  await page.mouse.down();
  await page.mouse.up();
};

/** What the page loads and draws needs its timers. */
async function isShown(id: string, isThere = true): Promise<void> {
  await expect
    .poll(async () => {
      await page.clock.runFor(20);
      return (await approve(id).count()) > 0;
    })
    .toBe(isThere);
}

beforeAll(async () => {
  const approvals = { require: ['destructive'], wait: '0s', ttl: '30m', max_pending_per_caller: 1000 };
  stage = await openWebStage({ config: { approvals } });
});
beforeEach(async () => {
  at = await stage.open('/approvals', { height: 3000 });
  page = at.page;
  await page.clock.install();
  await page.reload();
});
afterEach(async () => {
  const { approvals } = await stage.proxy.rest.request('listApprovals', { status: 'pending', limit: 200 });
  for (const { id } of approvals)
    await stage.proxy.rest.request('decideApproval', { id, body: { decision: 'deny' } });
  await at.context.close();
});
afterAll(() => stage?.dispose());

test('a call that arrives is shown below, and a click still decides the call that it was meant for', async () => {
  const first = await hold('AAA');
  await isArmed(first);
  await pointAt(first);
  const second = await hold('BBB');
  await approve(second).waitFor();
  await click();
  await expect.poll(() => statuses([first, second])).toEqual(['approved', 'pending']);
});

test('clicks at one spot do not decide the calls that move there', async () => {
  const ids = [await hold('one'), await hold('two'), await hold('three')];
  for (const id of ids) await isArmed(id);
  await pointAt(ids[0]!);
  await stopClock(page);
  await click();
  await isShown(ids[0]!, false);
  await click();
  await click();
  await page.clock.runFor(300);
  await click();
  expect(await statuses(ids)).toEqual(['approved', 'pending', 'pending']);
  expect(await approve(ids[1]!).isEnabled()).toBe(false);
  await page.getByText('Just appeared or moved').first().waitFor();
  await page.clock.resume();
  await isArmed(ids[1]!);
  await click();
  await expect.poll(() => statuses(ids)).toEqual(['approved', 'approved', 'pending']);
});

test('a call that appears under the mouse is not decided by a click of that moment', async () => {
  const gone = await hold('gone');
  await isArmed(gone);
  await pointAt(gone);
  await stopClock(page);
  await stage.proxy.rest.request('decideApproval', { id: gone, body: { decision: 'deny' } });
  await isShown(gone, false);
  const fresh = await hold('fresh');
  await isShown(fresh);
  await click();
  await page.clock.runFor(300);
  expect(await statuses([fresh])).toEqual(['pending']);
});
