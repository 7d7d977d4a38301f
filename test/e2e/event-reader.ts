import { readEvents } from '../../src/doors/cli/events.ts';
import type { RunningProxy } from './start-proxy.ts';

export interface Told {
  eventId: string | undefined;
  event: string;
  data: {
    id?: string;
    phase?: string;
    lost?: string;
    record?: { type?: string; tool_name: string; arguments: unknown };
  };
}

/** Collects the events of a proxy, as a script with curl would. */
export interface EventReader {
  readonly told: Told[];
  /** The id to come back with. */
  lastId(): string | undefined;
  /** Ids of the records that were closed, in the order in which they came, without those of the configuration. */
  closed(): string[];
  stop(): Promise<void>;
}

export async function readEventsOf(
  { url, key }: Pick<RunningProxy, 'url' | 'key'>,
  lastEventId?: string,
): Promise<EventReader> {
  const abort = new AbortController();
  const response = await fetch(`${url}/api/v1/events`, {
    headers: { 'x-api-key': key, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: abort.signal,
  });
  if (!response.ok) throw new Error(`events: ${response.status} ${await response.text()}`);
  const told: Told[] = [];
  let lastId = lastEventId;
  let begun: () => void = () => {};
  const beginning = new Promise<void>((resolve) => (begun = resolve));
  const reading = (async () => {
    for await (const { id, event, data } of readEvents(response.body!)) {
      lastId = id ?? lastId;
      if (data !== '') told.push({ eventId: id, event, data: JSON.parse(data) as Told['data'] });
      begun();
    }
  })().catch(() => begun());
  await beginning;
  return {
    told,
    lastId: () => lastId,
    closed: () =>
      told
        .filter(
          ({ event, data }) =>
            event === 'activity' && data.phase === 'closed' && data.record?.type !== 'config',
        )
        .map(({ data }) => data.id!),
    async stop() {
      abort.abort();
      await reading;
    },
  };
}
