import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { catalogTool } from '../../../test/fixtures/catalog-tool.ts';
import { startApprovals } from '../../../test/fixtures/approvals.ts';
import type { Outcome, RecordDraft } from '../../log/record/record.ts';
import type { Approvals } from '../../approval/approvals.ts';
import { replayPolicy } from '../replay.ts';
import type { ActivityRecord } from '../../contract/activity.ts';
import { callFacts, createPolicy } from '../../approval/policy/policy.ts';
import { createArgumentChecker } from '../../catalog/arguments/argument-checker.ts';
import type { CatalogTool } from '../../catalog/catalog-tool.ts';
import { decideVerdict } from '../../catalog/verdict/verdict.ts';
import type { PolicyRule } from '../../contract/approval-policy.ts';
import type { Approval } from '../../contract/approval.ts';
import type { Caller } from '../../contract/call.ts';
import { Config } from '../../contract/config.ts';
import { ProxyError } from '../../contract/errors.ts';
import { OperationType, variantFor } from '../../contract/operation.ts';
import { openDatabase, type Database } from '../../db/database.ts';
import { NewToken } from '../../contract/token.ts';
import { createLog } from '../../lib/log.ts';
import { newSecret } from '../../token/secret.ts';
import { createTokens } from '../../token/tokens.ts';
import { createRoad, ROAD } from '../road.ts';
import type { CallRequest } from '../request.ts';
import { createExplain } from '../explain.ts';
import { cases } from '../../../test/fixtures/cases.ts';
import { testSeal } from '../../../test/fixtures/row-seal.ts';

const log = createLog('silent');
const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-gate-'));
const OPERATOR: Caller = { source: 'cli', principal: 'operator', userId: 'local', requestId: 'r' };
const AGENT: Caller = { source: 'mcp', principal: 'token:ci', userId: 'local', requestId: 'r' };

let db: Database;
let approvals: Approvals;
let config: Config;
let tools: Map<string, CatalogTool>;
let sent: unknown[];
let records: Array<{ draft: RecordDraft; outcome?: Outcome }>;
/** Answers instead of the server. */
let answer: () => Promise<{ content: [] }>;

beforeAll(async () => {
  db = await openDatabase({ file: join(dir, 'test.db'), log });
  const started = await startApprovals(db.kysely, { config: {} });
  ({ approvals } = started);
  // The road reads the rules from the configuration of the moment.
  approvals = { ...approvals, policy: () => createPolicy(config.approvals.require) };
});
afterAll(async () => {
  approvals.close();
  await db.close();
  rmSync(dir, { recursive: true });
});
beforeEach(async () => {
  config = Config.parse({ approvals: { require: ['destructive'] } });
  tools = new Map([['srv:del', toolWith({ destructiveHint: true })]]);
  [sent, records] = [[], []];
  answer = async () => ({ content: [] });
  await db.kysely.deleteFrom('approvals').execute();
  await db.kysely.deleteFrom('grants').execute();
});

function toolWith(
  hints: Record<string, unknown> | undefined,
  more: { server?: string; tool?: string; inferred?: 'read' | 'write' | 'destructive' } = {},
): CatalogTool {
  const { server = 'srv', tool = 'del', inferred = 'write' } = more;
  const { view, constraint, callWith } = decideVerdict({
    hints,
    inferred: { operation: inferred, reason: 'its name' },
    mode: 'trust',
  });
  const definition = { name: tool, inputSchema: { type: 'object' }, ...(hints && { annotations: hints }) };
  return catalogTool(server, tool, { definition, operation: view, constraint, callWith });
}

const catalog = { get: (name: string) => tools.get(name), nearest: () => [] };
const road = () =>
  createRoad({
    config: () => config,
    catalog,
    activity: {
      state: () => ({ log: 'ok' }),
      open(draft) {
        const record: (typeof records)[number] = { draft };
        records.push(record);
        return {
          id: `r${records.length}`,
          durable: async () => {},
          close: async (outcome) => void (record.outcome ??= outcome),
        };
      },
    },
    approvals,
    dispatch: async (request) => {
      sent.push(request.args);
      return answer();
    },
    log,
  });

function call(more: Partial<CallRequest> & { name?: string; args?: object } = {}) {
  const { name = 'srv:del', args = { a: 1 }, operation = 'destructive', ...rest } = more;
  return road()({
    operation,
    input: { name, args, intent_operation_type: operation },
    caller: AGENT,
    signal: new AbortController().signal,
    ...rest,
  });
}

const NEVER = new AbortController().signal;

