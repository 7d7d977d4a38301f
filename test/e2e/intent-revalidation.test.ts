import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperationType, variantFor } from '../../src/contract/operation.ts';
import type { ToolEntry } from '../../src/contract/tool.ts';
import { expectAllowed, expectRefused } from './expect-attempt.ts';
import { jsonLines } from '../fixtures/execution-log.ts';
import { attemptAll, openStage, plainRow, type Attempt, type Stage } from './stage.ts';
import { poll, startProxy } from './start-proxy.ts';

type Hints = Record<string, unknown> | string | null;
/** What a tool is held to: read · write · destructive · `-` for nothing known, agent trusted. */
type Held = OperationType | '-';

interface Transition {
  tool: string;
  /** What the server lists, one after the other. */
  hints: Hints[];
  change: 'hints_weakened' | 'hints_strengthened' | 'hints_changed';
  /** Held to after the change, and after the operator has accepted it. */
  held: Held;
  accepted: Held;
}

const [READ, WRITE, DESTROY] = [{ readOnlyHint: true }, { readOnlyHint: false }, { destructiveHint: true }];
const weakened = (
  tool: string,
  hints: Hints[],
  [held, accepted]: [held: Held, accepted: Held],
): Transition => ({
  tool,
  hints,
  change: 'hints_weakened',
  held,
  accepted,
});
const strengthened = (tool: string, hints: Hints[], held: Held): Transition => ({
  tool,
  hints,
  change: 'hints_strengthened',
  held,
  accepted: held,
});

const TRANSITIONS: Transition[] = [
  strengthened('up_read_destroy', [READ, DESTROY], 'destructive'),
  strengthened('up_read_write', [READ, WRITE], 'write'),
  strengthened('up_write_destroy', [WRITE, DESTROY], 'destructive'),
  strengthened('up_none_write', [null, WRITE], 'write'),
  strengthened('up_none_destroy', [null, DESTROY], 'destructive'),
  strengthened('up_read_both', [READ, { ...READ, ...DESTROY }], 'destructive'),
  strengthened('up_read_malformed', [READ, { ...READ, destructiveHint: 'yes' }], 'destructive'),
  strengthened('up_read_none', [READ, null], '-'),
  weakened('down_destroy_none', [DESTROY, null], ['destructive', '-']),
  weakened('down_destroy_read', [DESTROY, READ], ['destructive', 'read']),
  weakened('down_destroy_write', [DESTROY, WRITE], ['destructive', 'write']),
  weakened('down_write_read', [WRITE, READ], ['write', 'read']),
  weakened('down_write_none', [WRITE, null], ['write', '-']),
  weakened('down_none_read', [null, READ], ['-', 'read']),
  weakened('down_both_read', [{ ...READ, ...DESTROY }, READ], ['destructive', 'read']),
  weakened('down_destroy_text', [DESTROY, 'readOnlyHint'], ['destructive', '-']),
  weakened('down_in_two_steps', [DESTROY, WRITE, READ], ['destructive', 'read']),
  weakened('up_then_down', [READ, DESTROY, READ], ['destructive', 'read']),
  {
    tool: 'same_severity',
    hints: [DESTROY, { ...WRITE, ...DESTROY }],
    change: 'hints_changed',
    held: 'destructive',
    accepted: 'destructive',
  },
];

const MISMATCH = {
  write: 'marked as not read-only by server, use call_tool_write',
  destructive: 'marked destructive by server, use call_tool_destructive',
};
const last = ({ hints }: Transition) => hints.at(-1) ?? null;
/** Annotations that are no object are ignored, so nothing is shown of them. */
const shown = (hints: Hints) => (typeof hints === 'string' ? {} : (hints ?? {}));

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({
    hints: Object.fromEntries(TRANSITIONS.map(({ tool, hints }) => [tool, hints[0]])),
    start: startProxy,
  });
});
afterAll(() => stage.dispose());

async function entries(): Promise<Map<string, ToolEntry>> {
  const { tools } = await stage.proxy.rest.request('listTools', { server: 'up', limit: 1000 });
  return new Map(tools.map((entry) => [entry.name.slice('up:'.length), entry]));
}
const until = (what: string, holds: (known: Map<string, ToolEntry>) => boolean) =>
  poll(what, stage.proxy.stderr, async () => holds(await entries()) || undefined);

/** The server changes its mind; nobody asks the proxy to look. */
async function setHints(step: number): Promise<void> {
  const client = await stage.client('2026-07-28');
  const due = TRANSITIONS.filter(({ hints }) => hints.length > step);
  await Promise.all(
    due.map(({ tool, hints }) =>
      client.call('call_tool_write', {
        name: 'up:set_annotations',
        args: { tool, annotations: hints[step] },
        intent_operation_type: 'write',
      }),
    ),
  );
  await until('the new hints to be listed', (known) =>
    due.every(({ tool, hints }) => isDeepStrictEqual(known.get(tool)?.annotations, shown(hints[step]!))),
  );
}

