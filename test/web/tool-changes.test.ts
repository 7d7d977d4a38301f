import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../fixtures/start.ts';
import { openWebStage, type WebStage } from './stage.ts';

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-changes-'));
const file = join(dir, 'tools.json');
const NAMES = ['kept', 'refused', 'strict'];
let stage: WebStage;

function list(annotations: Record<string, boolean>): void {
  const tools = NAMES.map((name) => ({ name, inputSchema: { type: 'object' }, annotations }));
  writeFileSync(file, JSON.stringify({ tools }));
}

beforeAll(async () => {
  list({ destructiveHint: true });
  stage = await openWebStage({
    config: { quarantine: 'changed', mcpServers: { rug: fixture('changeable.mjs', file) } },
  });
});
afterAll(async () => {
  await stage?.dispose();
  rmSync(dir, { recursive: true, force: true });
});

test('accepting a weaker tool says what follows and asks; it can be kept or accepted as destructive, or rejected', async () => {
  const { page, troubles } = await stage.open('/tools?server=rug');
  list({ readOnlyHint: true });
  for (const name of NAMES)
    await page
      .getByRole('row')
      .filter({ hasText: `rug:${name}` })
      .getByText('changed, withheld')
      .waitFor();

  await page.getByRole('button', { name: 'rug:kept' }).click();
  const drawer = page.getByRole('dialog');
  const change = drawer.getByRole('region', { name: 'Change' });
  await change.getByText('callable with').first().waitFor();
  expect(await change.innerText()).toContain('/annotations/readOnlyHint');
  await change.getByRole('button', { name: 'Accept this version' }).click();
  await change.getByText('After this, agents may find it and call it as read').waitFor();
  // Nothing has happened yet.
  await expect(stage.call('destructive', 'rug:kept')).rejects.toMatchObject({ code: 'TOOL_WITHHELD' });
  await change.getByRole('button', { name: 'Accept, but keep as destructive' }).click();
  await change.waitFor({ state: 'detached' });
  await stage.call('destructive', 'rug:kept');
  await expect(stage.call('read', 'rug:kept')).rejects.toMatchObject({ code: 'SERVER_MISMATCH' });

  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'rug:refused' }).click();
  await change.getByRole('button', { name: 'Reject' }).click();
  await change.getByText('Rejected by').waitFor();
  await expect(stage.call('read', 'rug:refused')).rejects.toMatchObject({ code: 'TOOL_WITHHELD' });

  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'rug:strict' }).click();
  await change.getByRole('button', { name: 'Accept as destructive' }).click();
  await change.waitFor({ state: 'detached' });
  await stage.call('destructive', 'rug:strict');
  await expect(stage.call('read', 'rug:strict')).rejects.toMatchObject({ code: 'SERVER_MISMATCH' });
  expect(troubles).toEqual([]);
});

test('a verdict that loosens is confirmed; a stricter one is not; both can be undone, and a refused one comes back', async () => {
  const { page, context, troubles } = await stage.open('/tools?server=rug');
  const verdict = async () =>
    (await stage.proxy.rest.request('getTool', { name: 'rug:refused' })).book.decision?.operation;
  await page.getByRole('button', { name: 'rug:refused', exact: true }).click();
  const drawer = page.getByRole('dialog');
  const set = drawer.getByRole('region', { name: 'Set the verdict' });
  const button = (name: string) => set.getByRole('button', { name, exact: true });

  await button('read').click();
  await set
    .getByText(
      'agents may call rug:refused as read, and approval rules treat it as read. Its server or its text says destructive. It stays withheld until you accept it.',
    )
    .waitFor();
  expect(await verdict()).toBeUndefined();
  await button('Cancel').click();

  await button('destructive').click();
  await drawer.getByText('rug:refused now counts as destructive').waitFor();
  expect(await verdict()).toBe('destructive');
  await drawer.getByRole('button', { name: 'Undo' }).click();
  await drawer.getByText('Undone.').waitFor();
  expect(await verdict()).toBeUndefined();

  await page.route('**/operation', (route) =>
    route.fulfill({ status: 409, json: { error: { code: 'CONFLICT', message: 'made to fail' } } }),
  );
  await button('destructive').click();
  await set.getByText('made to fail').waitFor();
  expect(await button('destructive').getAttribute('aria-pressed')).toBe('false');
  await button('read').click();
  await button('Confirm read').click();
  await set.getByText('made to fail').waitFor();
  await page.unroute('**/operation');
  await button('read').click();
  await button('Confirm read').click();
  await drawer.getByText('rug:refused now counts as read').waitFor();
  expect(await verdict()).toBe('read');
  expect(troubles).toEqual([]);
  await context.close();
});
