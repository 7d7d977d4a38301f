import type { Attack } from '../attacks/attack.ts';
import { poll } from '../e2e/start-proxy.ts';
import { callOnce, memoryOf, timeGood } from './calls.ts';
import { bad, good, viewOf, withProxy } from './servers.ts';

export const giants: Attack = {
  threat: 'F17',
  title: 'giant, endless and deep answers',
  run: (tally) =>
    withProxy({ good, bad: { ...bad, timeout: '20s' } }, async (proxy) => {
      await timeGood(proxy, 'good:read_only', 500);
      const before = memoryOf(proxy.pid, 'VmRSS');
      for (const [tool, args] of [
        ['huge', { bytes: 200_000_000 }],
        ['id_first', { bytes: 200_000_000 }],
        ['deep', { levels: 100_000 }],
        ['endless', {}],
      ] as const) {
        await poll(
          'the server',
          proxy.stderr,
          async () => (await viewOf(proxy, 'bad')).state !== 'connecting' || undefined,
        );
        const [{ code }, times] = await Promise.all([
          callOnce(proxy, `bad:${tool}`, { args }),
          timeGood(proxy, 'good:read_only', 500),
        ]);
        tally.held(code !== 'ok' && !code.startsWith('none'), `${tool}: ${code}`);
        tally.held(times.every(Number.isFinite), `${tool}: the good server had failed calls`);
        tally.figure(`${tool} ${code}`);
      }
      const grown = memoryOf(proxy.pid, 'VmHWM') - before;
      tally.held(grown < 192, `memory grew by ${grown} MB`);
      tally.figure(`memory +${grown} MB at most`);
    }),
};
