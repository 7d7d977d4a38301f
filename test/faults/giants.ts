import { writeFileSync } from 'node:fs';
import type { Attack } from '../attacks/attack.ts';
import { poll, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture, startHttpFixture } from '../fixtures/start.ts';
import { callOnce, memoryOf, percentile, timeGood } from './calls.ts';
import { bad, good, viewOf, withProxy } from './servers.ts';

interface Giant {
  tool: string;
  args?: Record<string, unknown>;
  /** Whether an answer that can be read must still come. */
  answered?: boolean;
}

const GIANTS: readonly Giant[] = [
  { tool: 'bad:huge', args: { bytes: 60_000_000 }, answered: true },
  { tool: 'bad:huge', args: { bytes: 200_000_000 } },
  { tool: 'bad:id_first', args: { bytes: 200_000_000 } },
  { tool: 'bad:deep', args: { levels: 100_000 } },
  { tool: 'bad:endless' },
  { tool: 'bad:progress_flood', args: { count: 20_000 }, answered: true },
  { tool: 'talker:tiny_lines', args: { count: 1_000_000 }, answered: true },
  { tool: 'http:gzip_bomb' },
  { tool: 'http:endless_chunks' },
  { tool: 'http:big_event' },
  { tool: 'http:short_body' },
  { tool: 'http:many_events', answered: true },
];
/** Three times the largest message that is read. */
const MOST_GROWTH_MB = 192;
const MOST_ADDED_MS = 20;

/** Resets the peak. */
const forgetPeak = ({ pid }: RunningProxy) => writeFileSync(`/proc/${pid}/clear_refs`, '5');

async function untilReady(proxy: RunningProxy, tool: string): Promise<void> {
  const server = tool.slice(0, tool.indexOf(':'));
  await poll(
    `server ${server}`,
    proxy.stderr,
    async () => ['ready', 'degraded'].includes((await viewOf(proxy, server)).state) || undefined,
  );
}

export const giants: Attack = {
  threat: 'F17',
  title: 'giant, endless and deep answers and lists',
  async run(tally, scale) {
    const http = await startHttpFixture('giants-http.mjs', '/mcp');
    const servers = {
      good,
      bad: { ...bad, timeout: '50s' },
      talker: { ...fixture('giants.mjs'), timeout: '50s' },
      http: { url: http.url, timeout: '50s' },
      many: fixture('giants.mjs', '--huge-list', scale === 'full' ? '1000000' : '200000'),
      loop: fixture('misbehaving.mjs', '--looping-list'),
    };
    try {
      await withProxy(servers, async (proxy) => {
        await poll(
          'the lists',
          proxy.stderr,
          async () =>
            (await proxy.rest.request('listServers', {})).servers.every(
              ({ state }) => state !== 'connecting',
            ) || undefined,
        );
        for (const name of ['many', 'loop']) {
          const { state, tool_count: tools } = await viewOf(proxy, name);
          tally.held(state === 'failed' || tools <= 100_000, `${name}: ${tools} tools`);
          tally.figure(`${name} ${state} with ${tools} tools`);
        }
        await timeGood(proxy, 'good:read_only', 500);
        const before = percentile(await timeGood(proxy, 'good:read_only', 1_000), 0.5);
        const all: number[] = [];
        let most = 0;
        for (const { tool, args = {}, answered = false } of GIANTS) {
          await untilReady(proxy, tool);
          forgetPeak(proxy);
          const rss = memoryOf(proxy.pid, 'VmRSS');
          const [{ code, ms }, times] = await Promise.all([
            callOnce(proxy, tool, { args }),
            timeGood(proxy, 'good:read_only', 500),
          ]);
          const grown = memoryOf(proxy.pid, 'VmHWM') - rss;
          most = Math.max(most, grown);
          all.push(...times);
          tally.held(!code.startsWith('none') && (code === 'ok') === answered, `${tool}: ${code}`);
          tally.held(times.every(Number.isFinite), `${tool}: the good server had failed calls`);
          tally.held(grown < MOST_GROWTH_MB, `${tool}: memory grew by ${grown} MB`);
          tally.figure(
            `${tool.slice(tool.indexOf(':') + 1)} ${code} +${grown} MB ${(ms / 1000).toFixed(1)} s`,
          );
        }
        const during = percentile(all, 0.5);
        tally.held(
          during - before < MOST_ADDED_MS,
          `the good server: ${before} ms before, ${during} ms during`,
        );
        tally.figure(`+${most} MB at most; good p50 ${before.toFixed(1)} → ${during.toFixed(1)} ms`);
      });
    } finally {
      await http.stop();
    }
  },
};
