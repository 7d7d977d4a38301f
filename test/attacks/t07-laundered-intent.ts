import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import type { CallResult } from '../../src/contract/call.ts';
import { OperationType, variantFor } from '../../src/contract/operation.ts';
import { connectClient } from '../e2e/mcp-clients.ts';
import type { RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import type { Attack, Tally } from './attack.ts';
import { startOf } from './scaled.ts';

/** Tools whose hints lie, contradict each other or are of the wrong type, and the variants that may call them all the same. */
const TOOLS: Record<string, { hints: unknown; by: OperationType[] }> = {
  both: { hints: { readOnlyHint: true, destructiveHint: true }, by: ['destructive'] },
  only_not_read_only: { hints: { readOnlyHint: false }, by: ['write', 'destructive'] },
  destructive_text: { hints: { destructiveHint: 'true' }, by: ['destructive'] },
  destructive_one: { hints: { destructiveHint: 1 }, by: ['destructive'] },
  destructive_object: { hints: { destructiveHint: {} }, by: ['destructive'] },
  wipe_all: { hints: { readOnlyHint: true }, by: ['read', 'write', 'destructive'] },
};
/** Say nothing, or nothing that counts; a reading token gets none of them. */
const DOUBTFUL: Record<string, unknown> = {
  delete_repo: null,
  delete_text: { readOnlyHint: 'true' },
  delete_one: { readOnlyHint: 1 },
  delete_null: { readOnlyHint: null, destructiveHint: null },
  run_sql: null,
};

export const laundering: Attack = {
  threat: 'T07',
  title: 'lying hints, laundered intent',
  async run(tally, scale) {
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-t07-'));
    const file = join(dir, 'hints.json');
    const hints = Object.fromEntries(Object.entries(TOOLS).map(([name, tool]) => [name, tool.hints]));
    writeFileSync(file, JSON.stringify({ ...hints, ...DOUBTFUL }));
    const proxy = await startOf(scale)({
      config: { quarantine: 'warn', mcpServers: { up: fixture('annotated.mjs', '--hints', file) } },
    });
    try {
      await byEveryVariant(proxy, tally);
      await byReadingToken(proxy, tally);
      await twoKinds(proxy, tally);
      await operatorsWord(proxy, tally);
    } finally {
      await proxy.dispose();
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

const isRefused = (result: CallResult, code?: string) =>
  result.isError === true &&
  (code === undefined || (result.structuredContent as { error: { code: string } }).error.code === code);

async function byEveryVariant(proxy: RunningProxy, tally: Tally): Promise<void> {
  const client = await connectClient('2026-07-28', proxy);
  for (const [name, { by }] of Object.entries(TOOLS)) {
    for (const chosen of OperationType.options) {
      for (const declared of OperationType.options) {
        const input = { name: `up:${name}`, args: {}, intent_operation_type: declared };
        const passed = !isRefused(await client.call(variantFor(chosen), input));
        const may = chosen === declared && by.includes(chosen);
        tally.held(
          passed === may,
          `${name} by ${chosen}, declared ${declared}: ${passed ? 'ran' : 'refused'}`,
        );
      }
    }
  }
  await client.close();
}

async function byReadingToken(proxy: RunningProxy, tally: Tally): Promise<void> {
  const { token } = await proxy.rest.request('createToken', {
    body: { name: 'reader', operations: ['read'] },
  });
  const client = await connectClient('2026-07-28', { url: proxy.url, key: token });
  for (const name of Object.keys(DOUBTFUL)) {
    for (const operation of OperationType.options) {
      const input = { name: `up:${name}`, args: {}, intent_operation_type: operation };
      const result = await client.call(variantFor(operation), input);
      tally.held(isRefused(result, 'OUT_OF_SCOPE'), `a reading token ran ${name} by ${operation}`);
    }
  }
  await client.close();
}

/** Two sets of arguments, one for the check and one for the tool. */
async function twoKinds(proxy: RunningProxy, tally: Tally): Promise<void> {
  const client = await connectClient('2025 (legacy)', proxy);
  const input = { name: 'up:read_only', args: { text: 'a' }, args_json: '{"text":"b"}' };
  const both = await client.call('call_tool_read', { ...input, intent_operation_type: 'read' });
  tally.held(isRefused(both, 'INVALID_ARGUMENTS'), 'args and args_json together');
  const nested = { name: 'up:read_only', intent: { operation_type: 'read' }, intent_operation_type: 'write' };
  tally.held(isRefused(await client.call('call_tool_read', nested), 'INTENT_CONFLICT'), 'two declarations');
  await client.close();
}

/** A lie that nothing contradicts passes, but not unseen; and the operator's word ends it. */
async function operatorsWord(proxy: RunningProxy, tally: Tally): Promise<void> {
  const { records } = await proxy.rest.request('listActivity', { tool: 'wipe_all', status: 'success' });
  const seen = ({ metadata }: ActivityRecord) =>
    metadata.operation?.source === 'annotation' && metadata.operation.inferred === 'destructive';
  tally.held(
    records.length > 0 && records.every(seen),
    'the record of wipe_all does not tell whose word it was',
  );
  await proxy.rest.request('setOperation', { name: 'up:wipe_all', body: { operation: 'destructive' } });
  const client = await connectClient('2026-07-28', proxy);
  const input = { name: 'up:wipe_all', args: {}, intent_operation_type: 'read' };
  const after = await client.call('call_tool_read', input);
  tally.held(
    isRefused(after, 'SERVER_MISMATCH'),
    'wipe_all by read after the operator called it destructive',
  );
  await client.close();
}
