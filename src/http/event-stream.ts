import { ProxyError } from '../contract/errors.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';

export interface EventStreamParts {
  log: EventLog;
  /** The data of an event as JSON text. */
  render: (event: LoggedEvent) => Promise<string>;
  /** `Last-Event-ID` as the reader sent it. */
  lastEventId: string | null;
  heartbeatMs: number;
  stopping?: AbortSignal | undefined;
  onEnd: () => void;
}

const BATCH_CHARACTERS = 65_536;
/** Heartbeats that may wait unread before the reader counts as gone. */
const MISSED_HEARTBEATS = 4;

/**
 * One reader of the event stream. Nothing is queued per reader: each has a position in the shared log and takes from it as fast as it
 * reads. One that falls behind the log, or stops reading, is cut; it may come back with its Last-Event-ID.
 */
export function createEventStream({
  log,
  render,
  lastEventId,
  heartbeatMs,
  stopping,
  onEnd,
}: EventStreamParts): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const begin = startOf(log, lastEventId);
  let position = begin.position;
  let opening: string | undefined = begin.text;
  let heartbeats = 0;
  let wake: (() => void) | undefined;
  let over = false;
  let controller: ReadableStreamDefaultController<Uint8Array>;

  const stirred = () => wake?.();
  const stopListening = log.onEvent(() => (log.reaches(position) ? stirred() : cut('fell behind')));
  const timer = setInterval(
    () => (++heartbeats > MISSED_HEARTBEATS ? cut('stopped reading') : stirred()),
    heartbeatMs,
  );
  timer.unref();
  const stop = () => {
    if (over) return;
    end();
    controller.close();
  };
  stopping?.addEventListener('abort', stop, { once: true });

  function end(): void {
    if (over) return;
    over = true;
    stopListening();
    clearInterval(timer);
    stopping?.removeEventListener('abort', stop);
    stirred();
    onEnd();
  }

  function cut(why: string): void {
    if (over) return;
    end();
    controller.error(new ProxyError('TOO_MANY_REQUESTS', `The reader ${why}; the event stream was cut`));
  }

  async function nextText(): Promise<string> {
    if (opening !== undefined) {
      const text = opening;
      opening = undefined;
      return text;
    }
    let text = '';
    for (
      let event = log.at(position + 1);
      event && text.length < BATCH_CHARACTERS;
      event = log.at(position + 1)
    ) {
      text += `id: ${event.id}\nevent: ${event.name}\ndata: ${await render(event)}\n\n`;
      position = event.id;
    }
    if (text === '' && heartbeats > 0) text = ': still here\n\n';
    heartbeats = 0;
    return text;
  }

  return new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
        if (stopping?.aborted) stop();
      },
      async pull() {
        for (;;) {
          const text = await nextText();
          if (over) return;
          if (text !== '') return controller.enqueue(encoder.encode(text));
          // An event may have come while the text above was on its way here.
          if (log.lastId() === position) await new Promise<void>((resolve) => (wake = resolve));
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}

/** Where a reader begins, and its first lines. An id without data moves the reader's own position and raises no event. */
function startOf(log: EventLog, lastEventId: string | null): { position: number; text: string } {
  const seen = lastEventId !== null && /^\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : undefined;
  if (seen !== undefined && log.reaches(seen)) return { position: seen, text: 'retry: 2000\n\n' };
  const now = log.lastId();
  const begin = `retry: 2000\nid: ${now}\n`;
  if (lastEventId === null || lastEventId === '') return { position: now, text: `${begin}\n` };
  const data = JSON.stringify({
    reason: 'events after this id are no longer kept; fetch again what you show',
  });
  return { position: now, text: `${begin}event: reset\ndata: ${data}\n\n` };
}
