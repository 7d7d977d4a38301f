import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { OPERATOR, approvalRequest, startApprovals, waiting } from '../../test/fixtures/approvals.ts';
import { eachEngine } from '../../test/fixtures/engines.ts';
import { testSeal } from '../../test/fixtures/row-seal.ts';
import type { Approval } from '../contract/approval.ts';
import type { ProxyError } from '../contract/errors.ts';
import type { BrokenRow } from '../db/index.ts';
import type { Approvals } from './approvals.ts';

/** Somebody who only writes the database can neither approve a call nor forge a grant. */
eachEngine('approvals and grants are signed rows, checked when they are used,', (engine) => {
  const database = engine.shared('approvals', 'approval_calls', 'grants');
  const closing: Approvals[] = [];
  afterEach(() => closing.splice(0).forEach((each) => each.close()));

  async function start() {
    const broken: BrokenRow[] = [];
    const { approvals } = await startApprovals(database().kysely, {
      seal: testSeal((row) => broken.push(row)),
    });
    closing.push(approvals);
    const now = waiting({ waitMs: 0 });
    const call = (args: Record<string, unknown>) =>
      approvals.obtainPermit(approvalRequest({ args }), now).then(
        () => 'runs',
        (error: unknown) => (error as ProxyError).code,
      );
    async function held(args: Record<string, unknown>): Promise<Approval> {
      expect(await call(args)).toBe('APPROVAL_PENDING');
      return (await approvals.list({ limit: 1 })).approvals[0]!;
    }
    const approve = (id: string, more: object = {}) =>
      approvals.decide(id, { decision: 'approve', caller: OPERATOR, from: 'cli', ...more });
    return { approvals, broken, call, held, approve };
  }
  const approvals = () => database().kysely.updateTable('approvals');

  test('an approval that is written by SQL is refused, reported and ended; the next call asks again', async () => {
    const { broken, call, held, approvals: all } = await start();
    const { id } = await held({ path: '/a' });
    await approvals()
      .set({ status: 'approved', decided_by: 'operator', decided_ms: Date.now() })
      .where('id', '=', id)
      .execute();
    expect(await call({ path: '/a' })).toBe('ROW_CHANGED');
    expect(broken).toEqual([{ table: 'approvals', row: id, trouble: 'wrong' }]);
    expect(await all.get(id)).toMatchObject({ status: 'cancelled', decided_by: 'mcpproxy' });
    expect(await call({ path: '/a' })).toBe('APPROVAL_PENDING');
  });

  test('a request that waits is not let through by SQL', async () => {
    const { approvals: all, broken } = await start();
    let id!: string;
    const running = all.obtainPermit(
      approvalRequest(),
      waiting({ waitMs: 60_000, hooks: { onPending: (approval) => void (id = approval.id) } }),
    );
    const outcome = running.then(
      () => 'runs',
      (error: unknown) => (error as ProxyError).code,
    );
    await expect.poll(() => id).toBeDefined();
    await approvals().set({ status: 'approved' }).where('id', '=', id).execute();
    expect(await outcome).toBe('ROW_CHANGED');
    expect(broken).toHaveLength(1);
  });

  test('neither a removed seal nor that of another approval helps', async () => {
    const { broken, call, held, approve } = await start();
    const honest = await held({ path: '/honest' });
    await approve(honest.id);
    for (const seal of ['none', 'copied']) {
      const { id } = await held({ path: `/${seal}` });
      const row = await database()
        .kysely.selectFrom('approvals')
        .selectAll()
        .where('id', '=', honest.id)
        .executeTakeFirstOrThrow();
      const set = { status: 'approved', decided_by: 'operator', expires_ms: row.expires_ms };
      await approvals()
        .set({ ...set, seal: seal === 'copied' ? row.seal : null })
        .where('id', '=', id)
        .execute();
      expect(await call({ path: `/${seal}` })).toBe('ROW_CHANGED');
    }
    expect(broken.map(({ trouble }) => trouble)).toEqual(['missing', 'wrong']);
  });

  test('a used approval is not used again when its row is put back', async () => {
    const { approvals: all, broken, call, held, approve } = await start();
    const { id } = await held({ path: '/once' });
    await approve(id);
    const { kysely } = database();
    const row = await kysely
      .selectFrom('approvals')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const permit = await all.obtainPermit(approvalRequest({ args: { path: '/once' } }), waiting());
    await permit.settle({ result: { content: [] } });
    await approvals().set(row).where('id', '=', id).execute();
    expect(await call({ path: '/once' })).toBe('ROW_CHANGED');
    expect(broken).toEqual([{ table: 'approvals', row: id, trouble: 'older' }]);
  });

  test('a call that is shown as another one, or was never shown, is not approved', async () => {
    const { held, approve, approvals: all } = await start();
    const { id } = await held({ path: '/terrible' });
    await approvals()
      .set((of) => ({ shown: of.fn('replace', ['shown', of.val('/terrible'), of.val('/harmless')]) }))
      .where('id', '=', id)
      .execute();
    await expect(approve(id)).rejects.toMatchObject({ code: 'ROW_CHANGED' });

    const masked = await held({ password: 'hunter2-hunter2' });
    const calls = () => database().kysely.updateTable('approval_calls').where('approval_id', '=', masked.id);
    await calls().set({ revealed_ms: 1 }).execute();
    await expect(approve(masked.id)).rejects.toMatchObject({ code: 'ROW_CHANGED' });
    await expect(all.reveal(masked.id, OPERATOR)).rejects.toMatchObject({ code: 'ROW_CHANGED' });
    expect((await all.get(masked.id)).status).toBe('pending');
    await all.decide(masked.id, { decision: 'deny', caller: OPERATOR, from: 'cli' });
  });

  test('a listing names no decider that was written by SQL, and marks the row', async () => {
    const { approvals: all, broken, held } = await start();
    const { id } = await held({ path: '/a' });
    await all.decide(id, { decision: 'deny', caller: OPERATOR, from: 'cli' });
    await approvals().set({ decided_by: 'alice', decided_from: 'web' }).where('id', '=', id).execute();
    const [listed] = (await all.list({ limit: 1 })).approvals;
    expect(listed).toMatchObject({ id, status: 'denied', changed: true });
    for (const field of ['decided_by', 'decided_from', 'decided_at'])
      expect(listed).not.toHaveProperty(field);
    expect(broken).toEqual([{ table: 'approvals', row: id, trouble: 'wrong' }]);
  });

  test.each([{ shown: '{' }, { shown: '[]' }, { shown: 'null' }, { created_ms: 9e15 }])(
    'a row that cannot be read (%o) does not hide the others',
    async (unreadable) => {
      const { held, approvals: all } = await start();
      const [broken, honest] = [await held({ path: '/broken' }), await held({ path: '/honest' })];
      await approvals().set(unreadable).where('id', '=', broken.id).execute();
      const { approvals: listed } = await all.list({ limit: 10 });
      expect(listed.map(({ id, status }) => [id, status])).toEqual([
        [honest.id, 'pending'],
        [broken.id, 'cancelled'],
      ]);
    },
  );

  test('a grant that is inserted, changed or put back permits nothing and is revoked', async () => {
    const { approvals: all, broken, call, held, approve } = await start();
    const { kysely } = database();
    const { id: asked } = await held({ n: 0 });
    await approve(asked, { grant: { for: '1h', max_calls: 2 } });
    expect(await call({ n: 0 })).toBe('runs');
    const grant = () => kysely.selectFrom('grants').selectAll().executeTakeFirstOrThrow();
    const unused = await grant();
    expect([await call({ n: 1 }), await call({ n: 2 }), await call({ n: 3 })]).toEqual([
      'runs',
      'runs',
      'APPROVAL_PENDING',
    ]);
    await kysely.updateTable('grants').set(unused).execute();
    expect(await call({ n: 4 })).toBe('APPROVAL_PENDING');
    expect(await all.grants({ active: true, limit: 10 })).toEqual([]);
    await kysely.updateTable('grants').set({ used: 0, max_calls: null, revoked_ms: null }).execute();
    expect(await call({ n: 5 })).toBe('APPROVAL_PENDING');
    await kysely
      .insertInto('grants')
      .values({ ...unused, id: 'forged', max_calls: null })
      .execute();
    // A listing shows it for what it is, also before anybody uses it.
    expect(await all.grants({ active: true, limit: 10 })).toEqual([]);
    expect((await all.grants({ limit: 10 })).map(({ id, status }) => [id, status])).toContainEqual([
      'forged',
      'revoked',
    ]);
    expect(await call({ n: 6 })).toBe('APPROVAL_PENDING');
    expect(broken.map(({ row, trouble }) => [row, trouble])).toEqual([
      [unused.id, 'older'],
      [unused.id, 'wrong'],
      ['forged', 'wrong'],
    ]);
  });

  test.runIf(engine.engine === 'sqlite')(
    'a grant covers its own tool alone, also where the database is changed to call another name equal',
    async () => {
      const { approvals: all, held, approve } = await start();
      const { kysely } = database();
      const { id } = await held({ n: 7 });
      await approve(id, { grant: { for: '1h' } });
      const run = (statement: string) => sql.raw<{ sql: string }>(statement).execute(kysely);
      const made = await run(`SELECT sql FROM sqlite_master WHERE name = 'grants'`);
      await run('ALTER TABLE grants RENAME TO honest');
      await run(made.rows[0]!.sql.replace(/\btool TEXT\b/, '$& COLLATE NOCASE'));
      await run('INSERT INTO grants SELECT * FROM honest');
      const permit = (tool: string) =>
        all.obtainPermit(approvalRequest({ args: { n: 8 }, tool }), waiting({ waitMs: 0 })).then(
          () => 'runs',
          (error: unknown) => (error as ProxyError).code,
        );
      expect([await permit('DELETE_FILE'), await permit('delete_file')]).toEqual([
        'APPROVAL_PENDING',
        'runs',
      ]);
    },
  );
});
