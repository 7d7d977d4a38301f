import { connect } from 'node:net';
import { exchange, modern, reading } from '../e2e/raw-token.ts';
import { startProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import type { Attack } from '../attacks/attack.ts';
import { pause, percentile, timeGood } from './calls.ts';

export const fairness: Attack = {
  threat: 'F15',
  title: 'one client sends nearly everything',
  async run(tally, scale) {
    const config = {
      limits: { calls: 4, queue: 64 },
      mcpServers: { up: { ...fixture('annotated.mjs'), concurrency: 4 } },
    };
    const proxy = await startProxy({ config });
    try {
      const names = ['crowd', 'modest'];
      const made = await Promise.all(
        names.map((name) => proxy.rest.request('createToken', { body: { name } })),
      );
      const [crowd, modest] = made.map(({ token }) => token) as [string, string];
      const served = { crowd: 0, modest: 0, shed: 0 };
      const end = performance.now() + (scale === 'full' ? 20_000 : 6_000);
      const caller = async (who: 'crowd' | 'modest', token: string) => {
        while (performance.now() < end) {
          const { ended } = exchange(proxy.url, {
            token,
            ...modern('tools/call', reading('up:slow', { ms: 400 })),
          });
          if ((await ended).includes('"isError":true')) {
            served.shed++;
            await pause(500);
          } else if (performance.now() < end) served[who]++; // What is served afterwards, nobody competes for.
        }
      };
      await Promise.all([
        ...Array.from({ length: 152 }, () => caller('crowd', crowd)),
        ...Array.from({ length: 8 }, () => caller('modest', modest)),
      ]);
      const share = served.modest / ((served.crowd + served.modest) / 2);
      tally.held(share >= 0.8, `the modest client got ${Math.round(share * 100)} % of its fair share`);
      tally.figure(
        `served ${served.crowd} and ${served.modest}, ${served.shed} shed: ${Math.round(share * 100)} % of the fair half`,
      );
    } finally {
      await proxy.dispose();
    }
  },
};

export const slowLoris: Attack = {
  threat: 'F12',
  title: 'connections that never finish their request',
  async run(tally, scale) {
    // A few seconds on a busy machine have no tail worth a name.
    const share = scale === 'full' ? 0.99 : 0.5;
    const proxy = await startProxy({ config: { mcpServers: { up: fixture('annotated.mjs') } } });
    const port = Number(new URL(proxy.url).port);
    try {
      const before = percentile(await timeGood(proxy, 'up:read_only', 1_000), share);
      let open = 0;
      const closed: number[] = [];
      const started = performance.now();
      const sockets = Array.from({ length: 2_000 }, () => {
        const socket = connect(port, '127.0.0.1', () => {
          open++;
          socket.write('POST /mcp HTTP/1.1\r\nHost: 127');
        });
        socket.on('error', () => {});
        socket.resume();
        socket.on('close', () => closed.push(performance.now() - started));
        return socket;
      });
      const drip = setInterval(
        () => sockets.forEach((socket) => socket.writable && socket.write('0')),
        2_000,
      );
      await pause(500);
      const during = percentile(await timeGood(proxy, 'up:read_only', 3_000), share);
      while (closed.length < sockets.length && performance.now() - started < 20_000) await pause(100);
      clearInterval(drip);
      const last = Math.max(...closed);
      tally.held(closed.length === sockets.length, `${sockets.length - closed.length} are still open`);
      tally.held(last < 12_000, `the last was closed after ${Math.round(last)} ms`);
      tally.held(Number.isFinite(during), 'a normal client was not served');
      tally.held(
        during < Math.max(2 * before, before + 50),
        `p${share * 100} ${before} ms before, ${during} ms during`,
      );
      tally.figure(`${open} connections, the last closed after ${(last / 1000).toFixed(1)} s`);
      tally.figure(
        `normal client p${share * 100} ${before.toFixed(1)} ms before, ${during.toFixed(1)} ms during`,
      );
      for (const socket of sockets) socket.destroy();
    } finally {
      await proxy.dispose();
    }
  },
};
