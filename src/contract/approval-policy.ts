import { z } from 'zod';
import { durationWithin } from './duration.ts';
import { OperationType } from './operation.ts';

/** `*` matches any number of characters; everything else matches itself. */
const Pattern = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[^\u0000-\u001f\u007f-\u009f]+$/, 'must not contain control characters');

export const PolicyAction = z.enum(['allow', 'ask', 'refuse']);
export type PolicyAction = z.infer<typeof PolicyAction>;

/** A rule in one word: such calls wait for a person. */
export const ShortRule = z
  .string()
  .max(512)
  .regex(
    /^(destructive|write|read|unannotated|[A-Za-z0-9_.*-]{1,64}:[^\u0000-\u001f\u007f-\u009f]+)$/,
    'must be "destructive", "write", "read", "unannotated", "server:NAME" or "SERVER:TOOL" ("*" matches any characters)',
  );

export const PolicyMatch = z.strictObject({
  operation: z
    .union([OperationType, z.array(OperationType).min(1)])
    .optional()
    .describe('exactly this operation, or one of these'),
  server: Pattern.optional().describe('"*" matches any characters'),
  tool: Pattern.optional().describe('the name without its server; "*" matches any characters'),
  unannotated: z
    .boolean()
    .optional()
    .describe('true: only tools of which neither server nor operator says what they do'),
  contains: z
    .literal('secret')
    .optional()
    .describe('only calls whose arguments hold a secret that the log would mask'),
  client: Pattern.optional().describe(
    'the credential of the caller: operator, anonymous or token:NAME; never what a program calls itself',
  ),
});
export type PolicyMatch = z.infer<typeof PolicyMatch>;

/** Everything that `match` names must hold; the first rule that matches decides, and without one the call is allowed. */
export const PolicyRule = z.union([
  ShortRule,
  z.strictObject({ match: PolicyMatch, action: PolicyAction, reason: z.string().max(500).optional() }),
  z.strictObject({
    contains: z.literal('secret'),
    action: PolicyAction.optional(),
    reason: z.string().max(500).optional(),
  }),
]);
export type PolicyRule = z.infer<typeof PolicyRule>;

export const PolicyRules = z.array(PolicyRule).max(500);
export type PolicyRules = z.infer<typeof PolicyRules>;

const Ttl = durationWithin('1s', '30d');
const ttlOf = (operation: OperationType) =>
  Ttl.optional().meta({ description: `approvals.ttl of ${operation} calls`, examples: ['1h'] });

export const ApprovalsConfig = z.strictObject({
  require: PolicyRules.default([]).meta({
    description:
      'calls that wait for a person: "destructive", "write" (and destructive), "read" (all), "unannotated", "server:NAME", "SERVER:TOOL", {contains: "secret"}, or {match, action}',
    examples: [['destructive', { match: { server: 'billing', operation: 'write' }, action: 'ask' }]],
  }),
  ttl: Ttl.default('5m').meta({
    description: 'how long a call waits for a decision, and how long an approval may be used',
    examples: ['15m'],
  }),
  ttl_by_operation: z
    .strictObject({ read: ttlOf('read'), write: ttlOf('write'), destructive: ttlOf('destructive') })
    .prefault({})
    .describe('the same for one kind of operation'),
  wait: durationWithin('0s', '10m')
    .default('25s')
    .meta({
      description: 'how long a request stays open before the caller gets the answer that the call is pending',
      examples: ['5s'],
    }),
  wait_by_client: z
    .record(Pattern, durationWithin('0s', '10m'))
    .default({})
    .meta({
      description:
        'approvals.wait of one client program, by the name that it gives itself ("*" matches any characters); the first that matches counts',
      examples: [{ 'my-agent': '4s' }],
    }),
  in_client: z
    .boolean()
    .default(false)
    .meta({
      description: 'true: the person at the client program may decide, in a dialog of that program',
      examples: [true],
    }),
  max_pending_per_caller: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(100)
    .meta({
      description: 'pending approval requests of one caller; further calls are refused with APPROVAL_LIMIT',
      examples: [20],
    }),
  notify: z
    .array(z.string().max(4096))
    .min(1)
    .max(64)
    .optional()
    .meta({
      description:
        'program and arguments to run when a call starts to wait; it gets the call as JSON on stdin',
      examples: [['/usr/local/bin/notify-approval', '--urgent']],
    }),
});
export type ApprovalsConfig = z.infer<typeof ApprovalsConfig>;

export const GrantTerms = z.strictObject({
  for: durationWithin('1s', '30d').describe('how long, from now'),
  max_calls: z.number().int().min(1).max(1_000_000).optional().describe('absent: any number'),
});
export type GrantTerms = z.infer<typeof GrantTerms>;
