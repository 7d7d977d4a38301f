import type { McpCore } from '../core.ts';
import { EventWriter } from './event-writer.ts';
import { Exchange } from '../exchange.ts';
import type { ModernPeer } from '../modern-peer.ts';
import type { Shape } from '../parse-message.ts';
import type { Subscriptions } from '../subscriptions.ts';
import { accepted, type Visit } from '../visit.ts';
import type { Message, Request } from '../wire.ts';

/** Revision 2026-07-28 over HTTP: no sessions, and a closed response is how a client cancels. */
export function createModernDoor(core: McpCore, peer: ModernPeer, subscriptions: Subscriptions) {
  function listen({ res, visitor }: Visit, request: Request): void {
    subscriptions.listen(res, request, visitor, () => new EventWriter(res, core.limits));
    res.on('close', () => subscriptions.remove(res));
  }

  return function post(visit: Visit, message: Message, shape: Shape): void {
    // No notification of a client means anything here.
    if (shape !== 'request') return accepted(visit);
    const request = message as Request;
    if (request.method === 'subscriptions/listen') return listen(visit, request);
    const { res, visitor } = visit;
    const exchange = new Exchange(res, core.limits);
    if (request.method === 'tools/call') {
      res.on('close', () => peer.calls.cancel(exchange, 'the client closed the response'));
    }
    peer.request(exchange, request, visitor, visit, exchange);
  };
}

export type ModernDoor = ReturnType<typeof createModernDoor>;
