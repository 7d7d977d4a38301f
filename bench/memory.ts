import { checkedCall } from './calls.ts';
import type { LoadGenerator } from './load-driver.ts';
import { ECHO_TEXT, type Target } from './load-plan.ts';
import { ECHO_COMMAND, startPeer, startProxy, startRelay, STDIO_UPSTREAM, type Middle } from './middles.ts';
import { rssMb } from './process-usage.ts';

export interface MemoryResult {
  way: string;
  calls: number;
  beforeMb: number;
  afterMb: number;
}

/** New processes, so that earlier work does not count. */
export async function measureMemory(
  load: LoadGenerator,
  dir: string,
  calls: number,
): Promise<MemoryResult[]> {
  const echo = { tool: 'echo', args: { text: ECHO_TEXT } };
  async function measureOne(middle: Middle, call: Pick<Target, 'tool' | 'args'>): Promise<MemoryResult> {
    const { name, url, pid, headers } = middle;
    try {
      const beforeMb = rssMb(pid);
      const target: Target = { name, url, pid, era: '2025-11-25', ...(headers && { headers }), ...call };
      const done = await load.run({ target, callers: 32, warmMs: 0, calls });
      return { way: name, calls: done.calls, beforeMb, afterMb: rssMb(pid) };
    } finally {
      await middle.stop();
    }
  }

  return [
    await measureOne(await startRelay(ECHO_COMMAND, dir), echo),
    await measureOne(await startProxy({ stdio: STDIO_UPSTREAM }, dir), checkedCall('stdio', 'read')),
    await measureOne(await startPeer(dir), echo),
  ];
}
