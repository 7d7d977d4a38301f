import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PolicyRule } from '../../contract/approval-policy.ts';
import { PolicyRules } from '../../contract/approval-policy.ts';
import { callFacts, createPolicy, effectiveOperation, rulesWithoutServer, type CallFacts } from './policy.ts';

const facts = (more: Partial<CallFacts> = {}): CallFacts => ({
  operation: 'write',
  server: 'github',
  tool: 'create_issue',
  unannotated: false,
  client: 'token:ci',
  ...more,
});

describe('what matches', () => {
  test.each<[PolicyRule, Partial<CallFacts>, boolean]>([
    ['destructive', { operation: 'destructive' }, true],
    ['destructive', { operation: 'write' }, false],
    ['write', { operation: 'write' }, true],
    ['write', { operation: 'destructive' }, true],
    ['write', { operation: 'read' }, false],
    ['read', { operation: 'read' }, true],
    ['read', { operation: 'destructive' }, true],
    ['unannotated', { unannotated: true }, true],
    ['unannotated', {}, false],
    ['server:github', {}, true],
    ['server:git*', {}, true],
    ['server:gitlab', {}, false],
    ['github:create_issue', {}, true],
    ['github:create_*', {}, true],
    ['github:delete_*', {}, false],
    ['*:create_issue', {}, true],
    ['github:ns:tool', { tool: 'ns:tool' }, true],
    [{ match: {}, action: 'ask' }, {}, true],
    [{ match: { operation: 'write' }, action: 'ask' }, { operation: 'destructive' }, false],
    [{ match: { operation: ['write', 'destructive'] }, action: 'ask' }, { operation: 'destructive' }, true],
    [{ match: { server: 'github', tool: 'create_*' }, action: 'ask' }, {}, true],
    [{ match: { server: 'github', tool: 'delete_*' }, action: 'ask' }, {}, false],
    [{ match: { client: 'token:*' }, action: 'ask' }, {}, true],
    [{ match: { client: 'token:ci' }, action: 'ask' }, { client: 'operator' }, false],
    [{ match: { unannotated: true }, action: 'ask' }, {}, false],
    [{ match: { unannotated: false }, action: 'ask' }, {}, true],
    [{ contains: 'secret' }, {}, false],
    [{ contains: 'secret' }, { hasSecret: () => true }, true],
    [{ match: { contains: 'secret', server: 'github' }, action: 'ask' }, { hasSecret: () => true }, true],
    [{ match: { contains: 'secret', server: 'gitlab' }, action: 'ask' }, { hasSecret: () => true }, false],
    [{ match: { contains: 'secret' }, action: 'ask' }, { hasSecret: () => false }, false],
  ])('%j against %j: %s', (rule, more, matches) => {
    expect(createPolicy([rule]).judge(facts(more)).action).toBe(matches ? 'ask' : 'allow');
  });
});

test('secrets are searched only where everything else of a rule about them matches', () => {
  let searches = 0;
  const hasSecret = () => ++searches > 0;
  const policy = createPolicy([
    { match: { server: 'gitlab', contains: 'secret' }, action: 'ask' },
    { contains: 'secret', action: 'refuse', reason: 'keep them here' },
  ]);
  expect(policy.judge(facts({ hasSecret }))).toMatchObject({
    action: 'refuse',
    rule: 1,
    reason: 'approvals.require[1] {"contains":"secret"}: keep them here',
  });
  expect(searches).toBe(1);
  createPolicy(['destructive']).judge(facts({ hasSecret }));
  expect(searches).toBe(1);
});

test('the first rule that matches decides, and the ruling names it', () => {
  const policy = createPolicy([
    { match: { server: 'github', tool: 'create_issue' }, action: 'allow' },
    { match: { client: 'token:evil' }, action: 'refuse', reason: 'not this one' },
    'write',
  ]);
  expect(policy.judge(facts())).toMatchObject({ action: 'allow', rule: 0 });
  expect(policy.judge(facts({ tool: 'x', client: 'token:evil' }))).toMatchObject({
    action: 'refuse',
    rule: 1,
    reason: expect.stringContaining('not this one') as string,
  });
  expect(policy.judge(facts({ tool: 'x' }))).toMatchObject({ action: 'ask', rule: 2 });
  expect(policy.judge(facts({ tool: 'x', operation: 'read' }))).toMatchObject({
    action: 'allow',
    rule: null,
  });
});

