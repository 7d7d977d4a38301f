import type { Client } from '../../../contract/routes/client.ts';
import { ProxyError } from '../../../contract/errors.ts';
import { hint, type Context, type Reached } from '../context.ts';
import type { Connection } from '../runtime.ts';
import { readEvents, type ServerEvent } from './sse.ts';

/** How long the daemon may stay away before watching is given up. */
const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** The events of the daemon, one after the other, also over a lost connection or a restart. Ends only with the signal or an error. */
export async function followEvents(
  context: Context,
  { client: first, signal }: Pick<Reached, 'client' | 'signal'>,
  onEvent: (event: ServerEvent, client: Client) => Promise<void> | void,
  onOpen?: (client: Client) => void,
): Promise<never> {
  let again: Connection | undefined;
  let last: string | undefined;
  let lostAt: number | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const client = again?.client ?? first;
    try {
      const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
      const response = await client.open('events', {}, signal, headers);
      if (lostAt !== undefined) hint(context, 'connected again');
      lostAt = undefined;
      pause = FIRST_PAUSE_MS;
      onOpen?.(client);
      for await (const event of readEvents(response.body!)) {
        await onEvent(event, client);
        last = event.id ?? last;
      }
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
    }
    if (lostAt === undefined) hint(context, 'connection lost; trying again');
    lostAt ??= context.io.now();
    if (context.io.now() - lostAt > PATIENCE_MS)
      throw new ProxyError('NO_DAEMON', 'The daemon went away and did not come back');
    await sleep(pause, signal);
    again = await findAgain(context, again, signal);
  }
}

/** A daemon that is away, or says that it cannot answer now, may be back soon. */
function mayPass(error: unknown): boolean {
  return !(error instanceof ProxyError) || error.status >= 500 || error.status === 429;
}

/** It may have been started again at another address; its data directory knows. */
async function findAgain(
  { runtime, place }: Context,
  before: Connection | undefined,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  const found = await runtime.connect(place, 'daemon', signal).catch(() => undefined);
  if (found) void before?.close().catch(() => {});
  return found ?? before;
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)), {
      once: true,
    });
  });
}
