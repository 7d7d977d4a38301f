import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperationType, type ToolVariant } from '../../src/contract/operation.ts';
import { expectAllowed, expectRefused, loggedWarnings } from './expect-attempt.ts';
import type { ClientKind } from './mcp-clients.ts';
import { attemptAll, openStage, plainRow, type Attempt, type Row, type Stage } from './stage.ts';

// What a call through call_tool_read and call_tool_write meets; call_tool_destructive is always allowed. The text follows "Tool 'x' is".
type Cell = 'allow' | { no: string; source: string } | { warn: string };
type Cells = [read: Cell, write: Cell];

const CAUTIOUS = 'call_tool_write is more cautious than needed';
const destructive = (by: string, source: string): Cell => ({
  no: `marked destructive ${by}, use call_tool_destructive`,
  source,
});
const writer = (by: string, source: string): Cell => ({
  no: `marked as not read-only ${by}, use call_tool_write`,
  source,
});
const BY_SERVER = ['by server', 'annotation'] as const;
const BY_INFERENCE = ['by inference from its definition', 'inferred'] as const;
const BY_DEFAULT = ['by default, as its server says nothing', 'default'] as const;

const READ: Cells = ['allow', { warn: `marked read-only by server; ${CAUTIOUS}` }];
const WRITE: Cells = [writer(...BY_SERVER), 'allow'];
const DESTRUCTIVE: Cells = [destructive(...BY_SERVER), destructive(...BY_SERVER)];
const TRUSTED: Cells = ['allow', 'allow'];
const INFERRED_READ: Cells = [
  'allow',
  { warn: `marked read-only by inference from its definition; ${CAUTIOUS}` },
];
const INFERRED_WRITE: Cells = [writer(...BY_INFERENCE), 'allow'];
const INFERRED_DESTRUCTIVE: Cells = [destructive(...BY_INFERENCE), destructive(...BY_INFERENCE)];
const BY_PROTOCOL: Cells = [destructive(...BY_DEFAULT), destructive(...BY_DEFAULT)];

/** Hints → what happens where un-annotated tools are trusted, inferred, or held to the protocol's defaults. */
type Mode = 'trust' | 'infer' | 'strict';
interface HintsRow {
  tool: string;
  hints: unknown;
  cells: Cells | Record<Mode, Cells>;
}
const unhinted = (infer: Cells): Record<Mode, Cells> => ({ trust: TRUSTED, infer, strict: BY_PROTOCOL });

const TABLE: HintsRow[] = [
  { tool: 'read_only', hints: { readOnlyHint: true }, cells: READ },
  { tool: 'not_read_only', hints: { readOnlyHint: false }, cells: WRITE },
  { tool: 'destructive', hints: { destructiveHint: true }, cells: DESTRUCTIVE },
  { tool: 'not_destructive', hints: { destructiveHint: false }, cells: unhinted(INFERRED_WRITE) },
  {
    tool: 'read_only_and_destructive',
    hints: { readOnlyHint: true, destructiveHint: true },
    cells: DESTRUCTIVE,
  },
  { tool: 'read_not_destructive', hints: { readOnlyHint: true, destructiveHint: false }, cells: READ },
  { tool: 'writer_not_destructive', hints: { readOnlyHint: false, destructiveHint: false }, cells: WRITE },
  { tool: 'writer_destructive', hints: { readOnlyHint: false, destructiveHint: true }, cells: DESTRUCTIVE },
  { tool: 'unannotated', hints: undefined, cells: unhinted(INFERRED_WRITE) },
  { tool: 'empty_annotations', hints: {}, cells: unhinted(INFERRED_DESTRUCTIVE) }, // "empty" is an act
  { tool: 'only_title', hints: { title: 'Only a title' }, cells: unhinted(INFERRED_WRITE) },
  { tool: 'get_things', hints: undefined, cells: unhinted(INFERRED_READ) },
  { tool: 'delete_everything', hints: undefined, cells: unhinted(INFERRED_DESTRUCTIVE) },
  // Malformed hints can only raise what a tool is held to. Their names say nothing, so that inference says nothing either.
  { tool: 'odd_1', hints: { destructiveHint: 'true' }, cells: DESTRUCTIVE },
  { tool: 'odd_2', hints: { destructiveHint: 'false' }, cells: DESTRUCTIVE },
  { tool: 'odd_3', hints: { destructiveHint: 1 }, cells: DESTRUCTIVE },
  { tool: 'odd_4', hints: { destructiveHint: null }, cells: unhinted(INFERRED_WRITE) },
  { tool: 'odd_5', hints: { readOnlyHint: 'true' }, cells: unhinted(INFERRED_WRITE) },
  { tool: 'odd_6', hints: { readOnlyHint: 1 }, cells: unhinted(INFERRED_WRITE) },
  { tool: 'odd_7', hints: { readOnlyHint: null }, cells: unhinted(INFERRED_WRITE) },
  { tool: 'odd_8', hints: { readOnlyHint: true, destructiveHint: 'no' }, cells: DESTRUCTIVE },
  { tool: 'odd_9', hints: [{ destructiveHint: true }], cells: unhinted(INFERRED_WRITE) },
  { tool: 'odd_10', hints: 'readOnlyHint', cells: unhinted(INFERRED_WRITE) },
];

