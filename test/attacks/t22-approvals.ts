import type { Approval } from '../../src/contract/approval.ts';
import type { CallResult } from '../../src/contract/call.ts';
import { createClient } from '../../src/contract/routes/client.ts';
import { errorOf, openApprovalStage, type ApprovalStage, type HeldClient } from '../e2e/approval-stage.ts';
import { openRawMcp } from '../e2e/raw-mcp.ts';
import { poll } from '../e2e/start-proxy.ts';
import type { Attack, Tally } from './attack.ts';
import { startOf } from './scaled.ts';

/** An approval is for one call, once, by somebody else, while everything is as it was asked. */
export const approvalAbuse: Attack = {
  threat: 'T22',
  title: 'approvals raced, stolen, outlived and overlooked',
  async run(tally, scale) {
    const approvals = { require: ['destructive'], wait: '0s', ttl: '5m', max_pending_per_caller: 10_000 };
    const stage = await openApprovalStage(approvals, startOf(scale));
    let marks = 0;
    const ground: Ground = {
      stage,
      agent: await stage.client('pending result'),
      tally,
      newMark: (kind) => `${kind} ${++marks} `.padEnd(24, '.'),
    };
    try {
      await twice(ground);
      await raced(ground, scale === 'full' ? 100 : 12);
      await byTokens(ground);
      await otherArguments(ground);
      await denied(ground);
      await leaving(ground);
      await seen(ground);
      await changedMeanwhile(ground);
      await expired(ground);
      await flooded(ground, scale === 'full' ? 10_000 : 20);
    } finally {
      await stage.dispose();
    }
  },
};

interface Ground {
  stage: ApprovalStage;
  agent: HeldClient;
  tally: Tally;
  newMark: (kind: string) => string;
}

const codeOf = (result: CallResult) => (result.isError === true ? errorOf(result).code : 'ok');

/** Held, and found again by a part of its arguments. */
async function pending({ stage, agent, tally }: Ground, mark: string, part = mark): Promise<Approval> {
  const code = codeOf(await agent.call(mark));
  tally.held(code === 'APPROVAL_PENDING', `a destructive call was not held: ${code}`);
  return stage.approvalOf(part, 'pending');
}

const attempt = (stage: ApprovalStage, id: string, decision: 'approve' | 'deny' = 'approve') =>
  stage.decide(id, { decision }).then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  );

async function twice(ground: Ground): Promise<void> {
  const { stage, agent, tally, newMark } = ground;
  const mark = newMark('twice');
  const { id } = await pending(ground, mark);
  tally.held((await attempt(stage, id)) === 'done', 'it cannot be approved');
  await attempt(stage, id);
  tally.held(codeOf(await agent.call(mark)) === 'ok', 'an approved call did not run');
  await attempt(stage, id);
  // A result that is still remembered may be given again; it must not be made again.
  await agent.call(mark);
  tally.held(stage.executions(mark) === 1, `approved twice: ran ${stage.executions(mark)} times`);
}

async function raced(ground: Ground, racers: number): Promise<void> {
  const { stage, agent, tally, newMark } = ground;
  const mark = newMark('raced');
  const { id } = await pending(ground, mark);
  const others = await Promise.all(Array.from({ length: 5 }, () => stage.client('pending result')));
  const decisions = Array.from({ length: racers }, () => attempt(stage, id));
  const calls = Array.from({ length: racers }, (_, i) => [agent, ...others][i % 6]!.call(mark));
  await Promise.all(decisions);
  await Promise.all(calls);
  await agent.call(mark);
  tally.held(stage.executions(mark) === 1, `${racers} racers: ran ${stage.executions(mark)} times`);
  const torn = newMark('torn');
  const { id: other } = await pending(ground, torn);
  const said = await Promise.all(
    Array.from({ length: racers }, (_, i) => attempt(stage, other, i % 2 ? 'approve' : 'deny')),
  );
  const { status } = await stage.proxy.rest.request('getApproval', { id: other });
  await agent.call(torn);
  const right = stage.executions(torn) === (status === 'denied' ? 0 : 1);
  tally.held(right, `approved and denied at once: ${status}, ran ${stage.executions(torn)} times`);
  tally.figure(`${racers} racers, ${said.filter((each) => each === 'done').length} of them settled it`);
}

