import type { LegacyPeer } from '../legacy-peer.ts';
import { malformed, shapeOf } from '../parse-message.ts';
import { BatchReply, type Reply } from '../reply.ts';
import type { Arrival } from '../trace-request.ts';
import { BATCH_REVISION, META, metaOf, type Message, type Request } from '../wire.ts';

export interface Batch {
  requests: Request[];
  notifications: Message[];
}

/** Several messages as one array: one revision had them. One bad message makes the whole batch bad. */
export function checkBatch(body: unknown[], limit: number): Batch {
  if (body.length === 0 || body.length > limit) throw malformed(`a batch must hold 1 to ${limit} messages`);
  const batch: Batch = { requests: [], notifications: [] };
  for (const item of body) {
    const shape = shapeOf(item);
    const message = item as Message;
    if (META.version in (metaOf(message.params) ?? {}))
      throw malformed('requests of 2026-07-28 may not come in a batch');
    if (message.method === 'initialize') throw malformed('"initialize" may not come in a batch');
    if (shape === 'request') batch.requests.push(message as Request);
    else if (shape === 'notification') batch.notifications.push(message);
  }
  return batch;
}

/** Requests first, so that a cancellation in the same batch finds what it cancels. */
export function runBatch(peer: LegacyPeer, batch: Batch, arrival: Arrival, open: () => Reply): void {
  if (peer.revision !== BATCH_REVISION) {
    throw malformed(`batches exist in revision ${BATCH_REVISION} only; this client speaks ${peer.revision}`);
  }
  if (batch.requests.length > 0) {
    const reply = new BatchReply(open(), batch.requests.length);
    for (const request of batch.requests) peer.request(request, arrival, reply);
  }
  for (const notification of batch.notifications) peer.notification(notification);
}
