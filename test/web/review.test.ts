import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../fixtures/start.ts';
import { findings } from './barriers.ts';
import type { Watched } from './browser.ts';
import { eachBrowser } from './each-browser.ts';
import { openWebStage, type WebStage } from './stage.ts';

const NAMES = ['b1', 'b2', 'c_risky', 'd_strict', 'e_rejected', 'f_mild'];
const decision = (page: Page) => page.getByRole('region', { name: 'Decision' });
const waiting = (page: Page) => page.getByRole('region', { name: 'Waiting' });

eachBrowser((browser) => {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-review-'));
  const file = join(dir, 'tools.json');
  let stage: WebStage;
  let at: Watched;
  let page: Page;

  /** Before, all of them are destructive; afterwards they say that they read, except for one that stays as it is. */
  function list(isChanged: boolean): void {
    const tools = NAMES.map((name) => ({
      name,
      description: isChanged ? 'Shows things, and other things.' : 'Shows things.',
      inputSchema: { type: 'object', properties: isChanged ? { path: { type: 'string' } } : {} },
      annotations: isChanged && name !== 'f_mild' ? { readOnlyHint: true } : { destructiveHint: true },
    }));
    writeFileSync(file, JSON.stringify({ tools }));
  }
  const tool = (name: string) => stage.proxy.rest.request('getTool', { name: `rug:${name}` });
  const standing = async (name: string) => {
    const { withheld, rejected, book } = await tool(name);
    return [withheld, rejected !== undefined, book.enforced];
  };

  beforeAll(async () => {
    list(false);
    stage = await openWebStage({
      browser,
      config: { quarantine: 'changed', mcpServers: { rug: fixture('changeable.mjs', file) } },
    });
    at = await stage.open('/review');
    page = at.page;
    await page.getByText('No tools to review').waitFor();
    list(true);
    await waiting(page).getByRole('heading', { name: '6 tools' }).waitFor();
  });
  afterAll(async () => {
    await at?.context.close();
    await stage?.dispose();
    rmSync(dir, { recursive: true, force: true });
  });

  test('shows hints, text and schema word by word, and what follows', async () => {
    await decision(page).getByText('nobody is asked').waitFor();
    for (const part of ['Hints', 'Text', 'Schema'])
      await decision(page).getByRole('region', { name: part, exact: true }).waitFor();
    await decision(page).locator('ins', { hasText: 'and other' }).waitFor();
    expect(await findings(page)).toEqual([]);
  });

  test('several at once: nothing happens before it is confirmed', async () => {
    for (const name of ['rug:b1', 'rug:b2'])
      await waiting(page)
        .getByRole('checkbox', { name: `Select ${name}` })
        .check();
    await decision(page).getByRole('heading', { name: '2 tools selected' }).waitFor();
    await expect.poll(() => decision(page).getByText('nobody is asked').count()).toBe(2);
    await page.keyboard.press('a');
    await decision(page).getByRole('alert').getByText('Accept 2 tools?').waitFor();
    expect(await standing('b1')).toEqual([true, false, 'destructive']);
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await decision(page).getByRole('alert').waitFor({ state: 'detached' });
    await page.keyboard.press('a');
    await decision(page).getByRole('alert').waitFor();
    await page.keyboard.press('a');
    await page.getByText('2 tools are accepted.').waitFor();
    expect([await standing('b1'), await standing('b2')]).toEqual([
      [false, false, 'read'],
      [false, false, 'read'],
    ]);
    await waiting(page).getByRole('heading', { name: '4 tools' }).waitFor();
  });

  test('by keyboard: → is next, "a" asks where agents may do more, "d" accepts as destructive, "r" rejects', async () => {
    const open = (name: string) =>
      decision(page)
        .getByRole('heading', { name: `rug:${name}`, exact: true })
        .waitFor();
    await open('c_risky');
    await page.keyboard.press('ArrowRight');
    await open('d_strict');
    await page.keyboard.press('ArrowLeft');
    await open('c_risky');
    await decision(page).getByText('After this').waitFor();
    await page.keyboard.press('a');
    await decision(page).getByRole('alert').getByText('call it as read').waitFor();
    expect(await standing('c_risky')).toEqual([true, false, 'destructive']);
    await page.keyboard.press('a');
    await page.getByText('rug:c_risky is accepted.').waitFor();
    expect(await standing('c_risky')).toEqual([false, false, 'read']);

    await open('d_strict');
    await decision(page).getByText('After this').waitFor();
    await page.keyboard.press('d');
    await page.getByText('rug:d_strict is accepted and counts as destructive.').waitFor();
    expect(await standing('d_strict')).toEqual([false, false, 'destructive']);

    await open('e_rejected');
    await decision(page).getByText('After this').waitFor();
    await page.keyboard.press('r');
    await page.getByText('rug:e_rejected is rejected').waitFor();
    expect((await standing('e_rejected')).slice(0, 2)).toEqual([true, true]);

    // Agents may do no more than before: one key is enough.
    await open('f_mild');
    await decision(page).getByText('That is as before.').waitFor();
    await page.keyboard.press('a');
    await page.getByText('rug:f_mild is accepted.').waitFor();
    await page.getByText('No tools to review').waitFor();
    expect(at.troubles).toEqual([]);
  });
});
