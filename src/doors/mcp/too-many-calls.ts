import { CODE, RpcError } from './wire.ts';

/** One client has so many calls under way that this one is not begun. It was heard, so it is recorded. */
export function tooManyCalls(underWay: number, status?: number): RpcError {
  const message = `Too many calls in flight: this client has ${underWay} under way. The call was not made; wait for some of them, then try again.`;
  const data = { code: 'OVERLOADED', in_flight: underWay, retry_after_s: 1 };
  return new RpcError(CODE.server, message, { data, record: 'OVERLOADED', ...(status && { status }) });
}
