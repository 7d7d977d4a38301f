import { exchange, modern, reading } from '../e2e/raw-token.ts';
import { poll, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import type { Attack, Tally } from './attack.ts';
import { startOf } from './scaled.ts';

const SIZES = { quick: { calls: 400, wrong: 200 }, full: { calls: 20_000, wrong: 10_000 } } as const;
const MAX_RECORDS = 100;
/** So many bytes that some hundred records are the share of one client. */
const FILLING = 'x'.repeat(3000);

/** A client that fills the log has a share of it, and can push no record of a change out of it. */
export const evidenceFlushing: Attack = {
  threat: 'T16',
  title: 'evidence flushed out of the log, others locked out',
  async run(tally, scale) {
    const { calls, wrong } = SIZES[scale];
    const proxy = await startOf(scale)({
      config: {
        mcpServers: { up: fixture('annotated.mjs') },
        activity: { max_records: MAX_RECORDS },
        limits: { log_mb_per_hour: 1 },
      },
    });
    try {
      const { token } = await proxy.rest.request('createToken', {
        body: { name: 'reader', operations: ['read'] },
      });
      await change(proxy);
      const heard = await flood(proxy, token, calls);
      tally.held(heard.rejected > 0, 'a client may fill the log without end');
      await wrongKeys(proxy, wrong);
      await othersAreServed(proxy, tally);
      await evidenceStays(proxy, tally, calls - heard.rejected);
      tally.figure(`${calls} reads, ${heard.rejected} of them rejected; ${wrong} wrong keys`);
    } finally {
      await proxy.dispose();
    }
  },
};

async function change({ rest }: RunningProxy): Promise<void> {
  await rest.request('callTool', {
    body: {
      tool_variant: 'call_tool_destructive',
      name: 'up:destructive',
      args: {},
      intent: { operation_type: 'destructive' },
    },
  });
}

async function flood({ url }: RunningProxy, token: string, calls: number): Promise<{ rejected: number }> {
  let rejected = 0;
  for (let sent = 0; sent < calls; sent += 20)
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const call = exchange(url, {
          token,
          ...modern('tools/call', reading('up:read_only', { text: FILLING })),
        });
        await call.ended;
        if ((await call.status) === 429) rejected++;
      }),
    );
  return { rejected };
}

async function wrongKeys({ url }: RunningProxy, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 20)
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const answer = await fetch(`${url}/api/v1/status`, { headers: { 'x-api-key': 'x'.repeat(43) } });
        await answer.text();
      }),
    );
}

async function othersAreServed(proxy: RunningProxy, tally: Tally): Promise<void> {
  const { status } = await fetch(`${proxy.url}/api/v1/status`, { headers: { 'x-api-key': proxy.key } });
  tally.held(status === 200, `the operator hears ${status}`);
  const { token } = await proxy.rest.request('createToken', { body: { name: 'other' } });
  const call = exchange(proxy.url, { token, ...modern('tools/call', reading('up:read_only')) });
  await call.ended;
  tally.held((await call.status) === 200, `another agent hears ${await call.status}`);
  const lines = proxy.stderr().split('wrong key or token').length - 1;
  tally.held(lines <= 101, `${lines} lines about wrong keys`);
}

async function evidenceStays(proxy: RunningProxy, tally: Tally, served: number): Promise<void> {
  const isSmall = await poll('the log to shrink', proxy.stderr, async () => {
    const { activity } = await proxy.rest.request('status', {});
    const { total } = await proxy.rest.request('listActivity', { principal: 'token:reader', limit: 1 });
    return (activity.records <= 2 * MAX_RECORDS && total < served) || undefined;
  }).catch(() => false);
  tally.held(isSmall, 'the log is over its limit');
  const filter = { intent_type: 'destructive', status: 'success', limit: 10 } as const;
  const { records } = await proxy.rest.request('listActivity', filter);
  tally.held(records.length === 1, `${records.length} records of the change`);
  const { verdict } = await proxy.rest.request('verifyActivity', {});
  tally.held(verdict === 'intact', `the log is ${verdict}`);
}
