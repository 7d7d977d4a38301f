import { connect, type Socket } from 'node:net';
import type { Attack } from '../attacks/attack.ts';
import type { RunningProxy } from '../e2e/start-proxy.ts';
import { memoryOf, pause, percentile, timeGood } from './calls.ts';
import { bad, good, withProxy } from './servers.ts';

const BYTES = 50_000_000;
/** How long the proxy keeps an answer for somebody who takes nothing of it, and some time to notice. */
const CUT_MS = 20_000 + 10_000;

/** Asks for a large answer, reads the beginning of it and then nothing more. */
function ask(proxy: RunningProxy): { socket: Socket; begun: Promise<void>; closed: Promise<number> } {
  const body = JSON.stringify({
    tool_variant: 'call_tool_read',
    name: 'bad:huge',
    args: { bytes: BYTES },
    intent: { operation_type: 'read' },
  });
  const started = performance.now();
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
  socket.write(
    `POST /api/v1/tools/call HTTP/1.1\r\nhost: ${new URL(proxy.url).host}\r\nauthorization: Bearer ${proxy.key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  socket.on('error', () => {});
  const begun = new Promise<void>((resolve) =>
    socket.once('data', () => {
      socket.pause();
      resolve();
    }),
  );
  const closed = new Promise<number>((resolve) =>
    socket.once('close', () => resolve(performance.now() - started)),
  );
  return { socket, begun, closed };
}

/** A socket that is not read does not tell that the other side is gone; writing to it does. */
async function cutWithin(asked: ReturnType<typeof ask>, ms: number): Promise<boolean> {
  const cut = { yes: false };
  void asked.closed.then(() => (cut.yes = true));
  for (const end = performance.now() + ms; !cut.yes && performance.now() < end; await pause(250))
    asked.socket.write('\r\n');
  return cut.yes;
}

export const slowReader: Attack = {
  threat: 'F13',
  title: 'a client stops reading a result of 50 MB',
  run: (tally, scale) =>
    withProxy({ good, bad: { ...bad, timeout: '30s' } }, async (proxy) => {
      const readers = scale === 'full' ? 8 : 2;
      const before = percentile(await timeGood(proxy, 'good:read_only', 1_500), 0.5);
      const rss = memoryOf(proxy.pid, 'VmRSS');
      const asked: Array<ReturnType<typeof ask>> = [];
      // One after the other, so that only what waits for them adds up.
      for (let n = 0; n < readers; n++) {
        asked.push(ask(proxy));
        await asked.at(-1)!.begun;
      }
      const stopped = performance.now();
      const during = percentile(await timeGood(proxy, 'good:read_only', 1_500), 0.5);
      const waiting = memoryOf(proxy.pid, 'VmRSS') - rss;
      const cut = await Promise.all(asked.map((each) => cutWithin(each, CUT_MS)));
      const seconds = (performance.now() - stopped) / 1000;
      await pause(1_000);
      const after = memoryOf(proxy.pid, 'VmRSS') - rss;
      for (const { socket } of asked) socket.destroy();
      const grown = memoryOf(proxy.pid, 'VmHWM') - rss;
      const kept = Math.min(readers * 60, 300);
      tally.held(
        cut.every(Boolean),
        `${cut.filter((yes) => !yes).length} of ${readers} still have their connection`,
      );
      tally.held(grown < 200 + kept, `memory grew by ${grown} MB`);
      tally.held(after < 100, `${after} MB are not given back`);
      tally.held(during - before < 50, `the good server: ${before} ms before, ${during} ms during`);
      tally.figure(
        `${cut.filter(Boolean).length} of ${readers} readers cut off within ${seconds.toFixed(1)} s; memory +${waiting} MB while they waited, +${grown} MB at most, +${after} MB afterwards; good p50 ${before.toFixed(1)} → ${during.toFixed(1)} ms`,
      );
    }),
};
