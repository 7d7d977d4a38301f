import { z } from 'zod';
import { durationWithin } from './duration.ts';
import { OperationType } from './operation.ts';

/** `*` stands for any number of characters; everything else for itself. */
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
    'must be "destructive", "write", "read", "unannotated", "server:NAME" or "SERVER:TOOL" ("*" stands for any characters)',
  );

export const PolicyMatch = z.strictObject({
  operation: z
    .union([OperationType, z.array(OperationType).min(1)])
    .optional()
    .describe('exactly this operation, or one of these'),
  server: Pattern.optional().describe('"*" stands for any characters'),
  tool: Pattern.optional().describe('the name without its server; "*" stands for any characters'),
  unannotated: z
    .boolean()
    .optional()
    .describe('true: only tools of which neither server nor operator says what they do'),
  client: Pattern.optional().describe(
    'the credential of the caller: operator, anonymous or token:NAME; never what a program calls itself',
  ),
});
export type PolicyMatch = z.infer<typeof PolicyMatch>;

/** Everything that `match` names must hold; the first rule that matches decides, and without one the call is allowed. */
export const PolicyRule = z.union([
  ShortRule,
  z.strictObject({ match: PolicyMatch, action: PolicyAction, reason: z.string().max(500).optional() }),
]);
export type PolicyRule = z.infer<typeof PolicyRule>;

export const PolicyRules = z.array(PolicyRule).max(500);
export type PolicyRules = z.infer<typeof PolicyRules>;

const Ttl = durationWithin('1s', '30d');

export const ApprovalsConfig = z.strictObject({
  require: PolicyRules.default([]).describe(
    'which calls wait for a person: "destructive", "write" (and destructive), "read" (all), "unannotated", "server:NAME", "SERVER:TOOL", or {match, action}',
  ),
  ttl: Ttl.default('5m').describe(
    'how long a call waits for a decision, and how long an approval may be used',
  ),
  ttl_by_operation: z
    .strictObject({ read: Ttl.optional(), write: Ttl.optional(), destructive: Ttl.optional() })
    .prefault({})
    .describe('the same for one kind of operation'),
  wait: durationWithin('0s', '10m')
    .default('25s')
    .describe('how long a request is kept open before the caller is told that the call waits'),
  in_client: z
    .boolean()
    .default(false)
    .describe('true: the person at the client program may decide, in a dialog of that program'),
  max_pending_per_caller: z.number().int().min(1).max(10_000).default(100),
  notify: z
    .array(z.string().max(4096))
    .min(1)
    .max(64)
    .optional()
    .describe('program and arguments to run when a call begins to wait; it gets the call as JSON on stdin'),
});
export type ApprovalsConfig = z.infer<typeof ApprovalsConfig>;

export const GrantTerms = z.strictObject({
  for: durationWithin('1s', '30d').describe('how long, from now'),
  max_calls: z.number().int().min(1).max(1_000_000).optional().describe('absent: any number'),
});
export type GrantTerms = z.infer<typeof GrantTerms>;
