import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import type { IconName } from '../parts/icon.tsx';

export interface Page {
  path: string;
  title: string;
  icon: IconName;
  view: LazyExoticComponent<ComponentType>;
}

/** Every page of the navigation, in its order. Each is loaded when it is first shown. */
export const PAGES: readonly Page[] = [
  {
    path: '/',
    title: 'Overview',
    icon: 'home',
    view: lazy(() => import('../pages/overview/overview-page.tsx')),
  },
  {
    path: '/activity',
    title: 'Activity',
    icon: 'list',
    view: lazy(() => import('../pages/activity/activity-page.tsx')),
  },
  {
    path: '/approvals',
    title: 'Approvals',
    icon: 'hand',
    view: lazy(() => import('../pages/approvals/approvals-page.tsx')),
  },
  {
    path: '/tools',
    title: 'Tools',
    icon: 'wrench',
    view: lazy(() => import('../pages/tools/tools-page.tsx')),
  },
  {
    path: '/servers',
    title: 'Servers',
    icon: 'server',
    view: lazy(() => import('../pages/servers/servers-page.tsx')),
  },
  {
    path: '/assistant',
    title: 'Assistant',
    icon: 'chat',
    view: lazy(() => import('../pages/assistant/assistant-page.tsx')),
  },
  {
    path: '/settings',
    title: 'Settings',
    icon: 'gear',
    view: lazy(() => import('../pages/settings/settings-page.tsx')),
  },
];