test('the version follows the rules and nothing else', () => {
  const rules: PolicyRule[] = ['destructive', { match: { server: 'a', tool: 'b' }, action: 'ask' }];
  const same: PolicyRule[] = ['destructive', { action: 'ask', match: { tool: 'b', server: 'a' } }];
  expect(createPolicy(rules).version).toBe(createPolicy(same).version);
  const versions = [rules, [...rules].reverse(), rules.slice(1), [], ['write' as const]];
  expect(new Set(versions.map((each) => createPolicy(each).version)).size).toBe(versions.length);
});

test('a rule that names a server that does not exist is reported', () => {
  const rules: PolicyRule[] = [
    'destructive',
    'githb:delete_*',
    'server:files',
    'server:fils',
    'git*:x',
    { match: { server: 'db' }, action: 'ask' },
  ];
  expect(rulesWithoutServer(rules, ['github', 'files'])).toEqual([
    expect.stringMatching(/require\[1\].*githb/),
    expect.stringMatching(/require\[3\].*fils/),
    expect.stringMatching(/require\[5\].*db/),
  ]);
});

test.each([
  ['deletions'],
  ['server'],
  [':x'],
  ['github:'],
  ['a\nb:c'],
  [''],
  [{ match: {} }],
  [{ match: { tol: 'x' }, action: 'ask' }],
])('the configuration refuses %j', (rule) => expect(PolicyRules.safeParse([rule]).success).toBe(false));

describe('the operation that counts', () => {
  const view = (verdict: string, source: string, inferred: string) =>
    ({ verdict, source, inferred }) as Parameters<typeof effectiveOperation>[0];
  test.each([
    [view('destructive', 'annotation', 'read'), 'read', 'destructive'],
    [view('read', 'annotation', 'destructive'), 'read', 'read'],
    [view('read', 'annotation', 'read'), 'destructive', 'destructive'],
    [view('write', 'default', 'destructive'), 'read', 'destructive'],
    [view('write', 'default', 'read'), 'read', 'write'],
    [view('read', 'operator', 'destructive'), 'read', 'read'],
    [view('write', 'inferred', 'write'), 'write', 'write'],
  ] as const)('%j by %s is %s', (operation, chosen, expected) => {
    expect(effectiveOperation(operation, chosen)).toBe(expected);
    const seen = callFacts({ server: 's', tool: 't', operation }, chosen, 'operator');
    expect(seen).toMatchObject({
      operation: expected,
      unannotated: !['annotation', 'operator'].includes(operation.source),
    });
  });
});

const anyRule = fc.oneof(
  fc.constantFrom<PolicyRule>('destructive', 'write', 'read', 'unannotated', 'server:a', 'a:*', 'b:x*'),
  fc.record({
    match: fc.record(
      {
        operation: fc.constantFrom('read' as const, 'write' as const, 'destructive' as const),
        server: fc.constantFrom('a', 'b', '*'),
        tool: fc.constantFrom('x', 'x*', '*'),
        unannotated: fc.boolean(),
        client: fc.constantFrom('operator', 'token:*'),
      },
      { requiredKeys: [] },
    ),
    action: fc.constantFrom('allow' as const, 'ask' as const, 'refuse' as const),
  }),
);

test('a rule that says more never matches where the same rule with less does not', () => {
  const anyFacts = fc.record<CallFacts>({
    operation: fc.constantFrom('read', 'write', 'destructive'),
    server: fc.constantFrom('a', 'b'),
    tool: fc.constantFrom('x', 'xy', 'z'),
    unannotated: fc.boolean(),
    client: fc.constantFrom('operator', 'token:t', 'anonymous'),
  });
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 6 }), anyFacts, (rules, seen) => {
      const policy = createPolicy(rules);
      const ruling = policy.judge(seen);
      expect(policy.judge(structuredClone(seen))).toEqual(ruling);
      const first = rules.findIndex((rule) => createPolicy([rule]).judge(seen).rule === 0);
      expect(ruling.rule).toBe(first < 0 ? null : first);
    }),
  );
});
