import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPolicy } from '../../src/approval/index.ts';
import type { PolicyRule } from '../../src/contract/approval-policy.ts';
import { sentenceOf, toForm, toRule } from '../../web/src/pages/policy/rule-form.ts';

type CallFacts = Parameters<ReturnType<typeof createPolicy>['judge']>[0];

const operation = fc.constantFrom('read', 'write', 'destructive');
const name = fc.constantFrom('a', 'b*', 'github', 'delete_*');
const match = fc.record(
  {
    operation: fc.oneof(operation, fc.array(operation, { minLength: 1, maxLength: 3 })),
    server: name,
    tool: name,
    unannotated: fc.boolean(),
    contains: fc.constant('secret'),
    client: fc.constantFrom('operator', 'token:*'),
  },
  { requiredKeys: [] },
);
const rule = fc.oneof(
  fc.constantFrom('destructive', 'write', 'read', 'unannotated', 'server:git*', 'a:delete_*'),
  fc.record(
    { match, action: fc.constantFrom('ask', 'refuse', 'allow'), reason: fc.constantFrom('so it is') },
    { requiredKeys: ['match', 'action'] },
  ),
  fc.record(
    { contains: fc.constant('secret'), action: fc.constantFrom('ask', 'refuse', 'allow') },
    { requiredKeys: ['contains'] },
  ),
) as fc.Arbitrary<PolicyRule>;
const facts = fc.record({
  operation,
  server: fc.constantFrom('a', 'b1', 'github'),
  tool: fc.constantFrom('a', 'b2', 'delete_it'),
  unannotated: fc.boolean(),
  client: fc.constantFrom('operator', 'token:ci'),
  hasSecret: fc.boolean().map((has) => () => has),
}) as fc.Arbitrary<CallFacts>;

test('a rule that was filled into the form and read from it decides as before, for any rule and call', () => {
  let shown = 0;
  fc.assert(
    fc.property(rule, facts, (made, call) => {
      const form = toForm(made);
      if (!form) return;
      shown++;
      const [before, after] = [createPolicy([made]), createPolicy([toRule(form)])].map((policy) =>
        policy.judge(call),
      );
      expect([after!.action, after!.rule]).toEqual([before!.action, before!.rule]);
      expect(toForm(toRule(form))).toEqual(form);
    }),
    { numRuns: 2000 },
  );
  expect(shown).toBeGreaterThan(500);
});

test.each<[PolicyRule, string]>([
  ['destructive', 'Ask a person about destructive calls'],
  ['write', 'Ask a person about all changes'],
  [{ contains: 'secret' }, 'Ask a person about calls with a secret in them'],
  ['github:delete_*', 'Ask a person about all calls of delete_* at github'],
  [
    { match: { client: 'token:ci', operation: 'destructive' }, action: 'refuse', reason: 'never by night' },
    'Refuse destructive calls by token:ci (never by night)',
  ],
])('%j in words', (made, sentence) => expect(sentenceOf(made)).toBe(sentence));

test('a rule that the form has no fields for stays as it is', () => {
  expect(toForm({ match: { operation: ['read', 'write'] }, action: 'ask' })).toBeUndefined();
  expect(toForm({ match: { unannotated: false }, action: 'allow' })).toBeUndefined();
});
