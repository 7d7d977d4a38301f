import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import type { Approval, ApprovalDetail } from '../../src/contract/approval.ts';
import type { CallResult } from '../../src/contract/call.ts';
import { errorOf, openApprovalStage, type ApprovalStage } from '../e2e/approval-stage.ts';
import { runHere } from '../e2e/cli-here.ts';
import { openRawMcp } from '../e2e/raw-mcp.ts';
import { jsonLines } from '../fixtures/execution-log.ts';
import { poll } from '../e2e/start-proxy.ts';
import { filesBelow } from '../fixtures/files-below.ts';
import { HIDDEN_PAYLOADS, type HiddenPayload } from '../fixtures/hidden-payloads.ts';
import type { Attack, Tally } from './attack.ts';
import { startOf } from './scaled.ts';

/** What a mask or a cut hides in the log, the person who decides sees; where it cannot be seen, it cannot be approved. */
export const hiddenPayloads: Attack = {
  threat: 'T22',
  title: 'payloads that masks and cuts would hide from the person who decides',
  async run(tally, scale) {
    const most = { ttl: '30m', max_pending_per_caller: 1000 };
    const approvals = { require: ['destructive'], wait: '0s', in_client: true, ...most };
    const stage = await openApprovalStage(approvals, startOf(scale));
    try {
      // That each of them is marked as it is masked is tested in masked-parts.test.ts.
      const payloads = scale === 'full' ? HIDDEN_PAYLOADS : oneOfEachKind();
      const held: Held[] = [];
      for (const payload of payloads) held.push(await hold(stage, payload));
      for (const each of held) await shown(stage, tally, each);
      await elsewhere(stage, tally, held);
      await inDialogs(stage, tally, scale === 'full' ? payloads : payloads.filter((_, i) => i % 8 === 0));
      await erased(stage, tally, held);
      tally.figure(`${held.length} payloads`);
    } finally {
      await stage.dispose();
    }
  },
};

/** The first word of a payload tells its kind. */
function oneOfEachKind(): HiddenPayload[] {
  const kindOf = ({ what }: HiddenPayload) => what.split(' ')[0];
  return HIDDEN_PAYLOADS.filter(
    (payload, i) => HIDDEN_PAYLOADS.findIndex((each) => kindOf(each) === kindOf(payload)) === i,
  );
}

interface Held extends HiddenPayload {
  id: string;
}

const destructive = (args: unknown) => ({
  name: 'up:destructive',
  args,
  intent_operation_type: 'destructive',
});

async function hold(stage: ApprovalStage, payload: HiddenPayload): Promise<Held> {
  const raw = await openRawMcp({ url: stage.proxy.url, key: await stage.token('agent') });
  const { json } = await raw.call('call_tool_destructive', JSON.stringify(destructive(payload.args)));
  const { details } = errorOf((json as { result: CallResult }).result);
  return { ...payload, id: String(details.approval_id) };
}

/** As it stands in JSON. */
const written = (hidden: string) => JSON.stringify(hidden).slice(1, -1);

async function get(stage: ApprovalStage, path: string): Promise<string> {
  const { url, key } = stage.proxy;
  return (await fetch(`${url}/api/v1/${path}`, { headers: { 'x-api-key': key } })).text();
}

const approve = (stage: ApprovalStage, id: string) =>
  stage.decide(id, { decision: 'approve' }).then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  );

async function shown(stage: ApprovalStage, tally: Tally, { what, id, args, hidden }: Held): Promise<void> {
  tally.held((await approve(stage, id)) === 'APPROVAL_FORBIDDEN', `${what}: approved by who has not seen it`);
  const detail = JSON.parse(await get(stage, `approvals/${id}`)) as ApprovalDetail;
  tally.held(isDeepStrictEqual(detail.arguments, args), `${what}: REST shows another call`);
  tally.held(detail.arguments_complete, `${what}: REST does not say that it is whole`);
  const isCut = what === 'end of a long text';
  tally.held(isCut || detail.masked_parts.length > 0, `${what}: nothing is marked`);
  const place = ['--config', stage.proxy.configFile, '--data-dir', stage.proxy.dataDir];
  const { stdout } = await runHere(['approvals', 'show', id, ...place]);
  tally.held(stdout.includes(written(hidden)), `${what}: the command line hides it`);
  tally.held(isCut || stdout.includes('⟦masked '), `${what}: the command line does not mark it`);
}

