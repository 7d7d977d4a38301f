import { expect, test } from 'vitest';
import { recordTitle } from './record-title.ts';

const row: Parameters<typeof recordTitle>[0] = {
  type: 'tool_call',
  metadata: {},
};
const tool = { server_name: 'github', tool_name: 'delete_repo' };

test.each<[title: string, changes: Partial<Parameters<typeof recordTitle>[0]>]>([
  ['github:delete_repo', tool],
  ['discovery', { type: 'discovery' }],
  ['approve github:delete_repo', { ...tool, type: 'decision', metadata: { action: 'approve' } }],
  ['login link', { type: 'config_change', metadata: { action: 'login link' } }],
  [
    'disable_server github',
    { type: 'config_change', server_name: 'github', metadata: { action: 'disable_server' } },
  ],
  [
    'show masked parts github:delete_repo',
    { ...tool, type: 'approval', metadata: { action: 'show masked parts' } },
  ],
])('a record is called by what was done: %s', (title, changes) => {
  expect(recordTitle({ ...row, ...changes })).toBe(title);
});
