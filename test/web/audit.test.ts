import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange, modern } from '../e2e/raw-token.ts';
import { poll } from '../e2e/start-proxy.ts';
import { eachBrowser } from './each-browser.ts';
import { openWebStage, type WebStage } from './stage.ts';

eachBrowser((browser) => {
  let stage: WebStage;
  let token: string;
  beforeAll(async () => {
    stage = await openWebStage({
      browser,
      config: { approvals: { require: ['destructive'], wait: '0s' } },
    });
    ({ token } = await stage.proxy.rest.request('createToken', { body: { name: 'cursor' } }));
    await stage.proxy.rest.request('createToken', { body: { name: 'idle' } });
  });
  afterAll(() => stage?.dispose());

  async function destroy(text: string): Promise<void> {
    const input = {
      name: 'up:destructive',
      args: { text },
      intent: { operation_type: 'destructive', reason: `remove ${text}` },
    };
    await exchange(stage.proxy.url, {
      token,
      ...modern('tools/call', { name: 'call_tool_destructive', arguments: input }),
    }).ended;
  }

  async function decide(decision: 'approve' | 'deny', reason: string): Promise<void> {
    const { rest, stderr } = stage.proxy;
    const id = await poll('the pending call', stderr, async () => {
      const { approvals } = await rest.request('listApprovals', { status: 'pending', limit: 1 });
      return approvals[0]?.id;
    });
    await rest.request('decideApproval', { id, body: { decision, reason } });
  }

  test('one page says what a token destroyed, who approved each call, and whether the log is complete', async () => {
    await destroy('old');
    await decide('approve', 'agreed in stand-up');
    await destroy('old');
    await destroy('new');
    await decide('deny', 'still needed');
    expect(stage.executions().map(({ args }) => args)).toEqual([{ text: 'old' }]);

    const { page, context, troubles } = await stage.open('/audit');
    const audit = async (principal: string) => {
      await page.getByLabel('Principal').fill(principal);
      await page.getByRole('button', { name: 'Audit' }).click();
    };
    const result = page.getByRole('status', { name: 'Result' });
    await audit('cursor');
    await result.getByText('1 destructive call ran or may have run (1 success), 1 of them').waitFor();
    const ran = result.getByRole('row').filter({ hasText: 'agreed in stand-up' });
    expect(await ran.textContent()).toMatch(/up:destructive.*"old".*operator/);
    const denied = result.getByRole('row').filter({ hasText: 'still needed' });
    expect(await denied.textContent()).toMatch(/up:destructive.*"new".*denied.*operator/);
    await result.getByText('Is the log complete?').waitFor();
    await result.getByText('intact', { exact: false }).first().waitFor();
    await audit('idle');
    await result.getByText('and never used: it has no records').waitFor();
    await audit('cursr');
    await result.getByText(/known principals: .*token:cursor/).waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  test('records are filtered by credential and by client program', async () => {
    await stage.call('read', 'up:get_things');
    const { page, context } = await stage.open('/activity');
    const rows = (text: string) => page.getByRole('row').filter({ hasText: text });
    await rows('up:get_things').first().waitFor();
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('agent:cursor');
    await page.keyboard.press('Enter');
    await page.waitForURL(/filter=agent%3Acursor/);
    await rows('up:get_things').first().waitFor({ state: 'detached' });
    await rows('up:destructive').first().waitFor();
    const chosen = page.getByRole('group', { name: 'Values of the records' }).locator('[aria-pressed=true]');
    await expect.poll(() => chosen.allTextContents()).toEqual([expect.stringMatching(/^token:cursor [1-9]/)]);
    await filter.fill('agent:cursor client:nobody');
    await page.keyboard.press('Enter');
    await page.waitForURL(/client%3Anobody/);
    await rows('up:destructive').first().waitFor({ state: 'detached' });
    await context.close();
  });
});
