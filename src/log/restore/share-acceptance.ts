import type { Relay } from '../../db/index.ts';
import { newId, type Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Activity } from '../activity.ts';

const ACCEPTED_TOPIC = 'restore accepted';

/** An older message is not about what is missing now. */
const FRESH_MS = 60_000;

interface Acceptance {
  id: string;
  at: number;
  from: string;
  by: string;
}

interface AcceptanceParts {
  relay: Pick<Relay, 'on' | 'send'>;
  activity: Pick<Activity, 'state' | 'open' | 'acceptRestore'>;
  clock: Clock;
  accepted: () => void;
  proxyId: string;
  log: Log;
}

/** What a database has lost concerns every proxy on it, so one acceptance of the operator does for all that run. Each records it. */
export function shareAcceptance({ relay, activity, accepted, proxyId, clock, log }: AcceptanceParts) {
  /** Messages may come twice. */
  const heard = new Set<string>();

  async function acceptToo(by: string): Promise<void> {
    const { rollback } = activity.state();
    if (!rollback) return;
    const record = activity.open({
      type: 'config_change',
      source: 'system',
      server_name: 'mcpproxy',
      arguments: { ...rollback },
      request_id: newId(),
      metadata: { action: 'accept_restore', principal: by },
    });
    await record.durable();
    const { missing, kept_as } = await activity.acceptRestore();
    accepted();
    await record.close({
      status: 'success',
      response: { says: 'accepted at another proxy', missing, kept_as },
    });
  }

  relay.on({
    wants: (topic) => topic === ACCEPTED_TOPIC,
    got(_topic, message) {
      const { id, at, from, by } = message as Acceptance;
      if (from === proxyId || heard.has(id) || Math.abs(clock.now() - at) > FRESH_MS) return;
      heard.add(id);
      acceptToo(by).catch((error: unknown) =>
        log.warn({ err: error }, 'the acceptance of another proxy cannot be applied here'),
      );
    },
  });
  return (by: string): void => {
    accepted();
    relay
      .send(ACCEPTED_TOPIC, { id: newId(), at: clock.now(), from: proxyId, by } satisfies Acceptance)
      .catch((error: unknown) => log.warn({ err: error }, 'other proxies cannot be told of the acceptance'));
  };
}
