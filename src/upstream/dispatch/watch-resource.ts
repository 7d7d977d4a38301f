import type { CallResult, ResourceWatcher } from '../../contract/call.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { Upstream } from '../connection/upstream.ts';
import { LaneError } from '../transport/lane.ts';
import type { DispatchCall } from './dispatch-call.ts';
import { notAnswered, unavailable, upstreamFailed } from './failures.ts';

const INTERNAL = -32603;

/**
 * A subscription holds no slot of the server: it is answered at once, and one of a client after the first is not sent. It is made on the
 * shared connection, and on that of the client where it has one: some servers change a resource for one session alone.
 */
export async function watchResource(
  upstream: Upstream,
  call: DispatchCall,
  watcher: ResourceWatcher,
): Promise<CallResult> {
  if (!upstream.lane) throw unavailable(call, upstream.status);
  call.onTurn?.();
  const { watches, clients } = upstream;
  try {
    if (call.kind === 'subscribe') {
      const by = { client: call.client ?? '', session: call.session?.key };
      const own = clients.watch(call.tool, watcher, by);
      await watches.add(call.tool, watcher, by).catch(async (error: unknown) => {
        if (!(await own)) throw error;
      });
      await own;
    } else {
      await Promise.all([watches.release(call.tool, watcher), clients.unwatch(call.tool, watcher)]);
    }
    return {};
  } catch (cause) {
    if (cause instanceof ProxyError) throw cause;
    const { message } = cause as Error;
    if (!(cause instanceof LaneError)) throw upstreamFailed(call, { code: INTERNAL, message });
    throw notAnswered(call, cause, { reason: upstream.shown(message), state: upstream.status.state });
  }
}
