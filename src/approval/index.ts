/** The door of this folder: other folders import from here and nowhere else. */
export type { ApprovalRequest } from './approval-request.ts';
export { callDigest } from './approval-request.ts';
export { createApprovals, type Approvals } from './approvals.ts';
export type { ConversationDraft } from './conversation.ts';
export type { ClientAnswer } from './decide.ts';
export { createEventNotifier, createNotifier } from './notify.ts';
export { channelOf, readProxyId } from './other-proxies.ts';
export {
  callFacts,
  createPolicy,
  effectiveOperation,
  effectiveOperationReason,
  rulesWithoutServer,
  type Policy,
  type Ruling,
} from './policy/policy.ts';
export type { CallPermit } from './runs.ts';
export type { WaitHooks } from './waiters.ts';