/** Every tool through every variant: refused exactly where what it is held to is more severe. */
async function expectHeld(held: (transition: Transition) => Held): Promise<void> {
  const rows = TRANSITIONS.flatMap((transition) =>
    OperationType.options.map((operation) => ({ transition, operation })),
  );
  const attempts = await attemptAll(
    stage,
    rows.map(({ transition, operation }, index) =>
      plainRow(index % 2 ? '2026-07-28' : '2025 (legacy)', operation, transition.tool),
    ),
  );
  for (const [index, { transition, operation }] of rows.entries())
    expectOutcome(attempts[index]!, transition.tool, { operation, held: held(transition) });
  const known = await entries();
  for (const transition of TRANSITIONS)
    expectEntry(known.get(transition.tool)!, transition, held(transition));
}

function expectOutcome(
  attempt: Attempt,
  tool: string,
  { operation, held }: { operation: OperationType; held: Held },
): void {
  const order = ['read', 'write', 'destructive'];
  if (held !== '-' && held !== 'read' && order.indexOf(held) > order.indexOf(operation)) {
    expectRefused(attempt, { code: 'SERVER_MISMATCH', message: `Tool 'up:${tool}' is ${MISMATCH[held]}` });
    return;
  }
  const warning = `Tool 'up:${tool}' is marked read-only by server; call_tool_write is more cautious than needed`;
  expectAllowed(attempt, held === 'read' && operation === 'write' ? [warning] : undefined);
}

/** What the server says now stays visible beside what the tool is held to. */
function expectEntry(entry: ToolEntry, transition: Transition, held: Held): void {
  const verdict = held === '-' ? 'write' : held;
  expect(entry.annotations).toEqual(shown(last(transition)));
  expect(entry.call_with).toBe(variantFor(verdict));
  expect(entry.operation).toMatchObject({ verdict, source: held === '-' ? 'default' : 'annotation' });
}

describe('hints that change between listing and call', () => {
  test('at first every tool is held to what its server says', async () => {
    const client = await stage.client('2026-07-28');
    const found = await client.call('describe_tool', {
      names: ['up:up_read_destroy', 'up:down_destroy_none'],
    });
    expect(found.structuredContent).toMatchObject({
      tools: [{ call_with: 'call_tool_read' }, { call_with: 'call_tool_destructive' }],
    });
    const [allowed, refused] = await attemptAll(stage, [
      plainRow('2026-07-28', 'read', 'up_read_destroy'),
      plainRow('2026-07-28', 'read', 'down_destroy_none'),
    ]);
    expectAllowed(allowed!);
    expectRefused(refused!, {
      code: 'SERVER_MISMATCH',
      message: `Tool 'up:down_destroy_none' is ${MISMATCH.destructive}`,
    });
  });

  test('what became stricter is refused at once, what became weaker is held as before', async () => {
    await setHints(1);
    await setHints(2);
    await expectHeld(({ held }) => held);
  });

  test('the change is on record and on stderr, with what is held', async () => {
    const { records } = await stage.proxy.rest.request('listActivity', { type: 'tool_change', limit: 100 });
    const lines = jsonLines<{ tool?: string; msg: string; level: string }>(stage.proxy.stderr());
    for (const { tool, hints, change } of TRANSITIONS) {
      const record = records.find(({ tool_name }) => tool_name === tool);
      expect(record).toMatchObject({
        type: 'tool_change',
        source: 'system',
        server_name: 'up',
        status: 'success',
      });
      const { after, held, ...metadata } = record!.metadata as unknown as Record<string, object>;
      expect(metadata).toMatchObject({ change, before: expect.any(Object) });
      expect(Object.keys(after!).sort()).toEqual(Object.keys(shown(hints.at(-1)!) ?? {}).sort());
      expect(isDeepStrictEqual(held, after)).toBe(change !== 'hints_weakened');
      const line = lines.findLast((entry) => entry.tool === tool && entry.msg.includes('hints'));
      expect(line!.level).toBe(change === 'hints_weakened' ? 'warn' : 'info');
    }
  });

  test('a tool that goes and comes back weaker is held as before', async () => {
    const client = await stage.client('2026-07-28');
    const run = (name: string, args: object) =>
      client.call('call_tool_write', { name: `up:${name}`, args, intent_operation_type: 'write' });
    await run('remove_tool', { name: 'destructive' });
    await until('the tool to go', (known) => !known.has('destructive'));
    await run('add_tool', { name: 'destructive', annotations: READ });
    await until('the tool to come back', (known) => known.has('destructive'));
    const [attempt] = await attemptAll(stage, [plainRow('2025 (legacy)', 'read', 'destructive')]);
    expectOutcome(attempt!, 'destructive', { operation: 'read', held: 'destructive' });
  });

  test('a restart of the proxy forgets nothing', async () => {
    await stage.restart();
    await expectHeld(({ held }) => held);
  });

  test('"tools approve" accepts what the server says now, also for the time after a restart', async () => {
    const [first, ...others] = TRANSITIONS.filter(({ change }) => change === 'hints_weakened');
    const { code, stdout } = await stage.cli('tools', 'approve', `up:${first!.tool}`, '--yes', '-o', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: `up:${first!.tool}`, call_with: 'call_tool_write' });
    for (const { tool } of others) await stage.proxy.rest.request('approveTool', { name: `up:${tool}` });
    await expectHeld(({ accepted }) => accepted);
    await stage.restart('SIGKILL');
    await expectHeld(({ accepted }) => accepted);
  });
});
