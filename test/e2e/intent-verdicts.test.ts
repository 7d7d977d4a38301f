import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperationType, variantFor } from '../../src/contract/operation.ts';
import type { ScoredTool, ToolEntry } from '../../src/contract/tool.ts';
import { expectAllowed, expectRefused, loggedWarnings } from './expect-attempt.ts';
import { attemptAll, openStage, plainRow, type Stage } from './stage.ts';

type Way = 'config' | 'cli' | 'rest';
interface Verdict {
  tool: string;
  hints: Record<string, unknown> | undefined;
  inferred: OperationType;
  verdict: OperationType;
  way: Way;
}
const verdict = (
  way: Way,
  tool: string,
  [hints, verdict]: [hints: Verdict['hints'], verdict: OperationType],
): Verdict => ({
  tool,
  hints,
  inferred: tool.startsWith('delete') ? 'destructive' : tool.startsWith('get') ? 'read' : 'write',
  verdict,
  way,
});

const [READ, WRITE, DESTROY] = [{ readOnlyHint: true }, { readOnlyHint: false }, { destructiveHint: true }];
// Up and down, against a hint and against inference, by each way in which an operator can speak.
const VERDICTS: Verdict[] = [
  verdict('config', 'item_1', [READ, 'destructive']),
  verdict('config', 'item_2', [DESTROY, 'read']),
  verdict('config', 'delete_item_3', [undefined, 'write']),
  verdict('config', 'get_item_4', [undefined, 'destructive']),
  verdict('rest', 'item_5', [READ, 'write']),
  verdict('rest', 'item_6', [{ ...READ, ...DESTROY }, 'write']),
  verdict('rest', 'delete_item_7', [undefined, 'read']),
  verdict('rest', 'item_8', [WRITE, 'destructive']),
  verdict('cli', 'item_9', [DESTROY, 'write']),
  verdict('cli', 'get_item_10', [READ, 'destructive']),
];
const by = (way: Way) => VERDICTS.filter((row) => row.way === way);

const OVERRIDES = {
  ...Object.fromEntries(by('config').map(({ tool, verdict }) => [tool, { operation: verdict }])),
  only_title: { enabled: false },
};

const MISMATCH = {
  read: 'marked read-only by the operator; call_tool_write is more cautious than needed',
  write: 'marked as not read-only by the operator, use call_tool_write',
  destructive: 'marked destructive by the operator, use call_tool_destructive',
};

/** A stage on which the operator has said all of it: in the file, by command and by request. */
async function openJudged(intent: Record<string, unknown>): Promise<Stage> {
  const hints = Object.fromEntries(VERDICTS.map(({ tool, hints }) => [tool, hints ?? null]));
  const stage = await openStage({ intent, hints, overrides: OVERRIDES });
  const typed = await Promise.all(
    by('cli').map(({ tool, verdict }) => stage.cli('tools', 'set-operation', `up:${tool}`, verdict)),
  );
  expect(typed.map(({ code }) => code)).toEqual([0, 0]);
  expect(typed[0]!.stdout).toMatch(/Operation +write\n.*Decided by +operator/s);
  for (const { tool, verdict } of by('rest'))
    await stage.proxy.rest.request('setOperation', { name: `up:${tool}`, body: { operation: verdict } });
  return stage;
}

async function expectObeyed(stage: Stage): Promise<void> {
  const rows = VERDICTS.flatMap((row) => OperationType.options.map((operation) => ({ ...row, operation })));
  const attempts = await attemptAll(
    stage,
    rows.map(({ operation, tool }, index) =>
      plainRow(index % 2 ? '2026-07-28' : '2025 (legacy)', operation, tool),
    ),
  );
  for (const [index, { tool, verdict, operation }] of rows.entries()) {
    const attempt = attempts[index]!;
    const message = `Tool 'up:${tool}' is ${MISMATCH[verdict]}`;
    const severity = OperationType.options;
    if (severity.indexOf(verdict) > severity.indexOf(operation)) {
      expectRefused(attempt, {
        code: 'SERVER_MISMATCH',
        message,
        details: {
          tool: `up:${tool}`,
          tool_variant: variantFor(operation),
          call_with: variantFor(verdict),
          operation: verdict,
          source: 'operator',
        },
      });
    } else if (verdict === 'read' && operation === 'write') {
      const { id } = expectAllowed(attempt, [message]);
      expect(await loggedWarnings(stage, id)).toEqual([message]);
    } else expectAllowed(attempt);
  }
}

/** The operator is obeyed in every mode, also where hints only warn. */
test.each([
  ['not strict, un-annotated tools inferred', { strict_server_validation: false, unannotated: 'infer' }],
  ['strict, un-annotated tools held as destructive', { unannotated: 'strict' }],
])('%s: the verdict beats hint and inference, through every variant', async (_, intent) => {
  const stage = await openJudged(intent);
  try {
    await expectObeyed(stage);
  } finally {
    await stage.dispose();
  }
});

