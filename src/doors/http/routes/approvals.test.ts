import { expect, test } from 'vitest';
import { restClient } from '../../../../test/fixtures/rest-client.ts';
import { activityRecord, fakeParts } from '../../../../test/fixtures/rest-parts.ts';

test('a call that ran is compared with the one before it, not with itself', async () => {
  const { parts, records, asked } = fakeParts();
  const { client } = restClient(parts);
  const approval = await client.request('getApproval', { id: '01HZ' });
  expect(approval.similar).toBeNull();
  records.set('own', activityRecord('own', { approval_id: approval.id }));
  records.set('before', activityRecord('before'));
  expect((await client.request('getApproval', { id: '01HZ' })).similar?.record_id).toBe('before');
  expect(asked.list![0].end_time).toBeUndefined();
  const executed = { ...approval, status: 'executed' as const };
  const decided = restClient({
    ...parts,
    approvals: { ...parts.approvals, get: async () => executed, reveal: async () => executed },
  });
  await decided.client.request('getApproval', { id: '01HZ' });
  expect(asked.list![0].end_time).toBe(approval.created_at);
});
