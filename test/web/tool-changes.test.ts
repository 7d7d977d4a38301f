import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../fixtures/start.ts';
import { openWebStage, type WebStage } from './stage.ts';

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-changes-'));
const file = join(dir, 'tools.json');
const NAMES = ['kept', 'refused'];
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

test('accepting a weaker tool says what follows and asks; it can be kept destructive, or rejected', async () => {
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
  expect(troubles).toEqual([]);
});
