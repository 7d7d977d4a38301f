import { newId } from '../lib/clock.ts';
import type { OpenRecord, RecordDraft } from '../log/index.ts';

interface Parts {
  activity: { open(draft: RecordDraft): OpenRecord };
  now?: () => number;
}

const PER_MINUTE = 10;
const MINUTE_MS = 60_000;
const TYPES = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
} as const;

/** Records what a server asked while no call of a client that could answer was its cause; a few per minute and server. */
export function createUnheardAsks({ activity, now = () => performance.now() }: Parts) {
  const windows = new Map<string, { since: number; count: number }>();
  return (server: string, method: keyof typeof TYPES): void => {
    const known = windows.get(server);
    const window = known && now() - known.since < MINUTE_MS ? known : { since: now(), count: 0 };
    windows.set(server, window);
    if (++window.count > PER_MINUTE) return;
    const draft = {
      type: TYPES[method],
      source: 'system',
      server_name: server,
      request_id: newId(),
    } as const;
    void activity
      .open({ ...draft, metadata: {} })
      .close({
        status: 'refused',
        error_code: 'ASK_REFUSED',
        error_message: `The server asked for ${method}, and no call of a client that could be asked was the cause`,
      })
      // A failing log reports itself.
      .catch(() => {});
  };
}
