import type { ActivityRecord } from '../../src/contract/activity.ts';
import { errorOf, openApprovalStage, type ApprovalStage } from '../e2e/approval-stage.ts';
import { runHere } from '../e2e/cli-here.ts';
import { openRawMcp, type RawMcp } from '../e2e/raw-mcp.ts';
import { READABLE_PAYLOADS, type HiddenPayload } from '../fixtures/hidden-payloads.ts';
import type { CallResult } from '../../src/contract/call.ts';
import type { Attack, Tally } from './attack.ts';
import { startOf } from './scaled.ts';

/** A command beside something that looks like a secret is readable everywhere: in lists, records of calls and of their results. */
export const readablePayloads: Attack = {
  threat: 'T22',
  title: 'commands beside a secret, which the mask would have to swallow',
  async run(tally, scale) {
    const approvals = { require: ['destructive'], wait: '0s', max_pending_per_caller: 1000 };
    const stage = await openApprovalStage(approvals, startOf(scale));
    try {
      // Each of them is masked by itself in only-secrets.test.ts.
      const payloads = READABLE_PAYLOADS.filter((_, i) => scale === 'full' || i % 6 === 0);
      const raw = await openRawMcp({ url: stage.proxy.url, key: await stage.token('agent') });
      for (const [index, payload] of payloads.entries()) {
        await inLists({ stage, raw }, tally, payload);
        const id = await inRecords(stage, tally, payload);
        if (index % SHOWN_OF === 0) await onTerminal(stage, tally, { ...payload, id });
      }
      tally.figure(`${payloads.length} payloads`);
    } finally {
      await stage.dispose();
    }
  },
};

/** One of so many is also shown by a command, which takes its time. */
const SHOWN_OF = 10;

/** As it stands in JSON, and in JSON within a text. */
const written = (hidden: string) => JSON.stringify(hidden).slice(1, -1);

async function inLists(
  { stage, raw }: { stage: ApprovalStage; raw: RawMcp },
  tally: Tally,
  { what, args, hidden }: HiddenPayload,
): Promise<void> {
  const call = { name: 'up:destructive', args, intent_operation_type: 'destructive' };
  const { json } = await raw.call('call_tool_destructive', JSON.stringify(call));
  const id = String(errorOf((json as { result: CallResult }).result).details.approval_id);
  const { approvals } = await stage.proxy.rest.request('listApprovals', { status: 'pending', limit: 10 });
  const listed = approvals.find((each) => each.id === id);
  tally.held(JSON.stringify(listed).includes(written(hidden)), `${what}: masked in the list of approvals`);
  await stage.decide(id, { decision: 'deny' });
}

async function inRecords(
  stage: ApprovalStage,
  tally: Tally,
  { what, args, hidden }: HiddenPayload,
): Promise<string> {
  const { rest } = stage.proxy;
  await rest.request('callTool', {
    body: {
      tool_variant: 'call_tool_read',
      name: 'up:read_only',
      args,
      intent: { operation_type: 'read' },
    },
  });
  const { records } = await rest.request('listActivity', { type: 'tool_call', tool: 'read_only', limit: 1 });
  const { id, arguments: sent, response } = records[0] as ActivityRecord;
  const readable = (value: unknown, text: string) => JSON.stringify(value).includes(text);
  tally.held(readable(sent, written(hidden)), `${what}: masked in the record`);
  const echoed = written(written(hidden));
  tally.held(readable(response, echoed), `${what}: masked in the record of the result`);
  return id;
}

async function onTerminal(
  stage: ApprovalStage,
  tally: Tally,
  { what, hidden, id }: HiddenPayload & { id: string },
): Promise<void> {
  const place = ['--config', stage.proxy.configFile, '--data-dir', stage.proxy.dataDir];
  const { stdout } = await runHere(['activity', 'show', id, ...place]);
  tally.held(stdout.includes(written(hidden)), `${what}: masked by activity show`);
}
