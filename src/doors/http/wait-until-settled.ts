import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerView } from '../../contract/status.ts';

const WAIT_MS = 10_000;
const APPEAR_MS = 1_000;
const STEP_MS = 25;

/**
 * Gives a server the time to come up (or to fail) after a change; after that the answer says how far it is. Undefined: it does not run
 * in this process.
 */
export async function waitUntilSettled(
  upstreams: { view(name: string): ServerView | undefined },
  name: string,
  signal: AbortSignal,
): Promise<ServerView | undefined> {
  const start = performance.now();
  for (;;) {
    const view = upstreams.view(name);
    if (view && view.state !== 'connecting') return view;
    const limit = view ? WAIT_MS : APPEAR_MS;
    if (signal.aborted || performance.now() - start >= limit) return view;
    await sleep(STEP_MS);
  }
}