describe("the operator's verdict", () => {
  let stage: Stage;
  const rest = () => stage.proxy.rest;

  beforeAll(async () => {
    stage = await openJudged({});
  });
  afterAll(() => stage.dispose());

  test('beats hint and inference, in both directions, through every variant', () => expectObeyed(stage));

  test('is shown with hint and inference beside it, and call_with follows', async () => {
    const client = await stage.client('2026-07-28');
    const names = VERDICTS.map(({ tool }) => `up:${tool}`);
    const { structuredContent } = await client.call('describe_tool', { names });
    const described = (structuredContent as { tools: ToolEntry[] }).tools;
    expect(described.map(({ name }) => name)).toEqual(names);
    for (const [index, { hints, inferred, verdict, way }] of VERDICTS.entries()) {
      const entry = described[index]!;
      expect(entry.annotations).toEqual(hints ?? {});
      expect(entry.call_with).toBe(variantFor(verdict));
      const reason = way === 'config' ? 'set in the configuration' : /^set by operator at 20\d\d-/;
      // Beside a verdict that is weaker, what the server declares is said.
      const declared = Object.hasOwn(hints ?? {}, 'destructiveHint') && verdict !== 'destructive';
      expect(entry.operation).toEqual({
        verdict,
        source: 'operator',
        inferred,
        reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
        ...(declared && { hint: 'destructive' }),
      });
    }
  });

  test('filters follow it', async () => {
    const listed = await rest().request('listTools', { server: 'up', operation: 'destructive', limit: 1000 });
    const names = new Set(listed.tools.map(({ name }) => name));
    for (const { tool, verdict } of VERDICTS)
      expect([tool, names.has(`up:${tool}`)]).toEqual([tool, verdict === 'destructive']);
    const client = await stage.client('2025 (legacy)');
    const found = await client.call('retrieve_tools', { query: 'item', operation: 'read', limit: 50 });
    const read = (found.structuredContent as { tools: ScoredTool[] }).tools.map(({ name }) => name);
    expect(read).toEqual(expect.arrayContaining(['up:item_2', 'up:delete_item_7']));
    expect(read).not.toContain('up:item_5');
  });

  test('outlives a restart', async () => {
    await stage.restart();
    await expectObeyed(stage);
  });

  test('taken back, the hint holds again', async () => {
    const { code } = await stage.cli('tools', 'set-operation', 'up:get_item_10', 'clear');
    expect(code).toBe(0);
    const cleared = await rest().request('clearOperation', { name: 'up:item_8' });
    expect(cleared).toMatchObject({ call_with: 'call_tool_write', operation: { source: 'annotation' } });
    const [allowed] = await attemptAll(stage, [plainRow('2026-07-28', 'read', 'get_item_10')]);
    expectAllowed(allowed!);
  });

  test('what the configuration says is changed there, not by command or request', async () => {
    const message = "The configuration sets the operation of 'up:item_1'; change it there";
    await expect(
      rest().request('setOperation', { name: 'up:item_1', body: { operation: 'read' } }),
    ).rejects.toMatchObject({ code: 'CONFLICT', message, status: 409 });
    const { code, stderr } = await stage.cli('tools', 'set-operation', 'up:item_1', 'read');
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    const [refused] = await attemptAll(stage, [plainRow('2026-07-28', 'write', 'item_1')]);
    expectRefused(refused!, {
      code: 'SERVER_MISMATCH',
      message: `Tool 'up:item_1' is ${MISMATCH.destructive}`,
    });
  });

  test('a tool that is switched off is neither found nor called', async () => {
    const [attempt] = await attemptAll(stage, [plainRow('2026-07-28', 'destructive', 'only_title')]);
    expectRefused(attempt!, {
      code: 'TOOL_DISABLED',
      message: "Tool 'up:only_title' is switched off by the operator",
      details: { tool: 'up:only_title' },
    });
    const client = await stage.client('2026-07-28');
    const found = await client.call('retrieve_tools', { query: 'only_title', limit: 50 });
    expect(JSON.stringify(found.structuredContent)).not.toContain('up:only_title');
  });

  test('every change is on record', async () => {
    const { records } = await rest().request('listActivity', { type: 'config_change', limit: 100 });
    const changes = records.filter(({ source }) => source !== 'system');
    expect(changes.map(({ tool_name }) => tool_name)).toEqual(
      expect.arrayContaining([...by('rest'), ...by('cli')].map(({ tool }) => tool)),
    );
    const refused = records.find(({ tool_name }) => tool_name === 'item_1');
    expect(refused).toMatchObject({ status: 'refused', error_code: 'CONFLICT' });
  });
});
