import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperationType, variantFor } from '../../src/contract/operation.ts';
import { expectAllowed, expectRefused, loggedWarnings } from './expect-attempt.ts';
import { CLIENTS } from './mcp-clients.ts';
import { attemptAll, openStage, plainRow, type Attempt, type Row, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.dispose());

/** The same call by every client. */
const byAll = (operation: OperationType, tool: string, intent: Record<string, unknown>): Promise<Attempt[]> =>
  attemptAll(
    stage,
    CLIENTS.map((client): Row => ({
      client,
      variant: variantFor(operation),
      input: (mark) => ({ name: `up:${tool}`, args: { text: mark }, ...intent }),
    })),
  );
const declared = (operation: unknown, more: object = {}) => ({
  intent: { operation_type: operation, ...more },
});
const plain = (operation: OperationType, tool: string) => byAll(operation, tool, declared(operation));
const MARKED = (tool: string) => ({
  code: 'SERVER_MISMATCH',
  message: `Tool 'up:${tool}' is marked destructive by server, use call_tool_destructive`,
});

describe('the intent parameter', () => {
  test('FR-006: no variant runs without an intent', async () => {
    for (const operation of OperationType.options)
      for (const attempt of await byAll(operation, 'unannotated', {}))
        expectRefused(attempt, {
          code: 'MISSING_INTENT',
          message: `intent parameter is required for call_tool_${operation}`,
        });
  });

  test('FR-007: operation_type is read, write or destructive and nothing else', async () => {
    for (const operation of OperationType.options) {
      for (const attempt of await plain(operation, 'unannotated')) expectAllowed(attempt);
      for (const attempt of await byAll(operation, 'unannotated', declared('unknown')))
        expectRefused(attempt, {
          code: 'INVALID_OPERATION_TYPE',
          message: "Invalid intent.operation_type 'unknown': must be read, write, or destructive",
        });
    }
  });

  test('FR-008, FR-011: an operation_type that is not the variant’s is refused, whatever the tool', async () => {
    for (const tool of ['read_only', 'destructive', 'unannotated'])
      for (const operation of OperationType.options)
        for (const other of OperationType.options.filter((option) => option !== operation))
          for (const attempt of await byAll(operation, tool, declared(other)))
            expectRefused(attempt, {
              code: 'INTENT_MISMATCH',
              message: `Intent mismatch: tool is call_tool_${operation} but intent declares ${other}`,
            });
  });

  test('FR-009: data_sensitivity is optional and one of four', async () => {
    for (const level of ['public', 'internal', 'private', 'unknown'])
      for (const attempt of await byAll(
        'write',
        'unannotated',
        declared('write', { data_sensitivity: level }),
      ))
        expect(expectAllowed(attempt).metadata.intent).toEqual({
          operation_type: 'write',
          data_sensitivity: level,
        });
    for (const attempt of await byAll(
      'write',
      'unannotated',
      declared('write', { data_sensitivity: 'secret' }),
    ))
      expectRefused(attempt, {
        code: 'INVALID_SENSITIVITY',
        message: "Invalid intent.data_sensitivity 'secret': must be public, internal, private, or unknown",
      });
  });

  test('FR-010: reason is optional and has at most 1000 characters', async () => {
    const reason = '✓'.repeat(1000);
    for (const attempt of await byAll('read', 'read_only', declared('read', { reason })))
      expect(expectAllowed(attempt).metadata.intent?.reason).toBe(reason);
    for (const attempt of await byAll('read', 'read_only', declared('read', { reason: `${reason}x` })))
      expectRefused(attempt, {
        code: 'REASON_TOO_LONG',
        message: 'intent.reason exceeds maximum length of 1000 characters',
      });
  });
});

