import type { Fact } from '../../../log/index.ts';
import type { ActivityRecord } from '../../../contract/activity.ts';
import type { Caller } from '../../../contract/call.ts';
import { ProxyError } from '../../../contract/errors.ts';
import { exactJson } from '../../../json/index.ts';
import { ofRequest } from '../../../lib/log.ts';
import { createActivityFeed } from '../events/activity-feed.ts';
import { parseEventId, resumePositions } from '../events/event-id.ts';
import { createEventLog } from '../events/event-log.ts';
import { createEventStream } from '../events/event-stream.ts';
import { createFeedReader } from '../events/feed-reader.ts';
import type { Handlers, RestParts } from '../parts.ts';

const MAX_STREAMS = 64;
const HEARTBEAT_MS = 15_000;
const MAX_EVENT_CHARACTERS = 65_536;

export function eventRoutes(parts: RestParts, heartbeatMs: number = HEARTBEAT_MS): Pick<Handlers, 'events'> {
  const { facts } = parts.activity;
  const log = createEventLog(parts.events);
  const feed = createActivityFeed({ facts, log: parts.log });
  let open = 0;

  /** Where a reader begins: after its Last-Event-ID, or with new events. */
  async function begin(lastEventId: string | null) {
    const number = log.last();
    const fresh = { reader: createFeedReader({ feed, facts }), number };
    if (lastEventId === null || lastEventId === '') return { ...fresh, missed: 'nothing' as const };
    const id = parseEventId(lastEventId);
    const positions = id && (await resumePositions(id, await facts.heads(), facts));
    if (!positions) return { ...fresh, missed: 'all' as const };
    const reader = createFeedReader({ feed, facts, positions });
    return id.run === log.run && log.reaches(id.number)
      ? { reader, number: id.number, missed: 'nothing' as const }
      : { reader, number, missed: 'state' as const };
  }

  return {
    async events(_input, { headers, caller, until }) {
      if (open >= MAX_STREAMS) {
        throw new ProxyError(
          'TOO_MANY_REQUESTS',
          `There are already ${MAX_STREAMS} open event streams; close one`,
          { limit: MAX_STREAMS, retry_after_s: 5 },
        );
      }
      open += 1;
      let joined = false;
      const onEnd = () => {
        open -= 1;
        if (joined) feed.leave();
      };
      try {
        await feed.join();
        joined = true;
        const body = createEventStream({
          ...(await begin(headers.get('last-event-id'))),
          log,
          feed,
          render: (fact) => render(parts, fact, caller),
          now: Date.now,
          heartbeatMs,
          endings: [parts.stopping, until].filter((each) => each !== undefined),
          onEnd,
        });
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      } catch (error) {
        onEnd();
        throw error;
      }
    },
  };
}

type Phase = 'opened' | 'closed' | 'corrected' | 'redacted';

const PHASES: Record<Fact['kind'], Phase | undefined> = {
  opened: 'opened',
  closed: 'closed',
  recovered: 'closed',
  // It was recorded as lost, and completed later.
  late: 'corrected',
  redacted: 'redacted',
  // A reader that was told of it before may have been told by a server that is gone.
  restored: 'closed',
  // It existed before the log had a chain, so it is not new.
  adopted: undefined,
};

/**
 * The event of a closed record carries the record, so that a reader need not fetch it; a large record is sent without its payloads.
 */
async function render({ activity, log }: RestParts, fact: Fact, reader: Caller): Promise<string | undefined> {
  const { id, type, status, kind } = fact;
  const phase = PHASES[kind];
  if (phase === undefined) return undefined;
  const data = { id, type, status, phase };
  if (phase !== 'closed') return JSON.stringify(data);
  try {
    const record = await activity.get(id);
    if (!record) return JSON.stringify(data);
    const text = exactJson({ ...data, record })!;
    return text.length <= MAX_EVENT_CHARACTERS
      ? text
      : JSON.stringify({ ...data, record: withoutPayloads(record), truncated: true });
  } catch (error) {
    log.warn({ err: error, record: id, ...ofRequest(reader) }, 'could not read the record of an event');
    return JSON.stringify(data);
  }
}

function withoutPayloads({
  arguments: _arguments,
  response: _response,
  ...rest
}: ActivityRecord): ActivityRecord {
  return { ...rest, response_truncated: true };
}
