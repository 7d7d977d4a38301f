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
  /** The last of the events beside the activity that it has seen. */
  number: number;
  /** What it missed before it begins. */
  missed: 'nothing' | 'all' | 'state';
  /** The data of an event of the activity as JSON text; undefined where there is nothing to tell. */
  render: (fact: Fact) => Promise<string | undefined>;
  now: () => number;
  heartbeatMs: number;
  /** Whichever fires first ends the stream: the proxy stops, or the reader has logged out. */
  endings: readonly AbortSignal[];
  onEnd: () => void;
}

const BATCH_CHARACTERS = 65_536;
const BATCH_FACTS = 50;
/** Heartbeats that may wait unread before the reader counts as gone. */
const MISSED_HEARTBEATS = 4;

/** What a reader has to fetch again. Everything but the activity is only known to the proxy that it happened at, and not kept. */
const RESET = {
  all: 'events after this id are no longer kept; fetch again what you show',
  state:
    'events of servers, tools, approvals and the configuration were missed; fetch again what you show of them',
};

/**
 * One reader of the event stream. Nothing is queued per reader: each has a place in the logs and takes from them as fast as it reads. One
 * that stops reading is cut; it may come back with its Last-Event-ID.
 */
export function createEventStream(parts: EventStreamParts): ReadableStream<Uint8Array> {
  const { log, feed, reader, render, now, heartbeatMs, endings, onEnd } = parts;
  const encoder = new TextEncoder();
  let { number } = parts;
  let heartbeats = 0;
  let wake: (() => void) | undefined;
  let over = false;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const id = () => eventId(reader.places, { time: now(), run: log.run, number });
  const reset = (lost: keyof typeof RESET) =>
    `id: ${id()}\nevent: reset\ndata: ${JSON.stringify({ reason: RESET[lost], lost })}\n\n`;
  /** An id without data moves the reader's own position and raises no event. */
  let opening: string | undefined =
    `retry: 2000\n${parts.missed === 'nothing' ? `id: ${id()}\n\n` : reset(parts.missed)}`;

  const stirred = () => wake?.();
  const unsubscribe = [log.onEvent(stirred), feed.onFacts(stirred)];
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
  for (const each of endings) each.addEventListener('abort', stop, { once: true });

  function end(): void {
    if (over) return;
    over = true;
    for (const each of unsubscribe) each();
    clearInterval(timer);
    for (const each of endings) each.removeEventListener('abort', stop);
    stirred();
    onEnd();
  }

  function cut(why: string): void {
    if (over) return;
    end();
    controller.error(new ProxyError('TOO_MANY_REQUESTS', `The reader ${why}; the event stream was cut`));
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

  /** Each event has an id of its own: whatever of this arrives, the reader goes on right after it. */
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
    if (text === '' && heartbeats > 0) text = ': still here\n\n';
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
          // Something may have come while the text above was on its way here.
          if (log.last() === number && reader.isAtEnd())
            await new Promise<void>((resolve) => (wake = resolve));
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}
