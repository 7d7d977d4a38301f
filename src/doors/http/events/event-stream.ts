import type { Fact } from '../../../log/index.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { ActivityFeed } from './activity-feed.ts';
import { eventId } from './event-id.ts';
import type { EventLog } from './event-log.ts';
import type { FeedReader } from './feed-reader.ts';

export interface EventStreamParts {
  log: EventLog;
  feed: Pick<ActivityFeed, 'onFacts'>;
  reader: FeedReader;
  /** The number of the last event that is not an activity and that the reader has seen. */
  number: number;
  /** What the reader missed before. */
  missed: 'nothing' | 'all' | 'state';
  /** The data of an activity event as JSON text; undefined where the fact is not an event. */
  render: (fact: Fact) => Promise<string | undefined>;
  now: () => number;
  heartbeatMs: number;
  /** The first one that is aborted ends the stream: the proxy stops, or the reader has logged out. */
  endings: readonly AbortSignal[];
  onEnd: () => void;
}

const BATCH_CHARACTERS = 65_536;
const BATCH_FACTS = 50;
/** Heartbeats that may wait unread before the reader counts as gone. */
const MISSED_HEARTBEATS = 4;

/** What a reader has to fetch again. Events other than activity are known only to their own proxy, and are not stored. */
const RESET = {
  all: 'events after this id are no longer kept; fetch the data again',
  state: 'events of servers, tools, approvals and the configuration were missed; fetch their data again',
};

/**
 * The event stream of one reader. Nothing is queued per reader: each has a position in the logs and reads from them at its own speed. A
 * reader that stops reading is disconnected; it may reconnect with its Last-Event-ID.
 */
export function createEventStream(parts: EventStreamParts): ReadableStream<Uint8Array> {
  const { log, feed, reader, render, now, heartbeatMs, endings, onEnd } = parts;
  const encoder = new TextEncoder();
  let { number } = parts;
  let heartbeats = 0;
  let wake: (() => void) | undefined;
  let over = false;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const id = () => eventId(reader.positions, { time: now(), run: log.run, number });
  const reset = (lost: keyof typeof RESET) =>
    `id: ${id()}\nevent: reset\ndata: ${JSON.stringify({ reason: RESET[lost], lost })}\n\n`;
  /** An id without data moves the reader's own position and raises no event. */
  let opening: string | undefined =
    `retry: 2000\n${parts.missed === 'nothing' ? `id: ${id()}\n\n` : reset(parts.missed)}`;

  const wakeUp = () => wake?.();
  const unsubscribe = [log.onEvent(wakeUp), feed.onFacts(wakeUp)];
  const timer = setInterval(
    () => (++heartbeats > MISSED_HEARTBEATS ? disconnect('stopped reading') : wakeUp()),
    heartbeatMs,
  );
  timer.unref();
  const stop = () => {
    if (over) return;
    end();
    controller.close();
  };
  for (const each of endings) each.addEventListener('abort', stop, { once: true });

  function end(): void {
    if (over) return;
    over = true;
    for (const each of unsubscribe) each();
    clearInterval(timer);
    for (const each of endings) each.removeEventListener('abort', stop);
    wakeUp();
    onEnd();
  }

  function disconnect(why: string): void {
    if (over) return;
    end();
    controller.error(new ProxyError('TOO_MANY_REQUESTS', `The reader ${why}; the event stream was closed`));
  }

  function stateText(): string {
    let text = '';
    if (!log.reaches(number)) {
      number = log.last();
      text += reset('state');
    }
    for (
      let event = log.at(number + 1);
      event && text.length < BATCH_CHARACTERS;
      event = log.at(number + 1)
    ) {
      number = event.number;
      text += `id: ${id()}\nevent: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`;
    }
    return text;
  }

  /** Each event has its own id, so that the reader resumes right after the last one that arrived. */
  async function activityText(): Promise<string> {
    const facts = await reader.next(BATCH_FACTS);
    if (facts === 'missed') return reset('all');
    const texts = await Promise.all(facts.map(render));
    let text = '';
    for (const [i, data] of texts.entries()) {
      reader.seen(facts[i]!);
      if (data !== undefined) text += `id: ${id()}\nevent: activity\ndata: ${data}\n\n`;
    }
    return text;
  }

  async function nextText(): Promise<string> {
    if (opening !== undefined) {
      const text = opening;
      opening = undefined;
      return text;
    }
    let text = stateText() + (await activityText());
    if (text === '' && heartbeats > 0) text = ': keepalive\n\n';
    heartbeats = 0;
    return text;
  }

  return new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
        if (endings.some(({ aborted }) => aborted)) stop();
      },
      async pull() {
        for (;;) {
          const text = await nextText();
          if (over) return;
          if (text !== '') return controller.enqueue(encoder.encode(text));
          // More may have arrived while the text above was prepared.
          if (log.last() === number && reader.isAtEnd())
            await new Promise<void>((resolve) => (wake = resolve));
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}