/** The record of the last call, as the log would return it. */
function lastRecord(): ActivityRecord {
  const { draft, outcome } = records.at(-1)!;
  const metadata = { ...draft.metadata, ...outcome?.metadata };
  return {
    id: 'r',
    timestamp: '2026-01-01T00:00:00.000Z',
    ...draft,
    ...outcome,
    metadata,
  } as unknown as ActivityRecord;
}

/** Starts a call and gives its approval once it waits. */
async function held(more: Parameters<typeof call>[0] = {}) {
  let result!: ReturnType<typeof call>;
  const approval = await new Promise<Approval>((onPending, fail) => {
    result = call({ ...more, hooks: { ...more.hooks, onPending } });
    result.catch(fail);
  });
  result.catch(() => {});
  return { approval, result };
}
const approve = (id: string) => approvals.decide(id, { decision: 'approve', caller: OPERATOR, from: 'cli' });
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ran',
    (error: unknown) => (error instanceof ProxyError ? error.code : Promise.reject(error as Error)),
  );

test('an approved call is sent as it was asked, and its record carries the trail', async () => {
  const { approval, result } = await held();
  expect(approval).toMatchObject({
    record_id: 'r1',
    tool_variant: 'call_tool_destructive',
    hints: { destructiveHint: true },
  });
  await approve(approval.id);
  await result;
  expect(sent).toEqual([{ a: 1 }]);
  expect(records[0]!.outcome).toMatchObject({
    status: 'success',
    metadata: { approval: { id: approval.id, decided_by: 'operator' } },
  });
});

test('refused by the policy: not sent, and the record says by which rule', async () => {
  config = Config.parse({
    approvals: { require: [{ match: { server: 'srv' }, action: 'refuse', reason: 'not here' }] },
  });
  await expect(call()).rejects.toMatchObject({
    code: 'POLICY_REFUSED',
    message: expect.stringContaining('not here') as string,
  });
  expect(sent).toEqual([]);
  expect(records[0]!.outcome).toMatchObject({ status: 'refused', error_code: 'POLICY_REFUSED' });
});

test('a rule about secrets holds exactly the calls that carry one, in the explanation and on records too', async () => {
  const require = [{ contains: 'secret' }] as const;
  config = Config.parse({ approvals: { require } });
  await call({ args: { text: 'what a token is', max_tokens: 5 } });
  expect(sent).toHaveLength(1);
  const args = { text: `send ghp_${'a1B2c3D4e5F6'.repeat(3)} there` };
  const { approval, result } = await held({ args });
  expect(sent).toHaveLength(1);
  await approvals.reveal(approval.id, OPERATOR);
  await approve(approval.id);
  await result;
  expect(sent).toEqual([expect.anything(), args]);

  const explain = createExplain({
    config: () => config,
    catalog,
    argumentChecker: createArgumentChecker(),
    approvals,
  });
  const explained = (given: Record<string, unknown>) =>
    explain({ tool: 'srv:del', args: given, client: 'token:ci' });
  expect(await explained(args)).toMatchObject({ outcome: 'ask', policy: { rule: 0 } });
  expect(await explained({ a: 1 })).toMatchObject({ outcome: 'allow' });

  const policy = createPolicy([...require]);
  const record = lastRecord();
  const withKinds = { ...record, metadata: { ...record.metadata, secrets_sent: ['github-token'] } };
  const approvalStep = ROAD.find(({ name }) => name === 'approval')!;
  expect(approvalStep.replay!(withKinds, policy)).toMatchObject({ action: 'ask' });
  expect(approvalStep.replay!(record, policy)).toMatchObject({ action: 'allow' });
});

describe('after a pending approval everything is checked again', () => {
  const changes: Array<[string, () => void, string]> = [
    [
      'switched off',
      () => tools.set('srv:del', { ...tools.get('srv:del')!, enabled: false }),
      'TOOL_DISABLED',
    ],
    ['withheld', () => tools.set('srv:del', { ...tools.get('srv:del')!, withheld: true }), 'TOOL_WITHHELD'],
    ['gone', () => tools.clear(), 'TOOL_NOT_FOUND'],
    [
      'refused by a new policy',
      () => (config = Config.parse({ approvals: { require: [{ match: {}, action: 'refuse' }] } })),
      'POLICY_REFUSED',
    ],
    [
      'with another schema',
      () => {
        const tool = tools.get('srv:del')!;
        tools.set('srv:del', {
          ...tool,
          definition: { ...tool.definition, inputSchema: { type: 'object', required: ['b'] } },
        });
      },
      'INVALID_TOOL_ARGUMENTS',
    ],
  ];
  test.each(changes)('%s: refused, and the approval stays unused', async (_what, change, expected) => {
    const { approval, result } = await held();
    change();
    await approve(approval.id);
    expect(await code(result)).toBe(expected);
    expect(sent).toEqual([]);
    expect((await approvals.get(approval.id)).status).toBe('approved');
  });

  test('a changed definition needs a new approval, in the same request', async () => {
    const { approval, result } = await held();
    const tool = tools.get('srv:del')!;
    tools.set('srv:del', {
      ...tool,
      definition: { ...tool.definition, description: 'Now deletes everything.' },
    });
    await approve(approval.id);
    const next = await eventually(
      async () => (await approvals.list({ status: 'pending', limit: 1 })).approvals[0],
    );
    expect(next.definition_hash).not.toBe(approval.definition_hash);
    expect(sent).toEqual([]);
    await approve(next.id);
    expect(await code(result)).toBe('ran');
    expect(sent).toHaveLength(1);
    expect((await approvals.get(approval.id)).status).toBe('approved');
  });

  test('a policy that asks no longer lets it pass without using the approval', async () => {
    const { approval, result } = await held();
    config = Config.parse({});
    await approve(approval.id);
    expect(await code(result)).toBe('ran');
    expect((await approvals.get(approval.id)).status).toBe('approved');
    expect(records[0]!.outcome!.metadata!.approval).toBeUndefined();
  });
});

