import type { ComponentType } from 'react';
import type { IconName } from '../parts/icon.tsx';
import { loadPage } from './load-page.tsx';

export interface Page {
  path: string;
  title: string;
  icon: IconName;
  view: ComponentType;
  /** Reached from another page, not from the navigation. */
  within?: string;
}

/** Every page of the navigation, in its order. Each is loaded when it is first shown. */
export const PAGES: readonly Page[] = [
  {
    path: '/',
    title: 'Overview',
    icon: 'home',
    view: loadPage('/', () => import('../pages/overview/overview-page.tsx')),
  },
  {
    path: '/activity',
    title: 'Activity',
    icon: 'list',
    view: loadPage('/activity', () => import('../pages/activity/activity-page.tsx')),
  },
  {
    path: '/audit',
    title: 'Audit',
    icon: 'list',
    within: '/activity',
    view: loadPage('/audit', () => import('../pages/audit/audit-page.tsx')),
  },
  {
    path: '/session',
    title: 'Session',
    icon: 'list',
    within: '/activity',
    view: loadPage('/session', () => import('../pages/session/session-page.tsx')),
  },
  {
    path: '/agent',
    title: 'Agent',
    icon: 'list',
    within: '/activity',
    view: loadPage('/agent', () => import('../pages/agent/agent-page.tsx')),
  },
  {
    path: '/approvals',
    title: 'Approvals',
    icon: 'hand',
    view: loadPage('/approvals', () => import('../pages/approvals/approvals-page.tsx')),
  },
  {
    path: '/tools',
    title: 'Tools',
    icon: 'wrench',
    view: loadPage('/tools', () => import('../pages/tools/tools-page.tsx')),
  },
  {
    path: '/prompts',
    title: 'Prompts',
    icon: 'wrench',
    within: '/tools',
    view: loadPage('/prompts', () => import('../pages/items/prompts-page.tsx')),
  },
  {
    path: '/resources',
    title: 'Resources',
    icon: 'wrench',
    within: '/tools',
    view: loadPage('/resources', () => import('../pages/items/resources-page.tsx')),
  },
  {
    path: '/connect',
    title: 'Connect a client',
    icon: 'gear',
    within: '/settings',
    view: loadPage('/connect', () => import('../pages/connect/connect-page.tsx')),
  },
  {
    path: '/policy',
    title: 'Approval rules',
    icon: 'hand',
    within: '/approvals',
    view: loadPage('/policy', () => import('../pages/policy/policy-page.tsx')),
  },
  {
    path: '/review',
    title: 'Review of tools',
    icon: 'wrench',
    within: '/tools',
    view: loadPage('/review', () => import('../pages/review/review-page.tsx')),
  },
  {
    path: '/servers',
    title: 'Servers',
    icon: 'server',
    view: loadPage('/servers', () => import('../pages/servers/servers-page.tsx')),
  },
  {
    path: '/assistant',
    title: 'Assistant',
    icon: 'chat',
    view: loadPage('/assistant', () => import('../pages/assistant/assistant-page.tsx')),
  },
  {
    path: '/settings',
    title: 'Settings',
    icon: 'gear',
    view: loadPage('/settings', () => import('../pages/settings/settings-page.tsx')),
  },
];

/** The page at an address. */
export const pageAt = (here: string): Page | undefined => PAGES.find(({ path }) => path === here);
