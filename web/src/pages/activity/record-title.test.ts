import { expect, test } from 'vitest';
import { titleOf } from './record-title.ts';
import type { RowRecord } from './use-records.ts';

const row: RowRecord = {
  id: '01JHMWQ4M0AAAAAAAAAAAAAAAA',
  type: 'tool_call',
  source: 'mcp',
  response_truncated: false,
  status: 'success',
  timestamp: '2025-01-15T10:30:00.000Z',
  request_id: 'r1',
  metadata: {},
};
const tool = { server_name: 'github', tool_name: 'delete_repo' };

test.each<[title: string, changes: Partial<RowRecord>]>([
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
  expect(titleOf({ ...row, ...changes })).toBe(title);
});