async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let i = 0; i < 12_000; i++) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it did not happen');
}

test.each([
  ['SERVER_UNAVAILABLE', {}, 'approved', 'ran'],
  ['UPSTREAM_TIMEOUT', { sent: true }, 'unknown', 'APPROVAL_PENDING'],
  ['UPSTREAM_FAILED', {}, 'executed', 'APPROVAL_PENDING'],
] as const)(
  'the server answers with %s %j: the approval is %s',
  async (...[failure, details, status, next]) => {
    const { approval, result } = await held();
    answer = () => Promise.reject(new ProxyError(failure, '', details));
    await approve(approval.id);
    expect(await code(result)).toBe(failure);
    expect((await approvals.get(approval.id)).status).toBe(status);
    answer = async () => ({ content: [] });
    expect(await code(call({ hooks: { waitMs: 0 } }))).toBe(next);
  },
);

test('a conversation’s approval satisfies the policy too, for exactly its call', async () => {
  const chat: Caller = { ...OPERATOR, source: 'chat', userId: 'ann', conversationId: 'c' };
  const { approval } = await held({ caller: chat, hooks: { waitMs: 0 } });
  await approve(approval.id);
  expect(await code(call({ caller: chat, approvalId: approval.id, args: { a: 2 } }))).toBe(
    'APPROVAL_MISMATCH',
  );
  expect(await code(call({ caller: chat, approvalId: approval.id }))).toBe('ran');
  expect(await code(call({ caller: chat, approvalId: approval.id }))).toBe('APPROVAL_USED');
  expect(sent).toHaveLength(1);
});

