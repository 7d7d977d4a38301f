import { afterEach, describe, expect, test, vi } from 'vitest';
import { AGENT, OPERATOR, approvalRequest, startApprovals, waiting } from '../../test/fixtures/approvals.ts';
import { eachEngine } from '../../test/fixtures/engines.ts';
import { testSeal } from '../../test/fixtures/row-seal.ts';
import { maskedParts } from '../log/mask/masked-parts.ts';
import { toJson } from '../log/record/to-json.ts';
import type { Caller, CallResult } from '../contract/call.ts';
import type { Approval, DecisionBody } from '../contract/approval.ts';
import { ProxyError, type ErrorCode } from '../contract/errors.ts';
import { exactJson } from '../json/exact.ts';
import { keepSource } from '../json/source.ts';
import { newApproval } from './store/approval-row.ts';
import type { Approvals } from './approvals.ts';
import { channelOf } from './other-proxies.ts';
import { createApprovalStore } from './store/approval-store.ts';
import type { CallPermit } from './runs.ts';
import { callDigest, type ApprovalRequest } from './approval-request.ts';

const RESULT: CallResult = { content: [{ type: 'text', text: 'done' }] };

eachEngine('approvals', (engine) => {
  const database = engine.shared('approvals', 'approval_calls', 'grants');
  const closing: Approvals[] = [];
  afterEach(() => closing.splice(0).forEach((each) => each.close()));

  let time: number;
  async function start(more: Parameters<typeof startApprovals>[1] = {}) {
    time = Date.parse('2026-01-01T00:00:00Z');
    const started = await startApprovals(database().kysely, { clock: { now: () => time }, ...more });
    closing.push(started.approvals);
    const { approvals } = started;
    const decide = (id: string, body: DecisionBody, caller = OPERATOR) =>
      approvals.decide(id, { ...body, caller, from: 'cli' });
    /** A call that waits: its approval, and what becomes of it. */
    async function held(asked: ApprovalRequest = approvalRequest(), how = waiting()) {
      let passed!: Promise<CallPermit>;
      const approval = await new Promise<Approval>((onPending, fail) => {
        passed = approvals.obtainPermit(asked, { ...how, hooks: { ...how.hooks, onPending } });
        passed.catch(fail);
      });
      return { approval, passed };
    }
    return { ...started, decide, held };
  }
  const code = (promise: Promise<unknown>): Promise<ErrorCode | 'none'> =>
    promise.then(
      () => 'none' as const,
      (error: unknown) => (error instanceof ProxyError ? error.code : Promise.reject(error as Error)),
    );

  test('calls that differ beyond what a number of JavaScript can tell are two calls, and each is shown with its digits', async () => {
    const { held } = await start();
    const exact = (text: string) => {
      const args = JSON.parse(text) as Record<string, unknown>;
      keepSource(args, text);
      return approvalRequest({ args });
    };
    const first = await held(exact('{"id":9007199254740993}'));
    const second = await held(exact('{"id":9007199254740992}'));
    expect(second.approval.id).not.toBe(first.approval.id);
    expect(exactJson(first.approval.arguments)).toBe('{"id":9007199254740993}');
    expect((await held(exact('{ "id": 9007199254740993 }'))).approval.id).toBe(first.approval.id);
    for (const { passed } of [first, second]) passed.catch(() => {});
  });

  describe('a call that is masked or cut in listings', () => {
    const hidden = 'ls # password="rm -rf ~/x"';
    const text = `{"text":${JSON.stringify(hidden)},"n":9007199254740993}`;
    function masked(): ApprovalRequest {
      const args = JSON.parse(text) as Record<string, unknown>;
      keepSource(args, text);
      return approvalRequest({ args });
    }
    const kept = () => database().kysely.selectFrom('approval_calls').selectAll().execute();
    const nothingKept = () => vi.waitFor(async () => expect(await kept()).toEqual([]), { timeout: 30_000 });
    const reveals = <T extends { metadata: Record<string, unknown> }>(records: readonly T[]) =>
      records.filter(({ metadata }) => metadata.action === 'show masked parts');

    test('is shown exactly as it will run to the operator, and to nobody else; that is recorded for each viewer', async () => {
      const { approvals, held, records } = await start();
      const { approval, passed } = await held(masked());
      expect(approval).toMatchObject({ arguments_masked: true, arguments_truncated: false });
      const shown = await approvals.reveal(approval.id, OPERATOR);
      expect(exactJson(shown.arguments)).toBe(text);
      expect(shown).toMatchObject({
        arguments_complete: true,
        arguments_masked: false,
        masked_parts: [
          { pointer: '/arguments/text', in: 'value', kind: 'password', start: 15, end: hidden.length - 1 },
        ],
      });
      await approvals.reveal(approval.id, OPERATOR);
      expect(reveals(records)).toMatchObject([
        { status: 'success', metadata: { approval: { id: approval.id }, principal: 'operator' } },
      ]);
      await approvals.reveal(approval.id, { ...OPERATOR, client: 'another program' });
      expect(reveals(records).map(({ client }) => client)).toEqual([OPERATOR.client, 'another program']);
      time += 61_000;
      await approvals.reveal(approval.id, OPERATOR);
      expect(reveals(records)).toHaveLength(3);
      const { page, one } = {
        page: await approvals.list({ limit: 10 }),
        one: await approvals.get(approval.id),
      };
      const toAgent = await approvals.reveal(approval.id, AGENT);
      expect(toAgent.arguments_complete).toBe(false);
      for (const each of [page, one, toAgent, records]) expect(exactJson(each)).not.toContain('rm -rf');
      passed.catch(() => {});
    });

    test('cannot be found by trying: no digest of it is made without the key', async () => {
      const { approvals, held, records, decide } = await start();
      const asked = approvalRequest({ args: { otp: 1234 } });
      const { approval, passed } = await held(asked);
      await approvals.reveal(approval.id, OPERATOR);
      await decide(approval.id, { decision: 'deny' });
      const tried = callDigest(asked);
      for (const seen of [await approvals.get(approval.id), records, await kept()])
        expect(exactJson(seen)).not.toContain(tried);
      expect(approval.digest).toBe(testSeal().digest(tried));
      expect(testSeal(() => {}, Buffer.alloc(32, 8)).digest(tried)).not.toBe(approval.digest);
      passed.catch(() => {});
    });

    test('is not approved before it was shown; once used, nothing of it is kept', async () => {
      const { approvals, decide, held } = await start();
      const { approval, passed } = await held(masked());
      expect(await code(decide(approval.id, { decision: 'approve' }))).toBe('APPROVAL_FORBIDDEN');
      await approvals.reveal(approval.id, OPERATOR);
      expect((await decide(approval.id, { decision: 'approve' })).status).toBe('approved');
      await (await passed).settle({ result: RESULT });
      await nothingKept();
      expect(await approvals.reveal(approval.id, OPERATOR)).toMatchObject({
        arguments_complete: false,
        masked_parts: [],
        arguments: { text: 'ls # password="***[masked:password]"' },
      });
    });

    test('cannot be approved once it can no longer be shown, also if it was shown before', async () => {
      const { approvals, decide, held } = await start();
      const { approval, passed } = await held(masked());
      passed.catch(() => {});
      await approvals.reveal(approval.id, OPERATOR);
      await database().kysely.deleteFrom('approval_calls').execute();
      expect(await code(decide(approval.id, { decision: 'approve' }))).toBe('APPROVAL_FORBIDDEN');
      expect((await approvals.get(approval.id)).status).toBe('pending');
    });

    test.each<[string, (more: Awaited<ReturnType<typeof start>>, id: string) => Promise<unknown>]>([
      ['denied', ({ decide }, id) => decide(id, { decision: 'deny' })],
      ['cancelled', ({ approvals }, id) => approvals.cancel(id, 'gone', 'token:ci')],
      [
        'expired',
        ({ approvals }) => {
          time += 300_001;
          return approvals.sweep();
        },
      ],
    ])('nothing of it is kept once it is %s', async (status, settle) => {
      const started = await start();
      const { approval, passed } = await started.held(masked());
      passed.catch(() => {});
      expect(await kept()).toHaveLength(1);
      await settle(started, approval.id);
      expect((await started.approvals.get(approval.id)).status).toBe(status);
      await nothingKept();
    });

    test('what a proxy that ended has left is erased by the next sweep', async () => {
      const { approvals } = await start();
      const left = { approval_id: 'gone', principal: 'p', exact: '{}', bytes: 2, revealed_ms: null };
      await database().kysely.insertInto('approval_calls').values(left).execute();
      await approvals.sweep();
      await nothingKept();
    });

    test('is not approved by the dialog of a client', async () => {
      const { approvals, held } = await start({ config: { in_client: true } });
      const { approval, passed } = await held(masked());
      passed.catch(() => {});
      await approvals.reveal(approval.id, OPERATOR);
      const answer = approvals.acceptClientAnswer(approval.id, { action: 'accept', approve: true }, AGENT);
      expect(await code(answer)).toBe('APPROVAL_FORBIDDEN');
      expect((await approvals.get(approval.id)).status).toBe('pending');
    });

    test('only too long: it must be shown whole before it is approved, but no mask was lifted', async () => {
      const { approvals, decide, held, records } = await start();
      const args = { text: `${'x'.repeat(300_000)} rm -rf ~/x` };
      const { approval, passed } = await held(approvalRequest({ args }));
      expect(approval).toMatchObject({ arguments_masked: false, arguments_truncated: true });
      expect(await code(decide(approval.id, { decision: 'approve' }))).toBe('APPROVAL_FORBIDDEN');
      expect((await approvals.reveal(approval.id, OPERATOR)).arguments).toEqual(args);
      expect(reveals(records)).toEqual([]);
      await decide(approval.id, { decision: 'approve' });
      await (await passed).settle({ result: RESULT });
    });

    test('too long to be shown to anybody: nobody is asked', async () => {
      const { approvals } = await start();
      const asked = approvalRequest({ args: { text: 'x'.repeat(5 * 1024 * 1024) } });
      expect(await code(approvals.obtainPermit(asked, waiting()))).toBe('APPROVAL_LIMIT');
      expect(await approvals.pending()).toBe(0);
    });

    test('no more bytes of such calls are kept than there is room for', async () => {
      await start();
      const store = createApprovalStore({ kysely: database().kysely, seal: testSeal(), now: () => time });
      const limits = { perCaller: 100, total: 100, bytesPerCaller: 700, bytesTotal: 1000 };
      const open = (caller: Caller, n: number) => {
        const asked = approvalRequest({ caller, args: { secret: 'x'.repeat(200), n } });
        return store.open(
          newApproval(asked, time, { mask: toJson, findMasked: maskedParts, digestOf: callDigest }),
          limits,
        );
      };
      const other = { ...AGENT, principal: 'token:other' };
      for (const n of [1, 2]) expect(await open(AGENT, n)).toBeDefined();
      expect(await code(open(AGENT, 3))).toBe('APPROVAL_LIMIT');
      expect(await open(other, 4)).toBeDefined();
      expect(await code(open(other, 5))).toBe('APPROVAL_LIMIT');
    });
  });

  test('approve: the call passes once; the same call after it needs a new approval', async () => {
    const { approvals, decide, held, records, events } = await start();
    const { approval, passed } = await held();
    expect(approval).toMatchObject({
      status: 'pending',
      principal: 'token:ci',
      server: 'files',
      arguments: { path: '/a' },
    });
    expect(await decide(approval.id, { decision: 'approve', reason: 'fine' })).toMatchObject({
      status: 'approved',
      decided_by: 'operator',
      decided_from: 'cli',
      decision_reason: 'fine',
    });
    const pass = await passed;
    expect(pass.trail).toMatchObject({ id: approval.id, decided_by: 'operator', decided_from: 'cli' });
    expect((await approvals.get(approval.id)).status).toBe('running');
    await pass.settle({ result: RESULT });
    expect((await approvals.get(approval.id)).status).toBe('executed');
    expect(events.map(({ data }) => (data as { status: string }).status)).toEqual([
      'pending',
      'approved',
      'running',
      'executed',
    ]);
    expect(records).toMatchObject([
      { type: 'decision', status: 'success', metadata: { action: 'approve', principal: 'operator' } },
    ]);
    const again = await held();
    expect(again.approval.id).not.toBe(approval.id);
  });

  test('deny: the caller gets the reason, also when it comes again, and a person is not asked again', async () => {
    const { decide, held, approvals } = await start();
    const { approval, passed } = await held();
    await decide(approval.id, { decision: 'deny', reason: 'use the archive instead' });
    await expect(passed).rejects.toMatchObject({
      code: 'APPROVAL_DENIED',
      details: { reason: 'use the archive instead' },
    });
    expect(await code(approvals.obtainPermit(approvalRequest(), waiting()))).toBe('APPROVAL_DENIED');
    expect((await approvals.list({ limit: 10 })).approvals).toHaveLength(1);
    time += 300_001;
    expect((await held()).approval.id).not.toBe(approval.id);
  });

  test('expiry: a waiting caller gets the error, a returning caller gets it once, then a new approval is requested', async () => {
    const { approvals, held, records, decide } = await start();
    const { approval, passed } = await held(approvalRequest({ ttlMs: 1000 }), waiting({ waitMs: 0 }));
    expect(await code(passed)).toBe('APPROVAL_PENDING');
    time += 1001;
    expect(await code(decide(approval.id, { decision: 'approve' }))).toBe('CONFLICT');
    expect(await code(approvals.obtainPermit(approvalRequest(), waiting()))).toBe('APPROVAL_EXPIRED');
    expect((await held(approvalRequest({ ttlMs: 1000 }))).approval.id).not.toBe(approval.id);
    expect(records.filter(({ status }) => status === 'expired')).toMatchObject([
      { metadata: { action: 'expire' } },
    ]);
  });

  test('the sweep expires old approvals, and waiting callers get the error', async () => {
    const { approvals, held } = await start();
    const { approval, passed } = await held(approvalRequest({ ttlMs: 1000 }));
    time += 1001;
    await approvals.sweep();
    expect(await code(passed)).toBe('APPROVAL_EXPIRED');
    expect((await approvals.get(approval.id)).status).toBe('expired');
  });

  test('an approval that nobody used expires too', async () => {
    const { approvals, held, decide } = await start();
    const { approval, passed } = await held(approvalRequest(), waiting({ waitMs: 0 }));
    expect(await code(passed)).toBe('APPROVAL_PENDING');
    await decide(approval.id, { decision: 'approve' });
    time += 300_001;
    expect(await code(approvals.obtainPermit(approvalRequest(), waiting()))).toBe('APPROVAL_EXPIRED');
  });

  test('the short wait ends with what to do, and the same call repeated goes on waiting', async () => {
    const { approvals, held, decide } = await start();
    const { approval, passed } = await held(approvalRequest(), waiting({ waitMs: 20 }));
    await expect(passed).rejects.toMatchObject({
      code: 'APPROVAL_PENDING',
      details: {
        approval_id: approval.id,
        expires_at: approval.expires_at,
        how_to_continue: expect.stringContaining('repeat') as string,
      },
    });
    const again = approvals.obtainPermit(approvalRequest(), waiting());
    await decide(approval.id, { decision: 'approve' });
    expect((await again).trail.id).toBe(approval.id);
  });

  describe('bound to the exact call: with another', () => {
    const others: Array<[string, Partial<ApprovalRequest>]> = [
      ['argument', { args: { path: '/b' } }],
      ['definition', { definitionHash: 'changed' }],
      ['server behind the name', { serverIdentity: 're-pointed' }],
      ['tool', { tool: 'delete_dir' }],
      ['server', { server: 'disk' }],
      ['policy', { policyVersion: 'newer' }],
      ['credential', { caller: { ...AGENT, principal: 'token:other' } }],
      [
        'token of the same name',
        { caller: { ...AGENT, token: { id: 't2', name: 'ci', scope: { operations: ['read'] } } } },
      ],
      ['user', { caller: { ...AGENT, userId: 'eve' } }],
      ['client program', { caller: { ...AGENT, client: 'other/1' } }],
      ['door', { caller: { ...AGENT, source: 'api' } }],
      ['answer to the server', { brought: { inputResponses: { a: 1 } } }],
    ];
    test.each(others)('%s, a new approval is requested', async (_what, more) => {
      const { approvals, held, decide } = await start();
      const { approval, passed } = await held(approvalRequest(), waiting({ waitMs: 0 }));
      expect(await code(passed)).toBe('APPROVAL_PENDING');
      await decide(approval.id, { decision: 'approve' });
      const other = await held(approvalRequest(more), waiting({ waitMs: 0 }));
      expect(other.approval.id).not.toBe(approval.id);
      expect(await code(other.passed)).toBe('APPROVAL_PENDING');
      expect(await code(approvals.obtainPermit(approvalRequest(more), waiting(), approval.id))).toBe(
        'APPROVAL_MISMATCH',
      );
      expect((await approvals.get(approval.id)).status).toBe('approved');
    });

    test('order of keys and another session or request do not matter', async () => {
      const { approvals, held, decide } = await start();
      const args = { a: 1, b: { c: [1, 2], d: null } };
      const { approval } = await held(approvalRequest({ args }), waiting({ waitMs: 0 }));
      await decide(approval.id, { decision: 'approve' });
      const caller = { ...AGENT, requestId: 'other', sessionId: 's2' };
      const pass = await approvals.obtainPermit(
        approvalRequest({ args: { b: { d: null, c: [1, 2] }, a: 1 }, caller }),
        waiting(),
      );
      expect(pass.trail.id).toBe(approval.id);
    });
  });

  test('50 approvals at once: all are told the same, one of them decided', async () => {
    const { decide, held, records } = await start();
    const { approval, passed } = await held();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => decide(approval.id, { decision: 'approve', reason: `by ${i}` })),
    );
    const said = answers.map(({ decided_by, decided_at, decision_reason }) =>
      JSON.stringify({ decided_by, decided_at, decision_reason }),
    );
    expect(new Set(said).size).toBe(1);
    expect(answers.every(({ status }) => status === 'approved' || status === 'running')).toBe(true);
    expect(records.filter(({ outcome }) => outcome?.first === true)).toHaveLength(1);
    expect(records).toHaveLength(50);
    // A repeat is no decision: the record says that nothing was changed, and names no decider.
    const repeats = records.filter(({ status }) => status !== 'success');
    expect(repeats).toHaveLength(49);
    for (const { status, outcome } of repeats)
      expect([status, outcome]).toEqual(['refused', { first: false }]);
    await passed;
  });

  test('approvals and denials at once: one side wins, the other hears what was decided', async () => {
    const { decide, held } = await start();
    const { approval, passed } = await held();
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => decide(approval.id, { decision: i % 2 ? 'approve' : 'deny' })),
    );
    const won = answers.filter(({ status }) => status === 'fulfilled');
    expect(won).toHaveLength(10);
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'CONFLICT' });
    const winner = (won[0] as PromiseFulfilledResult<Approval>).value;
    expect(await code(passed)).toBe(
      winner.decision_reason === undefined && winner.status === 'denied' ? 'APPROVAL_DENIED' : 'none',
    );
  });

  test('50 requests for the same call: one makes it, all get its result', async () => {
    const { decide, held } = await start();
    const { approval, passed } = await held();
    const others = await Promise.all(Array.from({ length: 49 }, () => held()));
    await decide(approval.id, { decision: 'approve' });
    const passes = await Promise.all([passed, ...others.map((other) => other.passed)]);
    const runners = passes.filter(({ shared }) => shared === undefined);
    expect(runners).toHaveLength(1);
    await runners[0]!.settle({ result: RESULT });
    for (const { shared } of passes) if (shared) expect(await shared).toBe(RESULT);
  });

  describe('how the call ended', () => {
    const ended: Array<[string, ErrorCode, Record<string, unknown>, string]> = [
      ['an error of the server', 'UPSTREAM_FAILED', {}, 'executed'],
      ['no answer in time', 'UPSTREAM_TIMEOUT', { sent: true }, 'unknown'],
      ['a lost connection', 'OUTCOME_UNKNOWN', {}, 'unknown'],
      ['a server that is away', 'SERVER_UNAVAILABLE', {}, 'approved'],
      ['a queue that was too long', 'UPSTREAM_TIMEOUT', { sent: false }, 'approved'],
      ['a busy server', 'SERVER_BUSY', {}, 'approved'],
    ];
    test.each(ended)('%s', async (...[, errorCode, details, status]) => {
      const { approvals, decide, held } = await start();
      const { approval, passed } = await held();
      await decide(approval.id, { decision: 'approve' });
      await (await passed).settle({ error: new ProxyError(errorCode, '', details) });
      expect((await approvals.get(approval.id)).status).toBe(status);
      // A call that was never sent may use the same approval; every other call needs a new one.
      const next = approvals.obtainPermit(approvalRequest(), waiting({ waitMs: 0 }));
      if (status === 'approved') expect((await next).trail.id).toBe(approval.id);
      else expect(await code(next)).toBe('APPROVAL_PENDING');
    });
  });

  test('a proxy that ends between use and outcome: unknown, told once, never a second use', async () => {
    const first = await start();
    const { approval, passed } = await first.held();
    await first.decide(approval.id, { decision: 'approve' });
    await passed;
    const second = await start();
    expect((await second.approvals.get(approval.id)).status).toBe('unknown');
    expect(second.records).toMatchObject([
      { status: 'unknown', metadata: { approval: { id: approval.id } } },
    ]);
    expect(await code(second.approvals.obtainPermit(approvalRequest(), waiting()))).toBe('OUTCOME_UNKNOWN');
    expect((await second.held()).approval.id).not.toBe(approval.id);
  });

  test('held and approved outlive a restart', async () => {
    const first = await start();
    const { approval } = await first.held(approvalRequest(), waiting({ waitMs: 0 }));
    const second = await start();
    await second.decide(approval.id, { decision: 'approve' });
    const third = await start();
    expect((await third.approvals.obtainPermit(approvalRequest(), waiting())).trail.id).toBe(approval.id);
  });

  test('another proxy: a decision there is heard here, without a message between them', async () => {
    const here = await start();
    const there = await start({ instance: 'another proxy' });
    const { approval, passed } = await here.held();
    await there.decide(approval.id, { decision: 'approve' });
    expect((await passed).trail.id).toBe(approval.id);
    expect(await code(there.approvals.obtainPermit(approvalRequest(), waiting({ waitMs: 0 })))).toBe(
      'APPROVAL_PENDING',
    );
  });

  test('another proxy: its own listeners hear of what happens here, where the database carries messages', async () => {
    const channel = channelOf(database());
    expect(channel === undefined).toBe(engine.engine === 'sqlite');
    if (!channel) return;
    const here = await start({ channel });
    const there = await start({ channel, instance: 'another proxy' });
    const { approval } = await here.held();
    await expect
      .poll(() => there.events)
      .toContainEqual({
        name: 'approval',
        data: expect.objectContaining({ id: approval.id }) as object,
      });
  });

  test('a proxy that is gone for good: its use ends with its lease, and a running one renews it', async () => {
    const gone = await start({ instance: 'gone' });
    const { approval, passed } = await gone.held();
    await gone.decide(approval.id, { decision: 'approve' });
    await passed;
    gone.approvals.close();
    const here = await start();
    time += 59_000;
    await gone.approvals.sweep();
    time += 59_000;
    await here.approvals.sweep();
    expect((await here.approvals.get(approval.id)).status).toBe('running');
    time += 2_000;
    await here.approvals.sweep();
    expect((await here.approvals.get(approval.id)).status).toBe('unknown');
  });

  describe('the caller leaves', () => {
    test('newer protocol: the request is withdrawn, and a later approval is refused', async () => {
      const { decide, held } = await start();
      const gone = new AbortController();
      const { approval, passed } = await held(
        approvalRequest(),
        waiting({ signal: gone.signal, hooks: { isWithdrawn: () => true } }),
      );
      gone.abort();
      expect(await code(passed)).toBe('APPROVAL_CANCELLED');
      expect(await code(decide(approval.id, { decision: 'approve' }))).toBe('CONFLICT');
    });

    test('not while the same call waits in another request', async () => {
      const { decide, held } = await start();
      const gone = new AbortController();
      const { approval, passed } = await held(
        approvalRequest(),
        waiting({ signal: gone.signal, hooks: { isWithdrawn: () => true } }),
      );
      const other = await held();
      gone.abort();
      expect(await code(passed)).toBe('APPROVAL_PENDING');
      await decide(approval.id, { decision: 'approve' });
      expect((await other.passed).trail.id).toBe(approval.id);
    });

    test('not while another client has asked for the same call and will come again; only the last one withdraws it', async () => {
      const { approvals, held } = await start();
      const leaving = (requester: string, signal: AbortSignal) =>
        waiting({ signal, hooks: { requester, isWithdrawn: () => true } });
      const gone = new AbortController();
      // The first round of another client has ended; it is to come again.
      const other = await held(approvalRequest(), { ...waiting({ hooks: { requester: 'b' } }), waitMs: 1 });
      expect(await code(other.passed)).toBe('APPROVAL_PENDING');
      const { approval, passed } = await held(approvalRequest(), leaving('a', gone.signal));
      gone.abort();
      expect(await code(passed)).toBe('APPROVAL_PENDING');
      expect((await approvals.get(approval.id)).status).toBe('pending');
    });

    test('its own rounds are no other client', async () => {
      const { held } = await start();
      const gone = new AbortController();
      const hooks = { requester: 'a', isWithdrawn: () => true };
      const first = await held(approvalRequest(), { ...waiting({ hooks }), waitMs: 1 });
      expect(await code(first.passed)).toBe('APPROVAL_PENDING');
      const second = await held(approvalRequest(), waiting({ signal: gone.signal, hooks }));
      gone.abort();
      expect(await code(second.passed)).toBe('APPROVAL_CANCELLED');
    });

    test('older protocol: the request stays; nothing is used up for nobody; coming back runs it', async () => {
      const { approvals, decide, held } = await start();
      let there = true;
      const { approval, passed } = await held(
        approvalRequest(),
        waiting({ hooks: { isListening: () => there } }),
      );
      there = false;
      await decide(approval.id, { decision: 'approve' });
      expect(await code(passed)).toBe('APPROVAL_PENDING');
      expect((await approvals.get(approval.id)).status).toBe('approved');
      expect((await approvals.obtainPermit(approvalRequest(), waiting())).trail.id).toBe(approval.id);
    });
  });

  describe('who may decide', () => {
    const AGENTS = [AGENT, { ...AGENT, principal: 'token:other' }, { ...AGENT, principal: 'anonymous' }];
    test.each(AGENTS)('$principal may not, and the attempt is recorded', async (caller) => {
      const { approvals, held, decide, records } = await start();
      const { approval } = await held();
      expect(await code(decide(approval.id, { decision: 'approve' }, caller))).toBe('APPROVAL_FORBIDDEN');
      expect(records).toMatchObject([
        { status: 'refused', error_code: 'APPROVAL_FORBIDDEN', metadata: { principal: caller.principal } },
      ]);
      expect((await approvals.get(approval.id)).status).toBe('pending');
    });

    test('a token that calls itself operator may not', async () => {
      const { held, decide } = await start();
      const { approval } = await held();
      const caller = { ...OPERATOR, token: { id: 't', name: 'x', scope: { operations: ['read' as const] } } };
      expect(await code(decide(approval.id, { decision: 'approve' }, caller))).toBe('APPROVAL_FORBIDDEN');
    });

    test('the answer of the client does not count, unless the operator says so', async () => {
      const { approvals, held, records } = await start();
      const { approval } = await held();
      expect(
        await code(approvals.acceptClientAnswer(approval.id, { action: 'accept', approve: true }, AGENT)),
      ).toBe('APPROVAL_FORBIDDEN');
      expect(records).toMatchObject([{ status: 'refused', error_code: 'APPROVAL_FORBIDDEN' }]);
      expect((await approvals.get(approval.id)).status).toBe('pending');
    });

    test('where it counts, it is recorded as such, and only for the client that asked', async () => {
      const { approvals, held } = await start({ config: { in_client: true } });
      const { approval, passed } = await held();
      const other = { ...AGENT, principal: 'token:other' };
      expect(
        await code(approvals.acceptClientAnswer(approval.id, { action: 'accept', approve: true }, other)),
      ).toBe('APPROVAL_FORBIDDEN');
      await approvals.acceptClientAnswer(approval.id, { action: 'accept', approve: true }, AGENT);
      expect((await passed).trail).toMatchObject({
        decided_from: 'in-client',
        decided_by: 'the person at agent/1',
      });
    });

    test('an explicit no in the client is a denial', async () => {
      const { approvals, held } = await start({ config: { in_client: true } });
      const { approval, passed } = await held();
      await approvals.acceptClientAnswer(approval.id, { action: 'accept', approve: false }, AGENT);
      expect(await code(passed)).toBe('APPROVAL_DENIED');
    });

    test.each(
      [true, false].flatMap((inClient) =>
        (['decline', 'cancel', 'accept', 'error'] as const).map((action) => [inClient, action] as const),
      ),
    )(
      'in_client %s: a dialog closed with %s and no choice decides nothing, and the record names nobody',
      async (inClient, action) => {
        const { approvals, held, decide, records } = await start({ config: { in_client: inClient } });
        const { approval, passed } = await held();
        await approvals.acceptClientAnswer(approval.id, { action }, AGENT);
        const after = await approvals.get(approval.id);
        expect([after.status, after.decided_by, after.decided_from]).toEqual([
          'pending',
          undefined,
          undefined,
        ]);
        expect(records).toMatchObject([
          {
            status: 'pending',
            arguments: { approval_id: approval.id, answer: action },
            metadata: { action: 'close dialog', approval: { id: approval.id } },
          },
        ]);
        await decide(approval.id, { decision: 'approve' });
        expect((await passed).trail).toMatchObject({ decided_by: 'operator' });
      },
    );

    test('a request is kept open while a dialog asks, and no longer than any other once it is closed', async () => {
      const { approvals } = await start();
      let isAsking = true;
      const closed: string[] = [];
      const hooks = {
        isAsking: () => isAsking,
        onPending({ id }: Approval, recheck: () => void) {
          setImmediate(() => {
            closed.push(id);
            isAsking = false;
            recheck();
          });
        },
      };
      const passed = code(approvals.obtainPermit(approvalRequest(), waiting({ waitMs: 0, hooks })));
      expect(await passed).toBe('APPROVAL_PENDING');
      expect(closed).toHaveLength(1);
      expect((await approvals.get(closed[0]!)).status).toBe('pending');
    });
  });

  describe('grants', () => {
    async function granted(grant: { for: string; max_calls?: number }) {
      const started = await start();
      const { approval, passed } = await started.held();
      const { grant_id: id } = await started.decide(approval.id, { decision: 'approve', grant });
      await (await passed).settle({ result: RESULT });
      const next = (more: Partial<ApprovalRequest> = {}) =>
        started.approvals.obtainPermit(approvalRequest(more), waiting({ waitMs: 0 }));
      return { ...started, id: id!, next };
    }

    test('further calls of the tool pass and say by which grant, up to the cap', async () => {
      const { next, id, approvals } = await granted({ for: '1h', max_calls: 2 });
      expect((await next({ args: { path: '/other' } })).trail).toMatchObject({
        grant_id: id,
        granted_by: 'operator',
        granted_at: expect.any(String) as string,
        granted_with: expect.any(String) as string,
        used: 1,
      });
      await (await next()).release();
      const both = await Promise.allSettled([next(), next(), next()]);
      expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await approvals.grants({ limit: 5 })).toMatchObject([{ id, used: 2, status: 'used up' }]);
      expect(await approvals.grants({ active: true, limit: 5 })).toEqual([]);
    });

    test('they end in time', async () => {
      const { next, approvals } = await granted({ for: '1h' });
      time += 3_600_001;
      expect(await code(next())).toBe('APPROVAL_PENDING');
      expect(await approvals.grants({ limit: 5 })).toMatchObject([{ status: 'expired' }]);
    });

    test('they can be revoked, and that is recorded', async () => {
      const { next, approvals, id, records } = await granted({ for: '1h' });
      expect(await approvals.revoke(id, OPERATOR)).toMatchObject({
        status: 'revoked',
        revoked_by: 'operator',
      });
      expect(await code(next())).toBe('APPROVAL_PENDING');
      expect(records.at(-1)).toMatchObject({ status: 'success', metadata: { action: 'revoke grant' } });
    });

    test.each<[string, Partial<ApprovalRequest>]>([
      ['tool', { tool: 'delete_dir' }],
      ['definition', { definitionHash: 'changed' }],
      ['server behind the name', { serverIdentity: 're-pointed' }],
      ['credential', { caller: { ...AGENT, principal: 'token:other' } }],
      ['client program', { caller: { ...AGENT, client: 'other/1' } }],
      ['user', { caller: { ...AGENT, userId: 'eve' } }],
    ])('another %s is not covered', async (_what, more) => {
      const { next } = await granted({ for: '1h' });
      expect(await code(next(more))).toBe('APPROVAL_PENDING');
    });
  });

  test('no caller keeps more than its share waiting, whatever comes at once', async () => {
    const { approvals } = await start({ config: { max_pending_per_caller: 10 } });
    const asked = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) =>
        approvals.obtainPermit(approvalRequest({ args: { n } }), waiting({ waitMs: 0 })),
      ),
    );
    const codes = asked.map((each) =>
      each.status === 'rejected' ? (each.reason as ProxyError).code : 'none',
    );
    expect(codes.filter((each) => each === 'APPROVAL_PENDING')).toHaveLength(10);
    expect(codes.filter((each) => each === 'APPROVAL_LIMIT')).toHaveLength(20);
    const other = approvalRequest({ caller: { ...AGENT, principal: 'token:other' } });
    expect(await code(approvals.obtainPermit(other, waiting({ waitMs: 0 })))).toBe('APPROVAL_PENDING');
    expect(await approvals.pending()).toBe(11);
  });

  test('no client keeps more than its share of requests open, also for one and the same call', async () => {
    const { approvals, decide, held } = await start({ config: { max_pending_per_caller: 2 } });
    const waitingOnes = await Promise.all([held(), held(), held(), held()]);
    const { id } = waitingOnes[0].approval;
    const fifth = await approvals.obtainPermit(approvalRequest(), waiting()).catch((error: unknown) => error);
    expect(fifth).toMatchObject({ code: 'OVERLOADED', details: { approval_id: id, requests: 4 } });
    const other = approvalRequest({ caller: { ...AGENT, principal: 'token:other' } });
    expect(await code(approvals.obtainPermit(other, waiting({ waitMs: 0 })))).toBe('APPROVAL_PENDING');
    await decide(id, { decision: 'deny' });
    await Promise.allSettled(waitingOnes.map(({ passed }) => passed));
    expect(await code(approvals.obtainPermit(approvalRequest(), waiting()))).toBe('APPROVAL_DENIED');
  });

  describe('in a conversation', () => {
    const CHAT = { ...OPERATOR, source: 'chat' as const, userId: 'ann', conversationId: 'c1' };
    const draft = {
      caller: CHAT,
      server: 'tasks',
      tool: 'delete_task',
      args: { id: 1 },
      description: 'delete “milk”',
      ttlMs: 1000,
    };

    test('asked, found, approved by the person, used for exactly this call', async () => {
      const { approvals } = await start();
      const asked = await approvals.ask(draft);
      expect(asked).toMatchObject({
        scope: 'conversation',
        status: 'pending',
        description: 'delete “milk”',
        conversation_id: 'c1',
      });
      expect(await approvals.pendingIn('c1', 'ann')).toMatchObject({ id: asked.id, status: 'pending' });
      expect(await approvals.pendingIn('c1', 'eve')).toBeUndefined();
      expect(await approvals.pendingIn('c2', 'ann')).toBeUndefined();
      await approvals.decide(asked.id, { decision: 'approve', caller: CHAT, from: 'conversation' });
      const call = approvalRequest({ caller: CHAT, server: 'tasks', tool: 'delete_task', args: { id: 1 } });
      expect(await code(approvals.obtainPermit({ ...call, args: { id: 2 } }, waiting(), asked.id))).toBe(
        'APPROVAL_MISMATCH',
      );
      expect((await approvals.obtainPermit(call, waiting(), asked.id)).trail).toMatchObject({
        scope: 'conversation',
        decided_by: 'ann',
      });
    });

    test('too late: it comes back as expired once, and a yes does nothing', async () => {
      const { approvals } = await start();
      const { id } = await approvals.ask(draft);
      time += 1001;
      expect(await approvals.pendingIn('c1', 'ann')).toMatchObject({ id, status: 'expired' });
      expect(await approvals.pendingIn('c1', 'ann')).toBeUndefined();
      expect(
        await code(approvals.decide(id, { decision: 'approve', caller: CHAT, from: 'conversation' })),
      ).toBe('CONFLICT');
    });

    test('dropped by a new message', async () => {
      const { approvals } = await start();
      const { id } = await approvals.ask(draft);
      expect(await approvals.cancel(id, 'another message came', 'ann')).toMatchObject({
        status: 'cancelled',
      });
      expect(await approvals.pendingIn('c1', 'ann')).toBeUndefined();
    });

    test.each([
      ['another conversation', { ...CHAT, conversationId: 'c2' }, 'conversation' as const],
      ['another person', { ...CHAT, userId: 'eve' }, 'conversation' as const],
      ['the operator’s key', OPERATOR, 'cli' as const],
    ])('%s does not approve it', async (_who, caller, from) => {
      const { approvals } = await start();
      const { id } = await approvals.ask(draft);
      expect(await code(approvals.decide(id, { decision: 'approve', caller, from }))).toBe(
        'APPROVAL_FORBIDDEN',
      );
    });
  });

  test('a token that ends takes its open requests and unused approvals along, and those of no namesake', async () => {
    const { approvals, decide, held, events } = await start();
    const withToken = (id: string, path: string) => {
      const token = { id, name: 'ci', scope: { operations: ['destructive' as const] } };
      return approvalRequest({ caller: { ...AGENT, token }, args: { path } });
    };
    const brief = waiting({ waitMs: 0 });
    const asks = [withToken('T1', '/a'), withToken('T1', '/b'), withToken('T2', '/a'), approvalRequest()];
    const ids: string[] = [];
    for (const each of asks) {
      const { approval, passed } = await held(each, brief);
      expect(await code(passed)).toBe('APPROVAL_PENDING');
      ids.push(approval.id);
    }
    await decide(ids[1]!, { decision: 'approve' });
    events.length = 0;
    await approvals.cancelForToken({ id: 'T1', why: 'expired' });
    const now = await Promise.all(ids.map((id) => approvals.get(id)));
    expect(now.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'pending', 'pending']);
    expect(now[0]).toMatchObject({ decision_reason: 'the token expired' });
    expect(events).toHaveLength(2);
    expect(await code(decide(ids[0]!, { decision: 'approve' }))).toBe('CONFLICT');
  });

  test('secrets in the arguments are masked, and what is too long is said to be cut', async () => {
    const { held } = await start();
    const args = { password: 'hunter2hunter2', text: 'x'.repeat(300_000) };
    const { approval } = await held(
      approvalRequest({ args, reason: 'because ghp_0123456789abcdefghijABCDEFGHIJ012345' }),
    );
    expect(JSON.stringify(approval)).not.toMatch(/hunter2|ghp_0123/);
    expect(approval.arguments_truncated).toBe(true);
  });

  test('listing: newest first, by status, page by page', async () => {
    const { approvals, decide, held } = await start();
    const ids: string[] = [];
    for (const n of [1, 2, 3]) ids.unshift((await held(approvalRequest({ args: { n } }))).approval.id);
    await decide(ids[0]!, { decision: 'deny' });
    const first = await approvals.list({ limit: 2 });
    expect(first.approvals.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const second = await approvals.list({ limit: 2, cursor: first.next_cursor! });
    expect(second).toMatchObject({ approvals: [{ id: ids[2] }], next_cursor: null });
    expect((await approvals.list({ status: 'denied', limit: 9 })).approvals).toMatchObject([{ id: ids[0] }]);
    expect(await code(approvals.get('nothing'))).toBe('NOT_FOUND');
  });

  test('progress tells a caller that wants it that the call waits, and stops with the wait', async () => {
    const { decide, held } = await start();
    const onProgress = vi.fn();
    const { approval, passed } = await held(approvalRequest(), waiting({ onProgress }));
    expect(onProgress).toHaveBeenCalledWith({
      progress: expect.any(Number) as number,
      total: 1,
      message: `files:delete_file waits for a person: mcpproxy approvals approve ${approval.id}, or in the web UI`,
    });
    await decide(approval.id, { decision: 'approve' });
    await passed;
  });
});
