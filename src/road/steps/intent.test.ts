import { describe, expect, test } from 'vitest';
import { ProxyError } from '../../contract/errors.ts';
import { operationOf, type ToolVariant } from '../../contract/operation.ts';
import { declaredIntent, unknownIntentWarning } from '../read-intent.ts';
import { checkIntent } from './intent.ts';

function outcome(
  variant: ToolVariant,
  input: Record<string, unknown>,
  mode: 'required' | 'inferred' = 'required',
) {
  try {
    return checkIntent(operationOf(variant), input, mode);
  } catch (error) {
    if (error instanceof ProxyError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const nested = (fields: Record<string, unknown>) => ({ intent: fields });
const flat = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [`intent_${key}`, value]));

describe.each([
  ['nested', nested],
  ['flat', flat],
])('%s intent', (_, shape) => {
  test.each([
    ['call_tool_read', 'read'],
    ['call_tool_write', 'write'],
    ['call_tool_destructive', 'destructive'],
  ] as const)('%s with %s passes', (variant, operation) => {
    expect(outcome(variant, shape({ operation_type: operation }))).toEqual({ operation_type: operation });
  });

  test.each([
    ['call_tool_read', 'write'],
    ['call_tool_read', 'destructive'],
    ['call_tool_write', 'read'],
    ['call_tool_write', 'destructive'],
    ['call_tool_destructive', 'read'],
    ['call_tool_destructive', 'write'],
  ] as const)('%s with %s is a mismatch in both modes', (variant, declared) => {
    const says = `INTENT_MISMATCH: Intent mismatch: tool is ${variant} but intent declares ${declared}`;
    expect(outcome(variant, shape({ operation_type: declared }))).toBe(says);
    expect(outcome(variant, shape({ operation_type: declared }), 'inferred')).toBe(says);
  });

  test('an intent without operation_type', () => {
    expect(outcome('call_tool_read', shape({ reason: 'look' }))).toBe(
      'MISSING_OPERATION_TYPE: intent.operation_type is required',
    );
    expect(outcome('call_tool_read', shape({ reason: 'look' }), 'inferred')).toEqual({
      operation_type: 'read',
      reason: 'look',
    });
  });

  test.each(['unknown', 'READ', 7, true])('operation_type %j is invalid', (value) => {
    expect(outcome('call_tool_read', shape({ operation_type: value }))).toBe(
      `INVALID_OPERATION_TYPE: Invalid intent.operation_type '${value}': must be read, write, or destructive`,
    );
  });

  test('data_sensitivity', () => {
    for (const level of ['public', 'internal', 'private', 'unknown']) {
      expect(outcome('call_tool_read', shape({ operation_type: 'read', data_sensitivity: level }))).toEqual({
        operation_type: 'read',
        data_sensitivity: level,
      });
    }
    expect(outcome('call_tool_read', shape({ operation_type: 'read', data_sensitivity: 'secret' }))).toBe(
      "INVALID_SENSITIVITY: Invalid intent.data_sensitivity 'secret': must be public, internal, private, or unknown",
    );
  });

  test('reason is counted in code points', () => {
    const emoji = '🙂'.repeat(1000);
    expect(outcome('call_tool_read', shape({ operation_type: 'read', reason: emoji }))).toEqual({
      operation_type: 'read',
      reason: emoji,
    });
    for (const reason of [`${emoji}x`, 'x'.repeat(1001), 'x'.repeat(10_000_000)]) {
      expect(outcome('call_tool_read', shape({ operation_type: 'read', reason }))).toBe(
        'REASON_TOO_LONG: intent.reason exceeds maximum length of 1000 characters',
      );
    }
    expect(outcome('call_tool_read', shape({ operation_type: 'read', reason: 5 }))).toBe(
      'INVALID_ARGUMENTS: intent.reason must be text',
    );
  });
});

describe('no intent at all', () => {
  test.each(['call_tool_read', 'call_tool_write', 'call_tool_destructive'] as const)('%s', (variant) => {
    for (const input of [{}, { intent: null }, { intent_operation_type: '' }]) {
      expect(outcome(variant, input)).toBe(`MISSING_INTENT: intent parameter is required for ${variant}`);
    }
    expect(outcome(variant, {}, 'inferred')).toEqual({ operation_type: variant.slice('call_tool_'.length) });
  });
});

describe('both shapes', () => {
  test('the same value in both is fine, fields may be split between them', () => {
    expect(
      outcome('call_tool_write', {
        ...nested({ operation_type: 'write' }),
        ...flat({ operation_type: 'write', reason: 'r' }),
      }),
    ).toEqual({
      operation_type: 'write',
      reason: 'r',
    });
  });

  test.each(['operation_type', 'data_sensitivity', 'reason'])('different %s is a conflict', (field) => {
    const base = { operation_type: 'read', data_sensitivity: 'public', reason: 'a' };
    const input = { ...nested(base), ...flat({ ...base, [field]: 'other' }) };
    expect(outcome('call_tool_read', input)).toMatch(
      new RegExp(`^INTENT_CONFLICT: intent.${field} and intent_${field} differ`),
    );
  });

  test('an intent that is no object', () => {
    expect(outcome('call_tool_read', { intent: 'read' })).toMatch(
      /^INVALID_ARGUMENTS: intent must be an object/,
    );
    expect(outcome('call_tool_read', { intent: ['read'] })).toMatch(/^INVALID_ARGUMENTS/);
  });
});

describe('the names of fields', () => {
  test('of the flat parameters are understood within the object too', () => {
    const input = { intent: { intent_data_sensitivity: 'private', intent_reason: 'tidy up' } };
    expect(checkIntent('write', input, 'inferred')).toEqual({
      operation_type: 'write',
      data_sensitivity: 'private',
      reason: 'tidy up',
    });
    expect(declaredIntent(input)).toEqual({ data_sensitivity: 'private', reason: 'tidy up' });
    expect(unknownIntentWarning(input)).toBeUndefined();
    expect(
      outcome('call_tool_read', { intent: { operation_type: 'read', intent_operation_type: 'write' } }),
    ).toMatch(/^INTENT_CONFLICT/);
  });

  test('that are unknown are named in a warning, and only a few of them', () => {
    const intent = { operation_type: 'read', purpose: 'x' };
    expect(unknownIntentWarning({ name: 'a:b', intent, intent_goal: 1, intent_reason: 'r' })).toBe(
      'Ignored: "intent_goal", "intent.purpose". An intent has operation_type, data_sensitivity and reason only',
    );
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`intent_${n}\u001b`, n]));
    const warning = unknownIntentWarning(many)!;
    expect(warning).toContain('and 4 more');
    expect(warning).not.toContain('\u001b');
  });
});

describe('what a refused call is recorded with', () => {
  test('well-formed fields only', () => {
    expect(
      declaredIntent({ intent: { operation_type: 'write', data_sensitivity: 'secret', reason: 'because' } }),
    ).toEqual({
      operation_type: 'write',
      reason: 'because',
    });
    expect(declaredIntent({ intent_operation_type: 'nonsense' })).toBeUndefined();
    expect(declaredIntent('text')).toBeUndefined();
    expect([...declaredIntent({ intent_reason: '🙂'.repeat(5000) })!.reason!]).toHaveLength(1000);
  });
});
