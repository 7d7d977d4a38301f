import { durationMs, type Config } from '../../contract/config.ts';
import { during } from '../../lib/during.ts';
import type { Dispatch } from '../../upstream/dispatch/dispatch.ts';
import type { Admission } from '../../load/admission.ts';

/**
 * Only calls on their way to a server take up room: those that wait for a person may wait for long. The wait for room is part of the
 * time that the call has.
 */
export function createAdmitted(
  admission: Admission,
  dispatch: Dispatch,
  limitMs: (server: string) => number,
): Dispatch {
  return async (call) => {
    const client = call.client ?? '';
    const since = performance.now();
    const room = admission.enter(
      client,
      call.signal,
      Math.min(call.timeoutMs ?? Infinity, limitMs(call.server)),
    );
    if (room) await during(call.trace, 'admission', room);
    try {
      return await dispatch(room ? { ...call, since } : call);
    } finally {
      admission.leave(client);
    }
  };
}

/** How long a call of a server may take. */
export function limitOf(
  config: () => Pick<Config, 'call_timeout' | 'mcpServers'>,
): (server: string) => number {
  return (server) => {
    const { call_timeout: general, mcpServers } = config();
    const own = mcpServers[server]?.timeout;
    return Math.min(durationMs(general), own === undefined ? Infinity : durationMs(own));
  };
}
