import { describe, expect, test } from 'vitest';
import { decideVerdict } from '../../catalog/verdict/verdict.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { UnannotatedMode } from '../../contract/config.ts';
import type { OperationType } from '../../contract/operation.ts';
import { checkHints } from './server-hints.ts';

const inferred = { operation: 'destructive', reason: 'its name says delete' } as const;

function outcome(
  operation: OperationType,
  hints: Record<string, unknown> | undefined,
  options: { strict?: boolean; mode?: UnannotatedMode } = {},
) {
  const { constraint } = decideVerdict({ hints, inferred, mode: options.mode ?? 'trust' });
  try {
    return checkHints({ name: 'srv:t', constraint }, operation, options.strict ?? true) ?? 'allow';
  } catch (error) {
    if (error instanceof ProxyError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const DESTRUCTIVE =
  "SERVER_MISMATCH: Tool 'srv:t' is marked destructive by server, use call_tool_destructive";
const NOT_READ_ONLY =
  "SERVER_MISMATCH: Tool 'srv:t' is marked as not read-only by server, use call_tool_write";

describe('variant against hints, strict', () => {
  test.each<[OperationType, Record<string, unknown> | undefined, string | RegExp]>([
    ['read', { readOnlyHint: true }, 'allow'],
    ['read', { destructiveHint: true }, DESTRUCTIVE],
    ['read', undefined, 'allow'],
    ['read', {}, 'allow'],
    ['read', { readOnlyHint: false }, NOT_READ_ONLY],
    ['read', { readOnlyHint: true, destructiveHint: true }, DESTRUCTIVE],
    ['read', { destructiveHint: false }, 'allow'],
    ['read', { destructiveHint: 'true' }, DESTRUCTIVE],
    ['read', { readOnlyHint: 'true' }, 'allow'],
    ['write', { readOnlyHint: true }, /read-only by server; call_tool_write is more cautious/],
    ['write', { destructiveHint: true }, DESTRUCTIVE],
    ['write', { readOnlyHint: false }, 'allow'],
    ['write', undefined, 'allow'],
    ['destructive', { readOnlyHint: true }, 'allow'],
    ['destructive', { destructiveHint: true }, 'allow'],
    ['destructive', undefined, 'allow'],
  ])('%s on %j', (operation, hints, expected) => {
    const got = outcome(operation, hints);
    if (typeof expected === 'string') expect(got).toBe(expected);
    else expect(got).toMatch(expected);
  });
});

describe('non-strict: every mismatch of hints is a warning', () => {
  test.each<[OperationType, Record<string, unknown>]>([
    ['read', { destructiveHint: true }],
    ['write', { destructiveHint: true }],
    ['read', { readOnlyHint: false }],
  ])('%s on %j', (operation, hints) => {
    expect(outcome(operation, hints, { strict: false })).toBe(
      outcome(operation, hints).replace('SERVER_MISMATCH: ', ''),
    );
  });
});

describe('tools without hints', () => {
  test('infer: the inferred operation is enforced', () => {
    expect(outcome('read', undefined, { mode: 'infer' })).toMatch(
      /marked destructive by inference.*use call_tool_destructive/,
    );
    expect(outcome('destructive', undefined, { mode: 'infer' })).toBe('allow');
  });
  test('strict: destructive until somebody says otherwise', () => {
    expect(outcome('read', undefined, { mode: 'strict' })).toMatch(/^SERVER_MISMATCH/);
    expect(outcome('write', undefined, { mode: 'strict' })).toMatch(/^SERVER_MISMATCH/);
    expect(outcome('destructive', undefined, { mode: 'strict' })).toBe('allow');
    expect(outcome('read', { readOnlyHint: true }, { mode: 'strict' })).toBe('allow');
  });
});

describe("the operator's verdict", () => {
  const held = (operation: OperationType, hints?: Record<string, unknown>) =>
    decideVerdict({ hints, inferred, operator: { operation, reason: 'set by operator' }, mode: 'trust' })
      .constraint;
  test('beats the hint, in both directions', () => {
    expect(
      checkHints({ name: 'srv:t', constraint: held('read', { destructiveHint: true }) }, 'read', true),
    ).toBeUndefined();
    expect(() =>
      checkHints({ name: 'srv:t', constraint: held('write', { readOnlyHint: true }) }, 'read', true),
    ).toThrow(/by the operator/);
  });
  test('is not relaxed by non-strict mode', () => {
    expect(() => checkHints({ name: 'srv:t', constraint: held('destructive') }, 'read', false)).toThrow(
      ProxyError,
    );
  });
});
