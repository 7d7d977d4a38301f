import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from '../../../../contract/errors.ts';
import { stateText, type ServerView } from '../../../../contract/status.ts';
import { hint, type Context, type Reached } from '../../context.ts';

const STEP_MS = 500;
/** The proxy ends the start of a server at its startup_timeout; this is only against a hang. */
const LIMIT_MS = 30 * 60_000;

/** Waits until a server that is starting has started or failed, and shows its progress on a terminal. */
export async function untilStarted(
  { io }: Context,
  { request, signal }: Reached,
  first: ServerView,
): Promise<ServerView> {
  let server = first;
  const end = performance.now() + LIMIT_MS;
  const isLive = io.terminal.err;
  while (server.state === 'connecting' && performance.now() < end) {
    if (isLive) io.err(`\r\u001b[K${server.name}: ${stateText(server, io.now())} (Ctrl-C stops waiting)`);
    await sleep(STEP_MS, undefined, { signal });
    server = await request('getServer', { name: server.name });
  }
  if (isLive && server !== first) io.err('\r\u001b[K');
  return server;
}

/** The exit code after a change of a server, so that a script sees a server that does not run. */
export function exitCodeOf({ state }: ServerView): number {
  return state === 'failed' || state === 'needs_login' ? EXIT.serverFailed : EXIT.ok;
}

/** The next step after a change of a server that runs in the daemon. */
export function hintNext(context: Context, { name, state }: ServerView): void {
  if (state === 'ready') hint(context, `List its tools with: mcpproxy tools list --server ${name}`);
  if (state === 'needs_login') hint(context, `Log in with: mcpproxy upstream login ${name}`);
  if (state === 'connecting') hint(context, `Follow its start with: mcpproxy upstream show ${name}`);
}
