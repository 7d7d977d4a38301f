import type { LegacyPeer } from '../legacy-peer.ts';
import { BatchReply, type Reply } from '../reply.ts';
import type { Arrival } from '../arrival.ts';
import { BATCH_REVISION, malformed, META, metaOf, shapeOf, type Message, type Request } from '../wire.ts';

export interface Batch {
  requests: Request[];
  notifications: Message[];
}

/** Several messages in one array, which one revision allows. One invalid message makes the whole batch invalid. */
export function checkBatch(body: unknown[], limit: number): Batch {
  if (body.length === 0 || body.length > limit) throw malformed(`a batch must hold 1 to ${limit} messages`);
  const batch: Batch = { requests: [], notifications: [] };
  for (const item of body) {
    const shape = shapeOf(item);
    const message = item as Message;
    if (META.version in (metaOf(message.params) ?? {}))
      throw malformed('requests of 2026-07-28 must not be in a batch');
    if (message.method === 'initialize') throw malformed('"initialize" must not be in a batch');
    if (shape === 'request') batch.requests.push(message as Request);
    else if (shape === 'notification') batch.notifications.push(message);
  }
  return batch;
}

/** Requests first, so that a cancellation in the same batch finds what it cancels. */
export function runBatch(
  peer: LegacyPeer,
  batch: Batch,
  { arrival, openReply }: { arrival: Arrival; openReply: () => Reply },
): void {
  if (peer.revision !== BATCH_REVISION) {
    throw malformed(`batches exist in revision ${BATCH_REVISION} only; this client uses ${peer.revision}`);
  }
  if (batch.requests.length > 0) {
    const reply = new BatchReply(openReply(), batch.requests.length);
    for (const request of batch.requests) peer.request(request, arrival, reply);
  }
  for (const notification of batch.notifications) peer.notification(notification);
}