describe('a policy, its explanation and what the road does always agree', () => {
  const operation = fc.constantFrom('read' as const, 'write' as const, 'destructive' as const);
  const anyRule: fc.Arbitrary<PolicyRule> = fc.oneof(
    fc.constantFrom<PolicyRule>(
      'destructive',
      'write',
      'read',
      'unannotated',
      'server:srv',
      'server:o*',
      'srv:del',
      'other:*',
      '*:get',
    ),
    fc.record({
      match: fc.record(
        {
          operation: fc.oneof(operation, fc.uniqueArray(operation, { minLength: 1 })),
          server: fc.constantFrom('srv', 'other', '*', 's*v'),
          tool: fc.constantFrom('del', 'get', 'd*', '*'),
          unannotated: fc.boolean(),
          client: fc.constantFrom('operator', 'token:*', 'token:ci', 'anonymous'),
        },
        { requiredKeys: [] },
      ),
      action: fc.constantFrom('allow' as const, 'ask' as const, 'refuse' as const),
    }),
  );
  const anyTool = fc.record({
    hints: fc.constantFrom(
      undefined,
      {},
      { readOnlyHint: true },
      { readOnlyHint: false },
      { destructiveHint: true },
      { title: 'x' },
    ),
    server: fc.constantFrom('srv', 'other'),
    tool: fc.constantFrom('del', 'get'),
    inferred: operation,
  });
  const principal = fc.constantFrom('operator', 'token:ci', 'anonymous');
  const EXPECTED = { allow: 'ran', ask: 'APPROVAL_PENDING', refuse: 'POLICY_REFUSED' } as const;

  test('for any rules, tool, operation and caller', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRule, { maxLength: 5 }),
        anyTool,
        fc.constantFrom(...OperationType.options),
        principal,
        async (...[require, { hints, ...described }, chosen, by]) => {
          config = Config.parse({ approvals: { require } });
          const tool = toolWith(hints, described);
          tools = new Map([[tool.name, tool]]);
          sent = [];
          await db.kysely.deleteFrom('approvals').execute();
          const facts = callFacts(tool, chosen, by);
          const { action } = createPolicy(require).judge(facts);
          const explain = createExplain({
            config: () => config,
            catalog,
            argumentChecker: createArgumentChecker(),
            approvals,
          });
          const explained = await explain({
            tool: tool.name,
            args: { a: 1 },
            tool_variant: variantFor(chosen),
            client: by,
          });
          const did = await code(
            call({
              name: tool.name,
              operation: chosen,
              caller: { ...AGENT, principal: by },
              hooks: { waitMs: 0 },
            }),
          );

          expect(explained.policy.action).toBe(action);
          // A check before the policy may refuse; then all three agree on that.
          const refusedBefore = explained.outcome === 'refuse' && explained.code !== 'POLICY_REFUSED';
          expect(did).toBe(refusedBefore ? explained.code : EXPECTED[action]);
          if (!refusedBefore) expect(explained.outcome).toBe(action);
          expect(sent).toHaveLength(did === 'ran' ? 1 : 0);
          // A replay of the record applies the same ruling; it leaves out what was refused before.
          const replayed = await replayPolicy(
            { policy: createPolicy(require), range: { since: 0, until: Date.now(), buckets: 1 } },
            [lastRecord()],
            NEVER,
          );
          expect(replayed).toMatchObject(refusedBefore ? { calls: 0 } : { calls: 1, [action]: 1 });
          seen.add(did);
        },
      ),
      { numRuns: 150 },
    );
    expect([...seen].sort()).toEqual(['APPROVAL_PENDING', 'POLICY_REFUSED', 'SERVER_MISMATCH', 'ran']);
  });

  test('for any token too: its scope, its end, and a policy that names it', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const tokens = await createTokens({ db, seal: testSeal(), log, clock: { now: () => now } });
    const seen = new Set<string>();
    let made = 0;
    const scope = fc.record(
      {
        operations: fc.uniqueArray(operation, { minLength: 1 }),
        servers: fc.constantFrom(['srv'], ['o*'], ['srv', 'other']),
        tools: fc.constantFrom(['*:get'], ['srv:*'], ['*:*']),
      },
      { requiredKeys: [] },
    );
    const life = fc.constantFrom('active', 'expired', 'revoked', 'never made', 'metrics');
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRule, { maxLength: 3 }),
        anyTool,
        fc.constantFrom(...OperationType.options),
        fc.record({ scope, life }),
        async (...[require, { hints, ...described }, chosen, { scope: given, life: fate }]) => {
          config = Config.parse({ approvals: { require } });
          const tool = toolWith(hints, described);
          tools = new Map([[tool.name, tool]]);
          sent = [];
          await db.kysely.deleteFrom('approvals').execute();
          const name = `t${++made}`;
          let secret = newSecret();
          if (fate !== 'never made') {
            const wanted = fate === 'metrics' ? { metrics: true } : given;
            const parsed = NewToken.safeParse({ name, ...wanted, expires: '1h' });
            fc.pre(parsed.success);
            const created = await tokens.create(parsed.data, 'operator').catch(() => undefined);
            fc.pre(created !== undefined);
            secret = created.token;
          }
          if (fate === 'revoked') await tokens.revoke(name, 'operator');
          if (fate === 'expired') now += 2 * 3_600_000;
          const explain = createExplain({
            config: () => config,
            catalog,
            argumentChecker: createArgumentChecker(),
            approvals,
            tokenNamed: tokens.lookUp,
          });
          const explained = await explain({
            tool: tool.name,
            args: { a: 1 },
            tool_variant: variantFor(chosen),
            client: `token:${name}`,
          });
          const presented = tokens.find(secret);
          // As the door does: a token that is not valid, or is for metrics, makes no call.
          const did =
            presented.state !== 'active'
              ? 'UNAUTHORIZED'
              : presented.identity.token!.scope.metrics
                ? 'TOKEN_NOT_ALLOWED'
                : await code(
                    call({
                      name: tool.name,
                      operation: chosen,
                      caller: { ...AGENT, ...presented.identity },
                      hooks: { waitMs: 0 },
                    }),
                  );
          const said = { allow: 'ran', ask: 'APPROVAL_PENDING', refuse: explained.code };
          expect(did).toBe(said[explained.outcome]);
          seen.add(did);
        },
      ),
      { numRuns: cases(200) },
    );
    await tokens.close();
    for (const each of ['ran', 'OUT_OF_SCOPE', 'UNAUTHORIZED', 'TOKEN_NOT_ALLOWED', 'APPROVAL_PENDING'])
      expect(seen).toContain(each);
  });
});
