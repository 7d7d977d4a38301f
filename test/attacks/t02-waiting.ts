import { openStage, type Stage } from '../e2e/stage.ts';
import { exchange, modern } from '../e2e/raw-token.ts';
import { poll } from '../e2e/start-proxy.ts';
import type { Attack, Tally } from './attack.ts';
import { startOf } from './scaled.ts';

/** Calls that were allowed and wait for a busy server, while what they were allowed for is taken away. */
export const waiting: Attack = {
  threat: 'T02',
  title: 'a tool is switched off or judged anew while calls wait for their turn',
  async run(tally, scale) {
    const stage = await openStage({ start: startOf(scale) });
    const { rest } = stage.proxy;
    const patch = (body: Record<string, unknown>) => rest.request('updateServer', { name: 'up', body });
    try {
      await patch({ concurrency: 1 });
      await whileWaiting(stage, tally, {
        expected: 'TOOL_DISABLED',
        change: () => patch({ tools: { destructive: { enabled: false } } }),
      });
      await patch({ tools: null });
      await whileWaiting(stage, tally, {
        expected: 'CONFLICT',
        change: () => rest.request('setOperation', { name: 'up:destructive', body: { operation: 'write' } }),
      });
    } finally {
      await stage.dispose();
    }
  },
};

async function whileWaiting(
  stage: Stage,
  tally: Tally,
  { expected, change }: { expected: string; change: () => Promise<unknown> },
): Promise<void> {
  const { proxy } = stage;
  const call = (variant: string, tool: string, args = {}) => {
    const input = { name: `up:${tool}`, args, intent_operation_type: variant };
    const request = modern('tools/call', { name: `call_tool_${variant}`, arguments: input });
    return exchange(proxy.url, { token: proxy.key, ...request });
  };
  const waits = (queued: number) =>
    poll('calls to wait', proxy.stderr, async () => {
      const view = await proxy.rest.request('getServer', { name: 'up' });
      return (view.in_flight === 1 && view.queued === queued) || undefined;
    });
  const slow = call('read', 'slow', { ms: 30_000 });
  await waits(0);
  const queued = [1, 2, 3].map(() => call('destructive', 'destructive'));
  await waits(3);
  await change();
  slow.close();
  for (const { ended } of queued) {
    const text = await ended;
    tally.held(text.includes(`"code":"${expected}"`), `a waiting call was answered ${text.slice(0, 120)}`);
  }
  const ran = stage.executions().filter(({ tool }) => tool === 'destructive').length;
  tally.held(ran === 0, `${ran} calls were made after it (${expected})`);
}
