import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { approvalRequest, OPERATOR, startApprovals, waiting } from '../../test/fixtures/approvals.ts';
import { hasPostgres } from '../../test/fixtures/engines.ts';
import { startPostgres, type PostgresServer } from '../../test/fixtures/postgres-server.ts';
import type { Approval } from '../contract/approval.ts';
import { openDatabase } from '../db/database.ts';
import type { PostgresDatabase } from '../db/postgres/database.ts';
import { createLog } from '../lib/log.ts';
import type { CallPermit } from './runs.ts';

const LONG = { timeout: 60_000, interval: 100 };

describe.skipIf(!hasPostgres())('approvals on a database server that fails over', () => {
  let server: PostgresServer;
  const databases: PostgresDatabase[] = [];
  beforeAll(async () => void (server = await startPostgres()));
  afterAll(async () => {
    for (const db of databases) await db.close();
    await server.remove();
  });

  /** Messages that are lost: the failover came first. */
  const deaf = { notify: async () => {}, onNotify: () => () => {} };

  /** Each has a seal and connections of its own, and has seen other things. */
  async function proxy(url: string, instance: string) {
    const db = await openDatabase({ url, log: createLog('silent') });
    databases.push(db);
    const { approvals } = await startApprovals(db.kysely, { instance, channel: deaf });
    const held = () => {
      let passed!: Promise<CallPermit>;
      const pending = new Promise<Approval>((onPending) => {
        passed = approvals.obtainPermit(approvalRequest(), waiting({ waitMs: 60_000, hooks: { onPending } }));
        passed.catch(() => {});
      });
      return { pending, passed };
    };
    const works = () =>
      expect
        .poll(
          () =>
            approvals.pending().then(
              () => true,
              () => false,
            ),
          LONG,
        )
        .toBe(true);
    const approve = (id: string) =>
      approvals.decide(id, { decision: 'approve', caller: OPERATOR, from: 'cli' });
    return { approvals, held, works, approve };
  }

  test('an approval that one proxy has used, on a server that lost this, is not used again by another', async () => {
    const url = await server.createDatabase();
    const [a, b] = [await proxy(url, 'proxy a'), await proxy(url, 'proxy b')];
    // Approved while nobody waits for it: it can be used later, at any proxy.
    const asked = new AbortController();
    const asking = a.approvals
      .obtainPermit(approvalRequest(), {
        ...waiting({ signal: asked.signal }),
        hooks: { onPending: () => asked.abort() },
      })
      .catch((error: { code: string }) => error.code);
    expect(await asking).toBe('APPROVAL_PENDING');
    const [{ id }] = (await a.approvals.list({ limit: 1 })).approvals as [Approval];
    await a.approve(id);
    await server.keepHotCopy('standby');
    const permit = await a.approvals.obtainPermit(approvalRequest(), waiting());
    await permit.settle({ result: { content: [] } });
    expect((await a.approvals.get(id)).status).toBe('executed');
    await server.failOver('standby', 'old');
    await b.works();
    // There it is approved still, and not used. Proxy b has never seen the use.
    const used = b.approvals.obtainPermit(approvalRequest(), waiting({ waitMs: 1 }));
    expect(
      await used.then(
        () => 'ran',
        (error: { code: string }) => error.code,
      ),
    ).toBe('APPROVAL_CANCELLED');
    expect(await b.approvals.get(id)).toMatchObject({ status: 'cancelled' });
    // A person is asked again.
    const { id: next } = await b.held().pending;
    expect(next).not.toBe(id);
    for (const { approvals } of [a, b]) approvals.close();
  });
});
