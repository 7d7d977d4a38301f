import type { Client } from '../../contract/routes/client.ts';
import { ProxyError } from '../../contract/errors.ts';
import { hint, type Context, type Reached } from './context.ts';
import type { Connection } from './runtime.ts';

/** How long to wait for a stopped daemon. */
const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

interface EventListeners {
  onEvent: (event: ServerEvent, client: Client) => Promise<void> | void;
  /** Called for each connection, before its first event. */
  onOpen?: (client: Client) => void;
}

/** Follows the events of the daemon, across lost connections and restarts. Ends only with the signal or an error. */
export async function followEvents(
  context: Context,
  { client: first, signal }: Pick<Reached, 'client' | 'signal'>,
  { onEvent, onOpen }: EventListeners,
): Promise<never> {
  let reconnected: Connection | undefined;
  let lastId: string | undefined;
  const outage = createOutage(context);
  for (;;) {
    const client = reconnected?.client ?? first;
    try {
      const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
      const response = await client.open('events', {}, { signal, headers });
      outage.end();
      onOpen?.(client);
      for await (const event of readEvents(response.body!)) {
        await onEvent(event, client);
        lastId = event.id ?? lastId;
      }
    } catch (error) {
      if (signal.aborted || !isTemporary(error)) throw error;
    }
    await sleep(outage.nextPauseMs(), signal);
    reconnected = await reconnect(context, reconnected, signal);
  }
}

/** The time without a connection: says when it begins and ends, and gives up when it lasts too long. */
function createOutage(context: Context) {
  let since: number | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  return {
    end(): void {
      if (since !== undefined) hint(context, 'Connected again.');
      since = undefined;
      pauseMs = FIRST_PAUSE_MS;
    },
    nextPauseMs(): number {
      if (since === undefined) hint(context, 'Connection lost. Reconnecting…');
      since ??= context.io.now();
      if (context.io.now() - since > PATIENCE_MS)
        throw new ProxyError('NO_DAEMON', 'The daemon stopped and did not come back within a minute');
      const next = pauseMs;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      return next;
    },
  };
}

/** An unreachable or overloaded daemon may answer again soon. */
function isTemporary(error: unknown): boolean {
  return !(error instanceof ProxyError) || error.status >= 500 || error.status === 429;
}

/** The daemon may have restarted at another address, which its data directory contains. */
async function reconnect(
  { runtime, place }: Context,
  before: Connection | undefined,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  // No daemon yet: the caller keeps the old connection and tries again.
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

export interface ServerEvent {
  id?: string;
  event: string;
  data: string;
}

/** Events of the proxy are much smaller. */
const EVENT_LIMIT = 1_000_000;

/** Server-sent events from a stream of bytes, one at a time. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let buffer = '';
  for await (const chunk of body) {
    buffer += decoder.decode(chunk, { stream: true });
    // A CR at the end may be half of a CRLF: keep it for the next chunk.
    const whole = buffer.endsWith('\r') ? buffer.slice(0, -1) : buffer;
    const blocks = whole.split(/\r\n\r\n|\n\n|\r\r/);
    buffer = blocks.pop()! + buffer.slice(whole.length);
    if (buffer.length > EVENT_LIMIT)
      throw new ProxyError('INTERNAL', 'An event of the proxy exceeds the size limit');
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) yield event;
    }
  }
}

function parseBlock(block: string): ServerEvent | undefined {
  const data: string[] = [];
  let event = 'message';
  let id: string | undefined;
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, field, value = ''] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id') id = value;
  }
  // An id without data only updates the last event id.
  if (data.length === 0) return id === undefined ? undefined : { event: '', data: '', id };
  return { event, data: data.join('\n'), ...(id !== undefined && { id }) };
}
