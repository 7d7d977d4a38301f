import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { View } from '../test/web/browser.ts';
import { openWebStage } from '../test/web/stage.ts';
import { createSampleActivity, type SampleData } from './sample-activity.ts';

/**
 * Pictures of every page, light and dark, wide and narrow, of the built program with real servers and calls.
 *
 *   npm run screenshots [DIRECTORY]     default: screenshots/
 */
interface Picture {
  path: string;
  prepare?: (page: Page) => Promise<void>;
}
const pictures = ({ conversation, session }: SampleData): Record<string, Picture> => ({
  overview: { path: '/' },
  activity: { path: '/activity' },
  'activity-filtered': {
    path: `/activity?${new URLSearchParams({ filter: 'agent:cursor status:success,refused since:7d' }).toString()}`,
  },
  session: {
    path: `/session?${new URLSearchParams({ id: session }).toString()}`,
    prepare: (page) => page.getByRole('option').filter({ hasText: 'up:destructive' }).nth(1).click(),
  },
  agent: { path: '/agent?name=token:cursor' },
  approvals: { path: '/approvals' },
  tools: { path: '/tools' },
  'tool-change': {
    path: '/tools?server=up',
    prepare: (page) => page.getByRole('button', { name: 'up:not_read_only', exact: true }).click(),
  },
  servers: { path: '/servers' },
  assistant: { path: `/assistant?${new URLSearchParams({ conversation }).toString()}` },
  settings: { path: '/settings' },
});
const VIEWS: Record<string, View> = {
  'light-wide': { theme: 'light', width: 1280, height: 800 },
  'dark-wide': { theme: 'dark', width: 1280, height: 800 },
  'light-narrow': { theme: 'light', width: 390, height: 844 },
  'dark-narrow': { theme: 'dark', width: 390, height: 844 },
};

const dir = process.argv[2] ?? 'screenshots';
mkdirSync(dir, { recursive: true });
const config = { approvals: { require: ['up:destructive'], wait: '10m' }, quarantine: 'changed' };
const stage = await openWebStage({ config });
try {
  const sample = await createSampleActivity(stage);
  for (const [name, view] of Object.entries(VIEWS)) {
    const { page, context, troubles } = await stage.open('/', view);
    for (const [title, { path, prepare }] of Object.entries(pictures(sample))) {
      await page.goto(stage.proxy.url + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await prepare?.(page);
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
