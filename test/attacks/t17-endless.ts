import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { callOnce, memoryOf, percentile, timeGood } from '../faults/calls.ts';
import { fixture } from '../fixtures/start.ts';
import type { Attack, Tally } from './attack.ts';
import { ENDLESS_TOOLS, startEndless } from './endless-http.ts';

const MB = 1_000_000;
/** Just over what one answer may have, and well over. */
const SIZES = { quick: 70 * MB, full: 200 * MB };
const MOST_MEMORY_MB = 250;

/** A server answers without end. Its caller is told so, and nobody else notices. */
export const endless: Attack = {
  threat: 'T17',
  title: 'huge and endless answers',
  async run(tally, scale) {
    const bytes = SIZES[scale];
    const [web, looping] = [await startEndless(bytes), await startEndless(bytes, true)];
    const mcpServers = {
      good: fixture('annotated.mjs'),
      pipe: { ...fixture('misbehaving.mjs'), timeout: '20s' },
      web: { url: web.url, timeout: '20s' },
      looping: { url: looping.url, timeout: '20s' },
      list: fixture('misbehaving.mjs', '--looping-list'),
    };
    const proxy = await startProxy({ config: { mcpServers } });
    try {
      // A long listing is processed in slices.
      await poll(
        'the long listing',
        proxy.stderr,
        async () =>
          (await proxy.rest.request('listTools', { server: 'looping', limit: 1 })).total >= 6000 || undefined,
      );
      const before = memoryOf(proxy.pid, 'VmRSS');
      const idle = percentile(await timeGood(proxy, 'good:read_only', 500), 0.5);
      const piped: Array<[string, Record<string, unknown>]> = [
        ['huge', { bytes }],
        ['id_first', { bytes }],
        ['endless', {}],
        ['progress_flood', { count: scale === 'full' ? MB : 100_000 }],
        ['flood_stderr', { bytes }],
      ];
      const times: number[] = [];
      for (const [tool, args] of piped) times.push(...(await beside(proxy, tally, [`pipe:${tool}`, args])));
      for (const tool of ENDLESS_TOOLS) times.push(...(await beside(proxy, tally, [`web:${tool}`, {}])));
      const grown = memoryOf(proxy.pid, 'VmHWM') - before;
      tally.held(grown < MOST_MEMORY_MB, `memory grew by ${grown} MB`);
      const { servers } = await proxy.rest.request('listServers', {});
      for (const name of ['list', 'looping']) {
        const { tool_count: tools = 0 } = servers.find((server) => server.name === name) ?? {};
        tally.held(tools <= 100_000, `a list without end was taken for ${tools} tools`);
      }
      tally.figure(
        `another server ${idle.toFixed(1)} → ${percentile(times, 0.5).toFixed(1)} ms (median), memory +${grown} MB`,
      );
    } finally {
      await proxy.dispose();
      await Promise.all([web.stop(), looping.stop()]);
    }
  },
};

/** They flood beside their answer, which is good where it comes in time. */
const BESIDE = new Set(['pipe:progress_flood', 'pipe:flood_stderr']);

/** One such answer, while another caller works on; gives how long that took each time. */
async function beside(
  proxy: RunningProxy,
  tally: Tally,
  [name, args]: [name: string, args: Record<string, unknown>],
): Promise<number[]> {
  const [server] = name.split(':');
  await poll('the server', proxy.stderr, async () => {
    const { servers } = await proxy.rest.request('listServers', {});
    const view = servers.find((each) => each.name === server);
    return (view && ['ready', 'degraded'].includes(view.state) && view.breaker !== 'open') || undefined;
  });
  const state = { over: false };
  const call = callOnce(proxy, name, { args }).finally(() => (state.over = true));
  const times: number[] = [];
  while (!state.over || times.length === 0) times.push(...(await timeGood(proxy, 'good:read_only', 100)));
  const { code, text } = await call;
  const isError = code !== 'ok' && !code.startsWith('none') && text.includes(`'${server}'`);
  const told = isError || (code === 'ok' && BESIDE.has(name));
  tally.held(told, `${name}: ${code} ${text.slice(0, 200)}`);
  tally.held(times.every(Number.isFinite), `${name}: another caller was refused`);
  return times;
}
