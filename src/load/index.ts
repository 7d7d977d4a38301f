/** The door of this folder: other folders import from here and nowhere else. */
export { clientOf, createAdmission, type Admission } from './admission.ts';
export {
  createBodyBudget,
  type BodyBudgetLimits,
  type Reservation,
  type ReserveBody,
} from './body-budget.ts';
export { createClientShares, type ClientShares, type UsedUp } from './client-shares.ts';
export { collectSoon } from './collect-garbage.ts';
export { hasFairShare } from './fair-queue.ts';
export {
  backoffMs,
  Breaker,
  Bulkhead,
  pause,
  QUEUE_LIMIT,
  RetryBudget,
  retryDelayMs,
  type BulkheadCall,
} from './server-protection.ts';
export {
  isLarge,
  pace,
  sendText,
  TextCollector,
  textStream,
  throttleReads,
  waitForDrain,
  waitForTurn,
} from './text-stream.ts';
export { TurnoverMap, TurnoverSet } from './turnover.ts';
