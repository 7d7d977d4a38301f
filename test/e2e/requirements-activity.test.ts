import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import type { ErrorBody } from '../../src/contract/error-body.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { OperationType, ToolVariant, type ToolVariant as Variant } from '../../src/contract/operation.ts';
import { attempt, attemptAll, openStage, plainRow, type Attempt, type Stage } from './stage.ts';

let stage: Stage;
let attempts: Attempt[];
const FULL = { data_sensitivity: 'private', reason: 'Creating user record' };

beforeAll(async () => {
  stage = await openStage();
  // Of each operation one that runs, with a full intent, and one that is refused.
  attempts = await attemptAll(
    stage,
    OperationType.options.flatMap((operation) => [
      {
        client: '2026-07-28',
        variant: `call_tool_${operation}` as const,
        input: (mark: string) => ({
          name: 'up:unannotated',
          args: { text: mark },
          intent: { operation_type: operation, ...FULL },
        }),
      },
      { ...plainRow('2025 (legacy)', operation, 'unannotated'), variant: 'call_tool_write' },
    ]),
  );
});
afterAll(() => stage.dispose());

const get = async (path: string): Promise<{ status: number; body: unknown }> => {
  const { url, key } = stage.proxy;
  const response = await fetch(`${url}/api/v1${path}`, { headers: { 'x-api-key': key } });
  return { status: response.status, body: await response.json() };
};
const listed = async (query: string) =>
  (await get(`/activity?${query}`)).body as { records: ActivityRecord[]; total: number };
const ran = (operation: OperationType) => attempts[2 * OperationType.options.indexOf(operation)]!;

describe('what is stored of an intent', () => {
  test('FR-031: the whole intent, and only the fields that were given', async () => {
    for (const operation of OperationType.options)
      expect(ran(operation).records.map(({ metadata }) => metadata.intent)).toEqual([
        { operation_type: operation, ...FULL },
      ]);
    const bare = await attempt(stage, plainRow('SDK 1.x', 'read', 'read_only'));
    expect(bare.records.map(({ metadata }) => metadata.intent)).toEqual([{ operation_type: 'read' }]);
  });

  test('FR-032: the variant that was used, also of a refused call', () => {
    for (const { records, variant } of attempts)
      expect(records.map(({ metadata }) => metadata.tool_variant)).toEqual([variant]);
    expect(new Set(attempts.map(({ variant }) => variant))).toEqual(new Set<Variant>(ToolVariant.options));
  });

  test('FR-033: records are found by operation_type, those of refused calls too', async () => {
    for (const operation of OperationType.options) {
      const { records, total } = await listed(`intent_type=${operation}&tool=up:unannotated&limit=100`);
      // A tool without hints counts as one that writes, so each of these calls is a write by its verdict.
      const mine = attempts
        .flatMap((made) => made.records)
        .filter((record) => operation === 'write' || record.operation_type === operation);
      expect(records.map(({ id }) => id).sort()).toEqual(mine.map(({ id }) => id).sort());
      expect(total).toBe(mine.length);
      expect(new Set(records.map(({ status }) => status))).toEqual(new Set(['success', 'refused']));
    }
  });
});

describe('what REST says of it', () => {
  test('FR-038: a listed record carries its intent and operation_type; so does the record alone', async () => {
    const { id } = ran('destructive').records[0]!;
    const { records } = await listed('limit=100');
    const record = records.find((entry) => entry.id === id);
    expect(record).toMatchObject({
      operation_type: 'destructive',
      metadata: {
        intent: { operation_type: 'destructive', ...FULL },
        tool_variant: 'call_tool_destructive',
      },
    });
    expect((await get(`/activity/${id}`)).body).toEqual(record);
  });

  test('FR-039: intent_type filters; with other filters it narrows; a bad value is refused', async () => {
    const { records } = await listed('intent_type=read&limit=100');
    expect(records.length).toBeGreaterThan(0);
    expect(records.every(({ operation_type }) => operation_type === 'read')).toBe(true);
    const narrow = await listed('intent_type=destructive&status=refused&limit=100');
    expect(narrow.records.map(({ error_code }) => error_code)).toEqual(['INTENT_MISMATCH']);
    const bad = await get('/activity?intent_type=delete');
    expect(bad.status).toBe(400);
    expect((bad.body as ErrorBody).error.message).toMatch(/intent_type.*read, write, destructive/);
  });

  test('FR-040: every refusal of a call over REST has its status, code, sentence and details', async () => {
    const { url, key } = stage.proxy;
    const call = async (body: object) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const response = await fetch(`${url}/api/v1/tools/call`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ name: 'up:destructive', args: { text: 'by REST' }, ...body }),
      });
      return { status: response.status, body: (await response.json()) as ErrorBody };
    };
    const read = { tool_variant: 'call_tool_read' };
    const intent = { operation_type: 'read' };
    const rows: Array<[object, keyof typeof ERRORS, string]> = [
      [read, 'MISSING_INTENT', 'intent parameter is required for call_tool_read'],
      [{ ...read, intent: {} }, 'MISSING_OPERATION_TYPE', 'intent.operation_type is required'],
      [
        { ...read, intent: { operation_type: 'x' } },
        'INVALID_OPERATION_TYPE',
        "Invalid intent.operation_type 'x': must be read, write, or destructive",
      ],
      [
        { ...read, intent: { operation_type: 'write' } },
        'INTENT_MISMATCH',
        'Intent mismatch: tool is call_tool_read but intent declares write',
      ],
      [
        { ...read, intent: { ...intent, data_sensitivity: 'secret' } },
        'INVALID_SENSITIVITY',
        "Invalid intent.data_sensitivity 'secret': must be public, internal, private, or unknown",
      ],
      [
        { ...read, intent: { ...intent, reason: 'x'.repeat(1001) } },
        'REASON_TOO_LONG',
        'intent.reason exceeds maximum length of 1000 characters',
      ],
      [
        { ...read, intent },
        'SERVER_MISMATCH',
        "Tool 'up:destructive' is marked destructive by server, use call_tool_destructive",
      ],
    ];
    for (const [body, code, message] of rows) {
      const answer = await call(body);
      expect([code, answer.status]).toEqual([code, ERRORS[code].status]);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.body.error).toEqual({
        code,
        message,
        details: expect.any(Object),
        request_id: expect.stringMatching(/^\w{26}$/),
      });
      const { records } = await listed(`request_id=${answer.body.error.request_id}`);
      expect(records).toMatchObject([{ source: 'api', status: 'refused', error_code: code }]);
    }
    expect(stage.executions().filter(({ args }) => args.text === 'by REST')).toEqual([]);
    const bad = await call({ tool_variant: 'call_tool', intent });
    expect(bad.status).toBe(400);
    expect(bad.body.error.message).toContain('call_tool_read, call_tool_write, call_tool_destructive');
  });
});