const ADDED = Object.fromEntries(
  TABLE.filter(({ tool }) => /^odd_|^read_not_destructive$/.test(tool)).map(({ tool, hints }) => [
    tool,
    hints,
  ]),
);
/** Each era with one of the two wire shapes; all shapes with all declarations are in another table. */
const ERAS: Array<{ era: ClientKind; shape: 'flat' | 'nested' }> = [
  { era: '2026-07-28', shape: 'flat' },
  { era: '2025 (legacy)', shape: 'nested' },
];
const CONFIGS = (['trust', 'infer', 'strict'] as const).flatMap((unannotated) =>
  [true, false].map((strict) => ({
    name: `un-annotated: ${unannotated}, ${strict ? 'strict' : 'not strict'}`,
    unannotated,
    strict,
  })),
);
const ROWS = ERAS.flatMap((era) =>
  TABLE.flatMap((row) => OperationType.options.map((operation) => ({ ...era, operation, ...row }))),
);

function callOf({ era, shape, operation, tool }: (typeof ROWS)[number]): Row {
  const plain = plainRow(era, operation, tool);
  if (shape === 'flat') return plain;
  const nested = (mark: string) => ({
    name: `up:${tool}`,
    args_json: JSON.stringify({ text: mark }),
    intent: { operation_type: operation },
  });
  return { ...plain, input: (mark) => nested(mark) };
}

/** The variant that a tool is to be called with, as its row says. */
function variantOf([, write]: Cells): ToolVariant {
  if (write !== 'allow') return 'warn' in write ? 'call_tool_read' : 'call_tool_destructive';
  return 'call_tool_write';
}

const inferredIn = ({ infer }: Record<Mode, Cells>) => variantOf(infer).slice('call_tool_'.length);
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

function titleOf({ era, shape, operation, tool, hints }: (typeof ROWS)[number]): string {
  return `${era}, ${shape}: call_tool_${operation} on ${tool} ${JSON.stringify(hints) ?? 'without annotations'}`;
}

describe.each(CONFIGS.map((config) => [config.name, config] as const))(
  '%s',
  (_name, { unannotated, strict }) => {
    let stage: Stage;
    let attempts: Attempt[];

    beforeAll(async () => {
      stage = await openStage({
        intent: { unannotated, strict_server_validation: strict },
        hints: ADDED,
      });
      attempts = await attemptAll(stage, ROWS.map(callOf));
    });
    afterAll(() => stage.dispose());

    test('call_with follows the verdict; hints and inference are shown in every mode', async () => {
      const { tools } = await stage.proxy.rest.request('listTools', { server: 'up', limit: 1000 });
      for (const { tool, hints, cells } of TABLE) {
        const { call_with, operation, annotations } = tools.find(({ name }) => name === `up:${tool}`)!;
        const variant = variantOf(Array.isArray(cells) ? cells : cells[unannotated]);
        expect([tool, call_with, operation.verdict]).toEqual([
          tool,
          variant,
          variant.slice('call_tool_'.length),
        ]);
        expect(annotations).toEqual(isObject(hints) ? hints : {});
        if (!Array.isArray(cells)) expect([tool, operation.inferred]).toEqual([tool, inferredIn(cells)]);
      }
    });

    test.each(ROWS.map((row, index) => [titleOf(row), index, row] as const))(
      '%s',
      async (_, index, { tool, operation, cells }) => {
        const attempt = attempts[index]!;
        const [read, write] = Array.isArray(cells) ? cells : cells[unannotated];
        const cell = { read, write, destructive: 'allow' as Cell }[operation];
        if (cell === 'allow') {
          expectAllowed(attempt);
          return;
        }
        const message = `Tool 'up:${tool}' is ${'warn' in cell ? cell.warn : cell.no}`;
        if ('no' in cell && strict) {
          const use = message.slice(message.lastIndexOf(' ') + 1);
          expectRefused(attempt, {
            code: 'SERVER_MISMATCH',
            message,
            details: {
              tool: `up:${tool}`,
              tool_variant: `call_tool_${operation}`,
              call_with: use,
              operation: use.slice('call_tool_'.length),
              source: cell.source,
            },
          });
        } else {
          const { id } = expectAllowed(attempt, [message]);
          expect(await loggedWarnings(stage, id)).toEqual([message]);
        }
      },
    );
  },
);