/** In every other place it stays masked, and that it was shown is on record, for REST and for the command line. */
async function elsewhere(stage: ApprovalStage, tally: Tally, held: readonly Held[]): Promise<void> {
  const place = ['--config', stage.proxy.configFile, '--data-dir', stage.proxy.dataDir];
  const places: Record<string, string> = {
    'GET /approvals': await get(stage, 'approvals?limit=200'),
    'approvals list': (await runHere(['approvals', 'list', '--limit', '200', ...place])).stdout,
    'the activity log': await get(stage, 'activity/export'),
    'the log': stage.proxy.stderr(),
  };
  for (const [where, text] of Object.entries(places))
    for (const { what, hidden } of held)
      tally.held(!text.includes(written(hidden)), `${what}: readable in ${where}`);
  const records = jsonLines<ActivityRecord>(await get(stage, 'activity/export?type=approval'));
  for (const { what, id } of held) {
    const reveals = records.filter(
      ({ metadata: { action, approval } }) =>
        action === 'show masked parts' && (approval as { id: string }).id === id,
    );
    const viewers = new Set(reveals.map(({ client }) => client));
    const expected = what === 'end of a long text' ? 0 : 2;
    tally.held(viewers.size === expected, `${what}: shown, and ${viewers.size} viewers are recorded`);
  }
}

async function pendingOf(stage: ApprovalStage, name: string): Promise<Approval | undefined> {
  const { approvals } = await stage.proxy.rest.request('listApprovals', { status: 'pending', limit: 10 });
  return approvals.find(({ client }) => client?.startsWith(`${name}/`));
}

/** The dialog of a client never approves what it does not show. */
async function inDialogs(
  stage: ApprovalStage,
  tally: Tally,
  payloads: readonly HiddenPayload[],
): Promise<void> {
  for (const way of ['input_required', 'elicitation'] as const) {
    const client = await stage.client(way, { name: way });
    client.answer = () => ({ action: 'accept', content: { approve: true } });
    for (const { what, args } of payloads) {
      client.dialogs.length = 0;
      const leave = new AbortController();
      const call = client.call('', { args, signal: leave.signal }).catch(() => undefined);
      const { id } = await poll('the call to wait', stage.proxy.stderr, () => pendingOf(stage, way));
      // A dialog would have come before a later request of the same client is answered.
      await stage.client(way, { name: `${way} later` }).then((later) => later.close());
      tally.held(client.dialogs.length === 0, `${what}: ${way} asks about what it does not show`);
      const denied = await stage.decide(id, { decision: 'deny' }).then(
        ({ status }) => status,
        (error: unknown) => (error as { code: string }).code,
      );
      tally.held(denied === 'denied', `${what}: decided by ${way}: ${denied}`);
      leave.abort();
      await call;
    }
    await client.close();
  }
  tally.held(stage.executed().length === 0, `a dialog let ${stage.executed().length} calls run`);
}

/** Seen and approved it runs as it was shown; once settled, nothing of it is left. */
async function erased(stage: ApprovalStage, tally: Tally, held: readonly Held[]): Promise<void> {
  const [first, ...others] = held;
  tally.held((await approve(stage, first!.id)) === 'done', 'what was shown cannot be approved');
  await hold(stage, first!).catch(() => undefined);
  tally.held(isDeepStrictEqual(stage.executed(), [first!.args]), 'it ran otherwise than it was shown');
  for (const { id } of others) await stage.decide(id, { decision: 'deny' });
  for (const { what, id, hidden } of held)
    tally.held(
      !(await get(stage, `approvals/${id}`)).includes(written(hidden)),
      `${what}: shown when settled`,
    );
  await stage.proxy.stop();
  for (const file of filesBelow(stage.proxy.dataDir)) {
    const bytes = readFileSync(file, 'latin1');
    for (const { what, hidden } of held) tally.held(!bytes.includes(hidden), `${what}: left in ${file}`);
  }
}
