import type { CallResult } from '../../contract/call.ts';
import type { ProxyError } from '../../contract/errors.ts';
import { DispatchedCall } from './dispatched-call.ts';
import { upstreamFinder } from './finder.ts';
import { unknownServer } from './failures.ts';
import { traceDispatch } from './trace-dispatch.ts';
import type { Upstreams } from '../upstream-set.ts';
import type { Dispatch } from './dispatch-call.ts';

const METHOD = 'tools/call';

/** The one place that sends a tool call: everything else that leads here is the road. */
export function createDispatch(upstreams: Upstreams): Dispatch {
  const find = upstreamFinder(upstreams);
  return traceDispatch(
    METHOD,
    (call) =>
      new Promise((resolve: (result: CallResult) => void, reject: (error: ProxyError) => void) => {
        const upstream = find(call.server);
        if (!upstream) return reject(unknownServer(call));
        new DispatchedCall(METHOD, upstream, call, resolve, reject).begin();
      }),
  );
}