async function byTokens(ground: Ground): Promise<void> {
  const { stage, tally, newMark } = ground;
  const mark = newMark('token');
  const { id } = await pending(ground, mark);
  for (const name of ['agent', 'another']) {
    const apiKey = await stage.token(name);
    const rest = createClient({ url: stage.proxy.url, apiKey, client: 'thief' });
    const code = await rest.request('decideApproval', { id, body: { decision: 'approve' } }).then(
      () => 'done',
      (error: unknown) => (error as { code: string }).code,
    );
    tally.held(code === 'TOKEN_NOT_ALLOWED', `the token '${name}' decides: ${code}`);
  }
  const { status } = await stage.proxy.rest.request('getApproval', { id });
  tally.held(status === 'pending' && stage.executions(mark) === 0, `by a token it became ${status}`);
}

async function otherArguments(ground: Ground): Promise<void> {
  const { stage, agent, tally, newMark } = ground;
  const [mark, other] = [newMark('asked'), newMark('sent')];
  const { id } = await pending(ground, mark);
  await attempt(stage, id);
  const code = codeOf(await agent.call(other));
  tally.held(code === 'APPROVAL_PENDING' && stage.executions(other) === 0, `other arguments: ${code}`);
  const thief = await stage.client('pending result', { key: await stage.token('another') });
  const stolen = codeOf(await thief.call(mark));
  tally.held(stolen === 'APPROVAL_PENDING' && stage.executions(mark) === 0, `another caller: ${stolen}`);
}

async function denied(ground: Ground): Promise<void> {
  const { stage, agent, tally, newMark } = ground;
  const mark = newMark('denied');
  const { id } = await pending(ground, mark);
  await attempt(stage, id, 'deny');
  const code = await attempt(stage, id, 'approve');
  await agent.call(mark);
  const { status } = await stage.proxy.rest.request('getApproval', { id });
  tally.held(status === 'denied' && code !== 'done', `denied, then approved: ${status} ${code}`);
  tally.held(stage.executions(mark) === 0, 'a denied call ran');
}

async function leaving(ground: Ground): Promise<void> {
  const { stage, tally, newMark } = ground;
  await stage.settings({ wait: '20s' });
  for (const way of ['input_required', 'elicitation', 'pending result'] as const) {
    const mark = newMark('left');
    const gone = new AbortController();
    const client = await stage.client(way, { key: await stage.token('another') });
    const call = client.call(mark, { signal: gone.signal }).catch(() => undefined);
    const { id } = await stage.approvalOf(mark);
    gone.abort();
    await call;
    // That it has left is told by a message of its own, which may take a moment. In the older protocol it takes nothing back.
    const heard = await poll(
      'the proxy to hear of it',
      stage.proxy.stderr,
      async () => (await stage.recordsOf(mark)).every((each) => each.duration_ms !== undefined) || undefined,
    ).catch(() => false);
    tally.held(heard, `${way}: its caller has left, and it still waits`);
    await client.close();
    await attempt(stage, id);
    await new Promise((resolve) => setTimeout(resolve, 200));
    tally.held(stage.executions(mark) === 0, `${way}: ran although its caller had left`);
  }
  await stage.settings({ wait: '0s' });
}

