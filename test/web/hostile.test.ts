import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWebStage, type WebStage } from './stage.ts';

let stage: WebStage;
beforeAll(async () => {
  stage = await openWebStage({ config: { quarantine: 'warn' } });
});
afterAll(() => stage?.dispose());

const MARKUP = '<script>window.pwned=6</script><img src=x onerror="window.pwned=7">\u202e';

test('hostile text in names, descriptions, arguments, results and reasons is text on every page', async () => {
  await stage.call('read', 'evil:show', { args: { text: MARKUP }, reason: MARKUP });
  await stage.call('read', 'evil:long');
  await stage.call('read', `evil:${MARKUP}`, { reason: MARKUP }).catch(() => {});
  const { page, troubles } = await stage.open('/activity');
  await page.getByRole('row').filter({ hasText: 'evil:show' }).first().click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Declared intent').waitFor();
  // Only the format that a browser draws without running anything, and only where it really is one.
  expect(await drawer.getByRole('img').count()).toBe(1);
  expect(await drawer.innerText()).toContain('<script>window.pwned=6</script>');
  expect(await drawer.innerText()).toContain('\\u{202e}');
  await page.keyboard.press('Escape');
  await page.getByRole('row').filter({ hasText: 'evil:long' }).first().click();
  await drawer.getByRole('button', { name: /Show all/ }).waitFor();
  for (const path of ['/', '/tools', '/servers', '/settings', '/assistant', '/approvals']) {
    await page.goto(stage.proxy.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForTimeout(200);
  }
  await page.goto(`${stage.proxy.url}/tools?server=evil`);
  await page.getByRole('button', { name: /onerror/ }).click();
  await page.getByRole('dialog').getByText('Set the verdict').waitFor();
  await page.goto(`${stage.proxy.url}/servers`);
  await page.getByRole('button', { name: 'evil', exact: true }).click();
  await page.getByRole('dialog').getByText('window.pwned=1').first().waitFor();
  expect(await page.evaluate('window.pwned')).toBeUndefined();
  expect(troubles).toEqual([]);
});

test('a page of somebody else cannot frame ours, and the policy lets nothing in', async () => {
  const answer = await fetch(stage.proxy.url);
  const policy = answer.headers.get('content-security-policy')!;
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(policy).not.toContain('*');
});
