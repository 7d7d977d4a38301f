/** The door of this folder: other folders import from here and nowhere else. */
export { clientOf, createAdmission, type Admission } from './admission.ts';
export { backoffMs, pause } from './backoff.ts';
export { Breaker } from './breaker.ts';
export { Bulkhead, QUEUE_LIMIT, type Passenger } from './bulkhead.ts';
export { collectSoon, collectSoonAfter } from './collect-garbage.ts';
export { hasFairShare } from './fair-share.ts';
export { createLongRoom, type AskRoom, type Place, type RoomSizes } from './long-room.ts';
export { pace, paced } from './pace.ts';
export { RetryBudget, retryDelayMs } from './retry-budget.ts';
export { drained, isLarge, sendText, textStream } from './send-text.ts';
export { TextCollector } from './text-collector.ts';
export { leaveRoom } from './throttle-reads.ts';