/** What the person reads is what would be sent, to the end, and nothing in it is obeyed by the terminal. */
async function seen(ground: Ground): Promise<void> {
  const { stage, tally } = ground;
  const mark = `seen\u001b[2J\u202egnp\u200b\r\n${'long '.repeat(2000)}THE END`;
  const { id, arguments: shown } = await pending(ground, mark, 'THE END');
  tally.held((shown as { text: string }).text === mark, 'the arguments are not shown as they are');
  const { stdout } = await stage.cli('approvals', 'show', id);
  tally.held(/\\u\{?(00)?1b/.test(stdout) && /\\u\{?202e/.test(stdout), 'control characters are not visible');
  // oxlint-disable-next-line no-control-regex -- that is what must not be there
  tally.held(
    !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e]/.test(stdout),
    'control characters reach the terminal',
  );
  tally.held(stdout.includes('THE END'), 'the arguments are cut');
}

async function changedMeanwhile(ground: Ground): Promise<void> {
  const { stage, agent, tally, newMark } = ground;
  const { rest } = stage.proxy;
  const ways: Record<string, () => Promise<unknown>> = {
    'the tool changed': () =>
      rest.request('callTool', {
        body: {
          tool_variant: 'call_tool_write',
          name: 'up:set_annotations',
          args: { tool: 'destructive', annotations: { destructiveHint: true, title: 'another' } },
          intent: { operation_type: 'write' },
        },
      }),
    'the server was re-pointed': () =>
      rest.request('updateServer', { name: 'up', body: { env: { EXTRA: '1' } } }),
    'the policy changed': () => stage.settings({ require: ['write'] }),
  };
  for (const [what, change] of Object.entries(ways)) {
    const mark = newMark('changed');
    const { id } = await pending(ground, mark);
    const before = (await rest.request('getTool', { name: 'up:destructive' })).definition_hash;
    await change();
    if (what === 'the tool changed')
      await poll(
        'the new definition',
        stage.proxy.stderr,
        async () =>
          (await rest.request('getTool', { name: 'up:destructive' })).definition_hash !== before || undefined,
      );
    await attempt(stage, id);
    const code = codeOf(await agent.call(mark));
    tally.held(code === 'APPROVAL_PENDING' && stage.executions(mark) === 0, `${what}: ${code}`);
  }
}

async function expired(ground: Ground): Promise<void> {
  const { stage, agent, tally, newMark } = ground;
  await stage.settings({ ttl: '1s' });
  const [late, unused] = [newMark('late'), newMark('unused')];
  // On a busy machine its time may be over before it is found.
  const held = async (mark: string) => {
    const code = codeOf(await agent.call(mark));
    tally.held(code === 'APPROVAL_PENDING', `a destructive call was not held: ${code}`);
    return (await stage.approvalOf(mark)).id;
  };
  const [id, other] = [await held(late), await held(unused)];
  await attempt(stage, other);
  await new Promise((resolve) => setTimeout(resolve, 1200));
  const code = await attempt(stage, id);
  tally.held(code !== 'done', `approved after it expired: ${code}`);
  await stage.settings({ ttl: '5m' });
  for (const mark of [late, unused]) {
    await agent.call(mark);
    tally.held(stage.executions(mark) === 0, 'it ran after its time');
  }
}

/** However many wait: no more than there is room for, and none goes by itself. */
async function flooded(ground: Ground, most: number): Promise<void> {
  const { stage, tally } = ground;
  const already = (await stage.proxy.rest.request('status', {})).approvals.pending;
  await stage.settings({ max_pending_per_caller: most, ttl: '1h' });
  const codes: Record<string, number> = {};
  let next = 0;
  const worker = async () => {
    const raw = await openRawMcp({ url: stage.proxy.url, key: await stage.token('agent') });
    while (next < most + 20) {
      const args = {
        name: 'up:destructive',
        args: { text: `flood ${next++}.` },
        intent_operation_type: 'destructive',
      };
      const { json } = await raw.call('call_tool_destructive', JSON.stringify(args));
      const code = codeOf(json.result as CallResult);
      codes[code] = (codes[code] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: Math.min(20, most / 10) }, worker));
  const now = (await stage.proxy.rest.request('status', {})).approvals.pending;
  const ran = Array.from({ length: next }, (_, i) => stage.executions(`flood ${i}.`));
  tally.held(now <= most + already, `${now} wait`);
  tally.held((codes.APPROVAL_LIMIT ?? 0) >= 20, `too many are told: ${JSON.stringify(codes)}`);
  tally.held(codes.ok === undefined && ran.every((count) => count === 0), 'some ran by themselves');
  tally.figure(`${now} wait, ${codes.APPROVAL_LIMIT ?? 0} beyond were refused`);
}
