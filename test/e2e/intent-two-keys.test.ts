import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperationType, variantFor } from '../../src/contract/operation.ts';
import { expectAllowed, expectRefused, type Refusal } from './expect-attempt.ts';
import { CLIENTS } from './mcp-clients.ts';
import { attemptAll, openStage, type Attempt, type Row, type Stage } from './stage.ts';

const ABSENT = Symbol('absent');
type Declared = string | number | boolean | null | object | typeof ABSENT;

/** How a declared operation can travel. `both` says the same twice, `split` puts the reason into the other shape. */
const SHAPES = {
  nested: (fields: Fields) => ({ intent: fields }),
  flat: (fields: Fields) => flat(fields),
  both: (fields: Fields) => ({ intent: fields, ...flat(fields) }),
  'nested operation, flat reason': ({ reason, ...rest }: Fields) => ({ intent: rest, ...flat({ reason }) }),
  'flat operation, nested reason': ({ reason, ...rest }: Fields) => ({ ...flat(rest), intent: { reason } }),
};
type Fields = Record<string, unknown>;
const flat = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [`intent_${key}`, value]));

/** What a declared operation other than the right one gets. */
function complaint(variant: string, declared: Declared): Refusal {
  const expected = variant.slice('call_tool_'.length);
  const about = { tool_variant: variant, expected };
  if (declared === ABSENT || declared === null || declared === '')
    return { code: 'MISSING_OPERATION_TYPE', message: 'intent.operation_type is required', details: about };
  const other = OperationType.safeParse(declared).data;
  if (other)
    return {
      code: 'INTENT_MISMATCH',
      message: `Intent mismatch: tool is ${variant} but intent declares ${other}`,
      details: { ...about, declared: other },
    };
  const shown = typeof declared === 'string' ? declared : JSON.stringify(declared);
  return {
    code: 'INVALID_OPERATION_TYPE',
    message: `Invalid intent.operation_type '${shown}': must be read, write, or destructive`,
    details: about,
  };
}

const DECLARED: Declared[] = [
  ...OperationType.options,
  ABSENT,
  null,
  '',
  'unknown',
  'READ',
  'read ',
  'delete',
  7,
  true,
  ['read'],
];

/** Two equal lists are still two values: whether they agree is not worth a rule, as neither is an operation. */
const shapesFor = (declared: Declared) =>
  Object.entries(SHAPES).filter(([shape]) => shape !== 'both' || !Array.isArray(declared));

interface TableRow {
  operation: OperationType;
  declared: Declared;
  title: string;
  row: Row;
}

// Every variant, declaration and shape; the tool has no hints, so that nothing but the two keys can say no.
const ROWS: TableRow[] = OperationType.options.flatMap((operation) =>
  DECLARED.flatMap((declared) =>
    shapesFor(declared).map(([shape, write], index) => ({
      operation,
      declared,
      title: `${variantFor(operation)}, ${shape}, operation_type ${declared === ABSENT ? 'absent' : JSON.stringify(declared)}`,
      row: {
        client: CLIENTS[index % CLIENTS.length]!,
        variant: variantFor(operation),
        input: (mark) => ({
          name: 'up:unannotated',
          args: { text: mark },
          ...write({ reason: 'because', ...(declared !== ABSENT && { operation_type: declared }) }),
        }),
      },
    })),
  ),
);

describe.each(['required', 'inferred'] as const)('operation_type: %s', (mode) => {
  let stage: Stage;
  let attempts: Attempt[];

  beforeAll(async () => {
    stage = await openStage({ intent: { operation_type: mode } });
    attempts = await attemptAll(
      stage,
      ROWS.map(({ row }) => row),
    );
  });
  afterAll(() => stage.dispose());

  test.each(ROWS.map((row, index) => [row.title, index, row] as const))(
    '%s',
    (_, index, { operation, declared }) => {
      const attempt = attempts[index]!;
      const unsaid = declared === ABSENT || declared === null || declared === '';
      if (declared === operation || (unsaid && mode === 'inferred')) {
        const { metadata } = expectAllowed(attempt);
        expect(metadata.intent).toEqual({ operation_type: operation, reason: 'because' });
        return;
      }
      const record = expectRefused(attempt, complaint(variantFor(operation), declared));
      // Whatever was well formed is kept, and the attempt is found by what it declared.
      const said = OperationType.safeParse(declared).data;
      expect(record.metadata.intent).toEqual({ reason: 'because', ...(said && { operation_type: said }) });
      expect(record.operation_type).toBe(said ?? operation);
    },
  );

  describe('no intent at all', () => {
    const absent = [
      {},
      { intent: null },
      { intent: undefined },
      { intent_operation_type: '', intent_reason: '' },
    ];
    test.each(OperationType.options)('call_tool_%s', async (operation) => {
      const variant = variantFor(operation);
      const rows = absent.map((intent, index): Row => ({
        client: CLIENTS[index % CLIENTS.length]!,
        variant,
        input: (mark) => ({ name: 'up:unannotated', args: { text: mark }, ...intent }),
      }));
      for (const attempt of await attemptAll(stage, rows)) {
        if (mode === 'inferred') {
          expect(expectAllowed(attempt).metadata.intent).toEqual({ operation_type: operation });
        } else {
          const record = expectRefused(attempt, {
            code: 'MISSING_INTENT',
            message: `intent parameter is required for ${variant}`,
            details: { tool_variant: variant, expected: operation },
          });
          expect(record.operation_type).toBe(operation);
          expect(record.metadata).not.toHaveProperty('intent');
        }
      }
    });

    test('an empty intent object is an intent without its operation', async () => {
      const [attempt] = await attemptAll(stage, [
        {
          client: '2026-07-28',
          variant: 'call_tool_read',
          input: (mark) => ({ name: 'up:unannotated', args: { text: mark }, intent: {} }),
        },
      ]);
      if (mode === 'inferred') expectAllowed(attempt!);
      else expectRefused(attempt!, complaint('call_tool_read', ABSENT));
    });
  });

  describe('both shapes in conflict', () => {
    const base = { operation_type: 'write', data_sensitivity: 'public', reason: 'a' };
    const conflicts = [
      ['operation_type', 'read'],
      ['operation_type', 'destructive'],
      ['data_sensitivity', 'private'],
      ['reason', 'b'],
    ] as const;
    test.each(conflicts)('%s against %s', async (field, other) => {
      const sides = [
        { intent: base, ...flat({ ...base, [field]: other }) },
        { intent: { ...base, [field]: other }, ...flat(base) },
      ];
      const rows = CLIENTS.flatMap((client) =>
        sides.map((intent): Row => ({
          client,
          variant: 'call_tool_write',
          input: (mark) => ({ name: 'up:unannotated', args: { text: mark }, ...intent }),
        })),
      );
      for (const attempt of await attemptAll(stage, rows)) {
        expectRefused(attempt, {
          code: 'INTENT_CONFLICT',
          message: `intent.${field} and intent_${field} differ; give one of them, or the same value in both`,
          details: { field },
        });
      }
    });
  });
});
