import type { ActivityRecord } from '../../contract/activity.ts';
import { ProxyError } from '../../contract/errors.ts';
import { createEventLog, type LoggedEvent } from '../event-log.ts';
import { createEventStream } from '../event-stream.ts';
import type { Handlers, RestParts } from '../parts.ts';

const MAX_STREAMS = 64;
const HEARTBEAT_MS = 15_000;
const MAX_EVENT_CHARACTERS = 65_536;

export function eventRoutes(parts: RestParts, heartbeatMs: number = HEARTBEAT_MS): Pick<Handlers, 'events'> {
  const log = createEventLog(parts.events, parts.info.startedAt);
  let open = 0;
  return {
    events(_input, { headers }) {
      if (open >= MAX_STREAMS) {
        throw new ProxyError(
          'TOO_MANY_REQUESTS',
          `There are ${MAX_STREAMS} open event streams already; close one`,
          { limit: MAX_STREAMS, retry_after_s: 5 },
        );
      }
      open += 1;
      const body = createEventStream({
        log,
        render: (event) => render(parts, event),
        lastEventId: headers.get('last-event-id'),
        heartbeatMs,
        stopping: parts.stopping,
        onEnd: () => void (open -= 1),
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
  };
}

/**
 * Where a record is closed, its event carries it, so that a reader need not fetch it; one that is too large comes without its payloads.
 * A record just opened may not be on disk yet, and asking for it would force the disk's hand.
 */
async function render({ activity, log }: RestParts, { id, name, data }: LoggedEvent): Promise<string> {
  if (name !== 'activity' || !('phase' in data) || data.phase !== 'closed') return JSON.stringify(data);
  try {
    const record = await activity.get(data.id);
    if (!record) return JSON.stringify(data);
    const text = JSON.stringify({ ...data, record });
    return text.length <= MAX_EVENT_CHARACTERS
      ? text
      : JSON.stringify({ ...data, record: withoutPayloads(record), truncated: true });
  } catch (error) {
    log.warn({ err: error, event: id }, 'the record of an event could not be read');
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
