import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { View } from '../test/web/browser.ts';
import { openWebStage, type WebStage } from '../test/web/stage.ts';

/**
 * Pictures of every page, light and dark, wide and narrow, of the built program with real servers and calls.
 *
 *   npm run screenshots [DIRECTORY]     default: screenshots/
 */
const PAGES = {
  overview: '/',
  activity: '/activity',
  approvals: '/approvals',
  tools: '/tools',
  servers: '/servers',
  assistant: '/assistant',
  settings: '/settings',
};
const VIEWS: Record<string, View> = {
  'light-wide': { theme: 'light', width: 1280, height: 800 },
  'dark-wide': { theme: 'dark', width: 1280, height: 800 },
  'light-narrow': { theme: 'light', width: 390, height: 844 },
  'dark-narrow': { theme: 'dark', width: 390, height: 844 },
};

/** Creates sample data: calls of every operation, a refusal, a pending approval and a conversation. */
async function fill({ call, proxy: { rest } }: WebStage): Promise<string> {
  for (let i = 0; i < 12; i++) {
    await call('read', 'up:get_things', {
      args: { text: `page ${i}` },
      reason: 'looking for the right file',
    });
    if (i % 3 === 0)
      await call('write', 'up:not_read_only', {
        args: { text: `note ${i}` },
        reason: 'the user asked for a note',
      });
    // Refused on purpose: the page shows a refusal.
    if (i % 5 === 0) await call('read', 'up:switchable', { reason: 'a shortcut' }).catch(() => {});
  }
  await call('destructive', 'up:writer_destructive', { args: { text: 'old drafts' }, reason: 'cleaning up' });
  // Waits for an approval, so that the inbox shows a pending call; nobody decides it.
  await call('destructive', 'up:destructive', {
    args: { text: 'release-1.2', force: true },
    reason: 'the user wants this branch gone',
  }).catch(() => {});
  let conversation: string | undefined;
  for (const message of [
    'add buy milk',
    'add call the dentist',
    "what's on my list?",
    'delete the first one',
  ]) {
    const body = { message, ...(conversation && { conversation_id: conversation }) };
    conversation = (await rest.request('chat', { body })).conversation_id;
  }
  return conversation!;
}

const dir = process.argv[2] ?? 'screenshots';
mkdirSync(dir, { recursive: true });
const stage = await openWebStage({ config: { approvals: { require: ['up:destructive'], wait: '0s' } } });
try {
  const conversation = await fill(stage);
  for (const [name, view] of Object.entries(VIEWS)) {
    const { page, context, troubles } = await stage.open('/', view);
    for (const [title, path] of Object.entries(PAGES)) {
      await page.goto(
        stage.proxy.url + (title === 'assistant' ? `${path}?conversation=${conversation}` : path),
      );
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(800);
      const file = join(dir, `${title}-${name}.png`);
      await page.screenshot({ path: file });
      process.stdout.write(`${file}\n`);
    }
    if (troubles.length > 0) throw new Error(troubles.join('\n'));
    await context.close();
  }
} finally {
  await stage.dispose();
}
