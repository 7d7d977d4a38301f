import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { View } from '../test/web/browser.ts';
import { fixture } from '../test/fixtures/start.ts';
import { openWebStage } from '../test/web/stage.ts';
import { createSampleActivity, type SampleData } from './sample-activity.ts';

/**
 * Pictures of every page, light and dark, wide and narrow, of the built program with real servers and calls.
 *
 *   npm run screenshots [-- DIRECTORY [PART]]     default: screenshots/, all; PART of the name of a picture selects some
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
  'tool-run': {
    path: '/tools?tool=shop:report',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Call the tool' }).click();
      await page.getByRole('heading', { name: 'Result' }).scrollIntoViewIfNeeded();
    },
  },
  'tool-form': {
    path: '/tools?tool=shop:order',
    prepare: (page) => page.getByRole('heading', { name: 'Run it' }).scrollIntoViewIfNeeded(),
  },
  prompts: { path: '/prompts' },
  resources: { path: '/resources' },
  servers: { path: '/servers' },
  'server-settings': {
    path: '/servers?server=up',
    prepare: async (page) => {
      await page.getByText('Settings', { exact: true }).last().click();
      await page.getByRole('button', { name: 'Test the connection' }).click();
      await page.getByText('The connection works').scrollIntoViewIfNeeded();
    },
  },
  'server-add': {
    path: '/servers',
    prepare: (page) => page.getByRole('button', { name: 'Add a server' }).click(),
  },
  connect: {
    path: '/connect?client=cursor',
    prepare: async (page) => {
      await page.getByLabel('Name', { exact: true }).fill(`cursor-${Date.now()}`);
      await page.getByRole('button', { name: 'Create the token and show the configuration' }).click();
      await page.getByText('Waiting for the first request').waitFor();
    },
  },
  review: { path: '/review' },
  policy: { path: '/policy' },
  audit: { path: '/audit' },
  assistant: { path: `/assistant?${new URLSearchParams({ conversation }).toString()}` },
  settings: { path: '/settings' },
});
const VIEWS: Record<string, View> = {
  'light-wide': { theme: 'light', width: 1280, height: 800 },
  'dark-wide': { theme: 'dark', width: 1280, height: 800 },
  'light-middle': { theme: 'light', width: 800, height: 1100 },
  'light-narrow': { theme: 'light', width: 390, height: 844 },
  'dark-narrow': { theme: 'dark', width: 390, height: 844 },
};

const [dir = 'screenshots', only = ''] = process.argv.slice(2);
mkdirSync(dir, { recursive: true });
const servers = { shop: fixture('workshop.mjs') };
const config = { approvals: { require: ['up:destructive'], wait: '10m' }, quarantine: 'changed' };
const stage = await openWebStage({ config, servers });
try {
  const sample = await createSampleActivity(stage);
  for (const [name, view] of Object.entries(VIEWS)) {
    const { page, context, troubles } = await stage.open('/', view);
    for (const [title, { path, prepare }] of Object.entries(pictures(sample))) {
      if (!`${title}-${name}`.includes(only)) continue;
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
