import type { CallResult } from '../contract/api.ts';
import type { ProxyError } from '../contract/errors.ts';
import { DispatchedCall } from './dispatched-call.ts';
import { upstreamFinder } from './finder.ts';
import { unknownServer } from './failures.ts';
import type { Upstreams } from './upstreams.ts';

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

export interface DispatchCall {
  server: string;
  tool: string;
  args: Record<string, unknown>;
  signal: AbortSignal;
  onProgress?: ((progress: Progress) => void) | undefined;
  timeoutMs?: number | undefined;
}

/** Sends one call to its upstream and gives back the result untouched. Only `call/` may use this. */
export type Dispatch = (call: DispatchCall) => Promise<CallResult>;

/** The one place that sends a tool call: everything else that leads here is the road. */
export function createDispatch(upstreams: Upstreams): Dispatch {
  const find = upstreamFinder(upstreams);
  return (call) =>
    new Promise((resolve: (result: CallResult) => void, reject: (error: ProxyError) => void) => {
      const upstream = find(call.server);
      if (!upstream) return reject(unknownServer(call));
      new DispatchedCall('tools/call', upstream, call, resolve, reject).begin();
    });
}