describe('two keys', () => {
  test('FR-012: a call without intent is refused', async () => {
    for (const attempt of await byAll('read', 'read_only', {}))
      expectRefused(attempt, {
        code: 'MISSING_INTENT',
        message: 'intent parameter is required for call_tool_read',
      });
  });

  test('FR-013: an intent without operation_type is refused', async () => {
    for (const intent of [{ intent: {} }, { intent: { reason: 'why' } }, { intent_reason: 'why' }])
      for (const attempt of await byAll('read', 'read_only', intent))
        expectRefused(attempt, {
          code: 'MISSING_OPERATION_TYPE',
          message: 'intent.operation_type is required',
        });
  });

  test('FR-014: the complaint names the variant and what was declared, in words and in data', async () => {
    for (const attempt of await byAll('destructive', 'destructive', declared('read')))
      expectRefused(attempt, {
        code: 'INTENT_MISMATCH',
        message: 'Intent mismatch: tool is call_tool_destructive but intent declares read',
        details: { tool_variant: 'call_tool_destructive', expected: 'destructive', declared: 'read' },
      });
  });
});

describe('the hints of the server', () => {
  test('FR-015, FR-017: call_tool_read on a tool that is marked destructive is refused', async () => {
    for (const tool of ['destructive', 'writer_destructive', 'read_only_and_destructive'])
      for (const attempt of await plain('read', tool)) expectRefused(attempt, MARKED(tool));
    for (const attempt of await plain('read', 'read_only')) expectAllowed(attempt);
  });

  test('FR-016, FR-018: call_tool_write on a tool that is marked destructive is refused', async () => {
    for (const tool of ['destructive', 'writer_destructive', 'read_only_and_destructive'])
      for (const attempt of await plain('write', tool)) expectRefused(attempt, MARKED(tool));
    for (const attempt of await plain('write', 'writer_not_destructive')) expectAllowed(attempt);
  });

  test('FR-019: call_tool_destructive is allowed on every tool', async () => {
    const tools = ['read_only', 'not_read_only', 'destructive', 'read_only_and_destructive', 'unannotated'];
    for (const tool of tools) for (const attempt of await plain('destructive', tool)) expectAllowed(attempt);
  });

  test('FR-020: a tool without hints is allowed on every variant', async () => {
    for (const tool of ['unannotated', 'only_title', 'delete_everything'])
      for (const operation of OperationType.options)
        for (const attempt of await plain(operation, tool)) expectAllowed(attempt);
  });
});

describe('strictness by configuration', () => {
  test('FR-041: strict_server_validation is on unless the file says otherwise, and can be switched while running', async () => {
    const strict = async () =>
      (await stage.proxy.rest.request('status', {})).intent_declaration.strict_server_validation;
    expect(await strict()).toBe(true);
    for (const attempt of await plain('read', 'destructive')) expectRefused(attempt, MARKED('destructive'));
    await stage.setIntent({ strict_server_validation: false });
    expect(await strict()).toBe(false);
  });

  test('FR-042: where it is off, a mismatch with the hints is allowed, recorded and logged as a warning', async () => {
    const rows = [
      plainRow('2026-07-28', 'read', 'destructive'),
      plainRow('2025 (legacy)', 'write', 'destructive'),
      plainRow('SDK 1.x', 'read', 'not_read_only'),
    ];
    const warnings = [
      MARKED('destructive').message,
      MARKED('destructive').message,
      "Tool 'up:not_read_only' is marked as not read-only by server, use call_tool_write",
    ];
    for (const [index, attempt] of (await attemptAll(stage, rows)).entries()) {
      const { id } = expectAllowed(attempt, [warnings[index]!]);
      expect(await loggedWarnings(stage, id)).toEqual([warnings[index]]);
    }
    // The two keys are not a matter of hints.
    for (const attempt of await byAll('read', 'destructive', declared('destructive')))
      expectRefused(attempt, {
        code: 'INTENT_MISMATCH',
        message: 'Intent mismatch: tool is call_tool_read but intent declares destructive',
      });
  });
});
